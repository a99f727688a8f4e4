/**
 * The guide of each page: its id below /docs, with the heading that it is about. A path stands before
 * another one with a parameter that would match it.
 */
export const GUIDES: Readonly<Record<string, string>> = {
  '/': 'web-app#the-queue',
  '/requests/$id': 'web-app#one-request',
  '/home': 'web-app#home',
  '/agents': 'web-app#agents',
  '/agents/$slug': 'agents',
  '/agents/$slug/connect': 'connecting-agents',
  '/agents/$slug/instances': 'agents#see-what-runs',
  '/agents/$slug/tools': 'tools-and-presentations#see-the-catalog',
  '/agents/$slug/activity': 'agents',
  '/demo': 'web-app#the-demo-agent',
  '/rules': 'rules#in-the-browser',
  '/agents/$slug/rules': 'rules#in-the-browser',
  '/paths': 'escalation-paths#in-the-browser',
  '/paths/$pathKey': 'escalation-paths#in-the-browser',
  '/teams/$teamId/policy': 'escalation-paths',
  '/endpoints': 'webhook-endpoints#in-the-browser',
  '/endpoints/$endpointKey': 'webhook-endpoints#in-the-browser',
  '/presentations': 'tools-and-presentations#how-a-request-is-shown',
  '/presentations/$id': 'tools-and-presentations#your-own-presentations',
  '/people': 'people-and-permissions#members',
  '/people/invitations': 'people-and-permissions#invite-people',
  '/people/$id': 'people-and-permissions#members',
  '/teams': 'people-and-permissions#teams',
  '/teams/$teamId': 'people-and-permissions#teams',
  '/account/keys': 'api-keys',
  '/settings': 'people-and-permissions#the-organization',
  '/settings/keys': 'api-keys#in-the-browser',
  '/settings/keys/$id': 'api-keys#in-the-browser',
  '/settings/channels': 'notifications',
  '/settings/slack': 'slack',
  '/settings/deliveries': 'notifications#retries',
  '/settings/audit': 'audit#in-the-browser',
  '/settings/system': 'web-app#audit-log-and-system',
  '/setup': 'quickstart',
  '/enroll': 'connecting-agents',
  '/oauth/consent': 'oauth',
  '/account': 'people-and-permissions',
  '/account/security': 'people-and-permissions',
  '/account/sessions': 'people-and-permissions',
  '/account/notifications': 'notifications#personal-settings',
  '/account/shortcuts': 'web-app#keys',
};

const PATTERNS = Object.entries(GUIDES).map(
  ([path, guide]) =>
    [
      new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+').replace(/\/$/, '')}/?$`, 'i'),
      guide,
    ] as const,
);

/** Of the page at an address. */
export function guideOf(pathname: string): string | undefined {
  return PATTERNS.find(([pattern]) => pattern.test(pathname))?.[1];
}
