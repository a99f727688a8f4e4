/** English texts of the pages about people. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const people = {
  title: 'People',
  hint: 'Who belongs to your organization.',
  seats: (used: number, limit: number) =>
    `${countText(used)} of ${someText(limit, 'seat is', 'seats are')} taken. Pending invitations count.`,
  invite: 'Invite people',
  search: 'Search people by name or email',
  filters: {
    active: 'Active',
    suspended: 'Suspended',
    deprovisioned: 'Removed',
    all: 'All',
  },
  team: 'Team',
  anyTeam: 'Any team',
  unknownTeam: 'This team',
  columns: {
    name: 'Name',
    email: 'Email',
    status: 'Status',
    factor: 'Second factor',
    teams: 'Teams',
    seen: 'Last seen',
  },
  statuses: { active: 'Active', suspended: 'Suspended', deprovisioned: 'Removed' },
  you: 'you',
  on: 'On',
  off: 'Off',
  never: 'not in 90 days',
  noneOf: {
    active: 'No one is active.',
    suspended: 'No one is suspended.',
    deprovisioned: 'No one was removed.',
    all: 'No one is here yet.',
  },
  noMatch: 'No one matches.',
} as const;

export const person = {
  facts: 'At a glance',
  joined: 'Member since',
  admission: {
    manual: 'added by hand',
    invite: 'by invitation',
    sso_jit: 'by single sign-on',
    directory: 'from the directory',
  },
  factor: 'Second factor',
  seen: 'Last seen',
  owner: 'Owner',
  managed:
    'Your directory manages this person. Suspend, restore or remove them there, and the change arrives here.',
  self: 'This is you. Another person has to suspend or remove you.',
  ownerOnly: 'Only an owner can suspend or remove an owner.',
  removed:
    'This person was removed. What they decided stays on record. A new invitation brings them back.',
  suspended: 'This person is suspended. They keep what they may do, but cannot use it.',
  teams: 'Teams',
  teamsHint: 'They inherit what each team may do.',
  noTeams: 'They are in no team.',
  findTeam: 'Go to teams',
} as const;

export const factor = {
  reset: 'Reset …',
  resetOf: 'Reset the second factor',
  why: 'For someone who lost their phone. First make sure that it is really them who asks: after this, their password alone opens their account.',
  ends: 'Their sessions end. They sign in with their password alone, and can set up an app again.',
  confirm: 'Reset second factor',
  resetting: 'Resetting …',
  done: 'The second factor is removed, and their sessions ended.',
} as const;

export const identities = {
  title: 'Single sign-on',
  hint: 'Who they are at your identity provider.',
  linked: 'linked',
  unlink: 'Unlink …',
  unlinkTitle: 'Unlink from the identity provider',
  ends: 'Their sessions end. API keys stay valid.',
  next: 'The next person who signs in with this email at your provider becomes this member. First make sure that the address is still theirs:',
  confirm: 'Unlink',
  unlinking: 'Unlinking …',
  ownerOnly: 'Only an owner can unlink them.',
  done: 'They are unlinked, and their sessions ended.',
} as const;

export const keys = {
  title: 'Personal API keys',
  hint: 'Keys act as this person, with what they may do.',
  none: 'They have no key that works.',
  all: 'All keys that they made',
} as const;

export const leaving = {
  suspend: 'Suspend …',
  suspendTitle: (name: string) => `Suspend ${name}`,
  suspendWhy:
    'Their sessions and API keys stop at the next call. They keep what they may do, so that you can restore everything.',
  suspendConfirm: 'Suspend',
  suspending: 'Suspending …',
  suspended: (name: string) => `${name} is suspended.`,
  reactivate: 'Reactivate',
  reactivating: 'Reactivating …',
  reactivated: (name: string) => `${name} is active again.`,
  remove: 'Remove …',
  removeTitle: (name: string) => `Remove ${name}`,
  removeConfirm: 'Remove',
  removing: 'Removing …',
  removed: (name: string) => `${name} is removed.`,
  endsSessions: 'They are signed out everywhere, and cannot sign in.',
  endsKeys: (count: number) =>
    someText(count, 'personal API key is revoked.', 'personal API keys are revoked.'),
  endsTeams: 'They leave their teams:',
  endsAccess: 'What they may do is deleted. An invitation brings them back without it.',
  endsClaims: 'Requests that they hold are free again.',
  staysRecord: 'Their decisions and their part of the audit log stay.',
  staysAsked: 'These ask them by name',
  staysAskedHint:
    'Change them first, so that no step asks only someone who cannot decide. If you go on, they keep the name, and their steps skip this person.',
  path: 'Escalation path',
  policy: 'Escalation policy of the team',
  force: 'Go on, although these ask them by name',
  forceMissing: 'Tick this, or first change what asks them.',
} as const;
