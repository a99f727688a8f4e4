/** English texts of the frame: session, errors and navigation. */
export const session = {
  product: 'Countersign',
  offline: 'The service did not answer. Check your connection, then try again.',
  unexpected: 'The service could not answer. Try again in a moment.',
  requestId: (id: string) => `Request id: ${id}`,
  retry: 'Try again',
  loading: 'Loading …',
  signOut: 'Sign out',
  requests: 'Requests',
  setup: 'Setup',
  me: 'Your account',
  skip: 'Skip to content',
  count: (requests: number) => (requests >= 1_000 ? '1,000+' : String(requests)),
  newBuild: 'A new version is available.',
  reload: 'Reload',
  notFoundTitle: 'There is no such page',
  notFound: 'Check the address, or go back to your requests.',
  toRequests: 'Go to requests',
  failedTitle: 'This page could not be shown',
  forbiddenTitle: 'You do not have access to this page',
  missingPermission: (permission: string) =>
    `It needs the permission ${permission}. An owner of your organization can grant it.`,
} as const;
