/** English texts of the pages about API keys. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const keys = {
  title: 'API keys',
  ownHint:
    'A program with a key acts as you. It can never do more than you can, and the key ends when you leave the organization.',
  create: 'New key',
  search: 'Search by name',
  filters: { active: 'Working', expired: 'Expired', revoked: 'Revoked' },
  mine: 'Keys you made',
  programs: 'Connected apps',
  programsHint:
    'Apps that you gave access, such as an MCP client. Each one has its own key and gets a new token every hour.',
  none: 'You have no API key.',
  noneHint: 'Create one for a script, or connect an app that asks you for access.',
  noMatch: 'No key matches.',
  noEnded: { expired: 'None of your keys has expired.', revoked: 'None of your keys is revoked.' },
  notAllowed:
    'Your organization does not allow personal API keys. No one can create one, and existing keys are refused until it allows them again.',
  mayNotIssue: (permission: string) =>
    `You cannot create keys. You need this permission: ${permission}.`,

  everything: 'Can do everything that you can.',
  may: (list: readonly string[]) => `May ${list.join('; ')}.`,
  more: (count: number) => `and ${countText(count)} more`,
  weak: 'Created without a second factor. While your organization requires one, this key cannot decide requests.',

  revoke: 'Revoke',
  revokeMore: 'Revoke …',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: 'Revoke this key?',
  revokeWhy: 'A program that uses it is refused at its next call. This cannot be undone.',
  removeTitle: 'Revoke the access of this program?',
  removeWhy: 'The app is refused at its next call. To reconnect, it must ask for access again.',
  confirmRevoke: 'Revoke the key',
  confirmRemove: 'Revoke access',
  revoking: 'Revoking …',
  keep: 'Keep it',
  revoked: (name: string) => `${name} is revoked.`,
} as const;

export const issue = {
  title: 'New key',
  name: 'Name',
  nameHint: 'What it is for, such as a script and where it runs.',
  may: 'What it may do',
  choices: { read: 'Read only', chosen: 'Selected permissions', all: 'Everything I can' },
  open: 'In this edition, a key can do everything that you can, including permissions you get later.',
  all: 'The key can do everything that you can, including permissions you get later. Choose fewer if the program needs fewer.',
  where: 'These permissions apply to the agents and teams you have access to.',
  chosen: (count: number) => someText(count, 'permission selected.', 'permissions selected.'),
  none: 'Choose at least one permission.',
  dangerous: 'dangerous',
  sensitive:
    'This key can decide requests or has a dangerous permission. You may be asked to authenticate again.',
  expiry: 'Expires',
  days: (days: number) => (days === 365 ? 'In 1 year' : `In ${days} days`),
  date: 'On a date',
  never: 'Never',
  latest: 'As late as allowed',
  limit: 'Your organization or its operator limits how long keys live. The latest is',
  dateLabel: 'Last day',
  submit: 'Create key',
  busy: 'Creating …',
  cancel: 'Cancel',
  issued: (name: string) => `Key ${name}`,
  ifLost: 'If you lose it, revoke the key and create another one.',
} as const;
