/** English texts of the pages about people. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const people = {
  title: 'People',
  hint: 'The members of your organization.',
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
    'This person was removed. Their decisions stay on record. To bring them back, send a new invitation.',
  suspended: 'This person is suspended. They keep their permissions but cannot use them.',
  teams: 'Teams',
  teamsHint: 'Members inherit the permissions of their teams.',
  noTeams: 'They are in no team.',
  findTeam: 'Go to teams',
} as const;

export const factor = {
  reset: 'Reset …',
  resetOf: 'Reset the second factor',
  why: 'For someone who lost their phone. First confirm their identity: after the reset, their password alone opens their account.',
  ends: 'Their sessions end. They sign in with only their password and can set up an authenticator app again.',
  confirm: 'Reset second factor',
  resetting: 'Resetting …',
  done: 'The second factor is removed, and their sessions ended.',
} as const;

export const identities = {
  title: 'Single sign-on',
  hint: 'Their accounts at your identity provider.',
  linked: 'linked',
  unlink: 'Unlink …',
  unlinkTitle: 'Unlink from the identity provider',
  ends: 'Their sessions end. API keys stay valid.',
  next: 'The next person who signs in with this email at your provider becomes this member. First check that this person still owns the address:',
  confirm: 'Unlink',
  unlinking: 'Unlinking …',
  ownerOnly: 'Only an owner can unlink them.',
  done: 'They are unlinked, and their sessions ended.',
} as const;

export const keys = {
  title: 'Personal API keys',
  hint: 'These keys act as this person, with their permissions.',
  none: 'They have no working keys.',
  all: 'All their keys',
} as const;

export const leaving = {
  suspend: 'Suspend …',
  suspendTitle: (name: string) => `Suspend ${name}`,
  suspendWhy:
    'Their sessions and API keys stop at the next call. Their permissions are kept, so you can restore everything.',
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
  endsSessions: 'They are signed out everywhere and cannot sign in.',
  endsKeys: (count: number) =>
    someText(count, 'personal API key is revoked.', 'personal API keys are revoked.'),
  endsTeams: 'They leave their teams:',
  endsAccess: 'Their permissions are deleted. A new invitation does not restore them.',
  endsClaims: 'Their claims are released.',
  staysRecord: 'Their decisions and their audit events are kept.',
  staysAsked: 'These ask them by name',
  staysAskedHint:
    'Change these first, so that no step asks only this person. If you continue, they keep the name and their steps skip this person.',
  path: 'Escalation path',
  policy: 'Escalation policy of the team',
  force: 'Remove anyway, although these ask them by name',
  forceMissing: 'Select this, or change the paths and policies first.',
} as const;
