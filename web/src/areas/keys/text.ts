/** English texts of the pages about API keys. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const keys = {
  title: 'API keys',
  ownHint:
    'With a key, a program acts as you. It can never do more than you can, and it ends when you leave the organization.',
  create: 'New key',
  search: 'Search by name',
  filters: { active: 'Working', expired: 'Expired', revoked: 'Revoked' },
  mine: 'Keys you made',
  programs: 'Programs you let in',
  programsHint:
    'These asked you for access, for example an MCP client. Each holds a key of yours and gets a new token every hour.',
  none: 'You have no API key.',
  noneHint: 'Make one for a script, or let a program ask you for access.',
  noMatch: 'No key matches.',
  noEnded: { expired: 'None of your keys has expired.', revoked: 'None of your keys is revoked.' },
  notAllowed:
    'Your organization does not allow personal API keys. No one can make one, and existing keys are refused until it allows them again.',
  mayNotIssue: (permission: string) =>
    `You cannot make keys, because you lack this permission: ${permission}.`,

  everything: 'May do everything that you can.',
  may: (list: readonly string[]) => `May ${list.join('; ')}.`,
  more: (count: number) => `and ${countText(count)} more`,
  weak: 'Made without a second factor. While your organization requires one, this key cannot decide requests.',

  revoke: 'Revoke',
  revokeMore: 'Revoke …',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: 'Revoke this key?',
  revokeWhy: 'A program that uses it is refused at its next call. This cannot be undone.',
  removeTitle: 'Revoke the access of this program?',
  removeWhy: 'It is refused at its next call. To come back, it must ask for access again.',
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
  choices: { read: 'Only read', chosen: 'What I choose', all: 'Everything I can' },
  open: 'In this edition, a key can do everything that you can, also what you are allowed later.',
  all: 'It can do everything that you can, also what you are allowed later. Choose less if the program needs less.',
  where: 'It may do this wherever you may, at the agents and teams that you have.',
  chosen: (count: number) => someText(count, 'permission chosen.', 'permissions chosen.'),
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
  ifLost: 'If you lose it, revoke the key and make another one.',
} as const;
