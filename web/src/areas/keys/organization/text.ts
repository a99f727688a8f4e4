/** English texts of the organization's API keys. */
export const organization = {
  title: 'API keys of the organization',
  hint: 'All keys that programs use to call this service: personal keys and keys of the organization.',
  own: 'Your own keys',
  create: 'New organization key',
  mayNotIssue: (permission: string) =>
    `You cannot create organization keys. You need this permission: ${permission}.`,
  open: 'In this edition, every key acts as a person. The hosted edition also has keys of the organization.',
  mayNotRead: (permission: string) =>
    `You cannot see existing keys. You need this permission: ${permission}.`,

  search: 'Search by key, person or email',
  filters: { active: 'Working', ending: 'Ends soon', expired: 'Expired', revoked: 'Revoked' },
  kind: 'Kind',
  kinds: { '': 'Any kind', personal: 'Personal', organization: 'Of the organization' },
  by: 'Made by',
  someone: 'this person',
  anyone: 'Show keys of everyone',
  list: 'API keys',
  columns: { name: 'Name', actor: 'Acts as', used: 'Last used', ends: 'Ends', acts: 'Actions' },
  theOrganization: 'The organization',
  programOf: 'A program of',
  noLimit: 'no end',
  unlessRefreshed: 'unless it refreshes',
  endedAt: { revoked: 'revoked', expired: 'expired' },
  never: 'never',
  noneOf: {
    active: 'No key works now.',
    ending: 'No key ends within 14 days.',
    expired: 'No key has expired.',
    revoked: 'No key is revoked.',
  },
  noneHint: 'People make keys for their scripts in their account.',
  noMatch: 'No key matches.',

  everything: 'Can do everything that its person can.',
  nothing: 'Has no permissions now.',

  back: 'All API keys',
  glance: 'At a glance',
  actsAs: 'Acts as',
  madeBy: 'Made by',
  made: 'Made',
  on: (isStrong: boolean) => (isStrong ? 'after a second factor' : 'without a second factor'),
  lastUse: 'Last used',
  ends: 'Ends',
  ended: 'Ended',
  noEnd: 'when someone revokes it',
  ending: {
    manual: 'because someone revoked it',
    membership_deprovisioned: 'because its person was removed',
  },
  may: 'What it may do',
  mayHint: {
    personal: 'Never more than its person can do, and only for their agents and teams.',
    organization: 'The same for every program that uses it.',
  },
  now: 'With the current permissions of its person:',
} as const;

export const issue = {
  title: 'New organization key',
  hint: 'It acts for the organization and keeps working after you leave. It cannot decide requests.',
  steps: { name: '1. What uses it', may: '2. What it may do', until: '3. How long' },
  name: 'Name',
  nameHint: 'Such as a system and where it runs.',
  more: 'Add permissions elsewhere',
  change: 'Change',
  remove: 'Take out',
  open: (number: number) => `Permissions ${number}`,
  reads: 'It reads:',
  dangerous:
    'At least one of these permissions is dangerous. A program with the key can use it without being asked.',
  again: 'You may be asked to authenticate again.',
} as const;
