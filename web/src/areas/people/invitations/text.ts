/** English texts of invitations. */
import { countText, someText } from '../../../shared/text/numbers.ts';

export const invitations = {
  title: 'Invitations',
  hint: 'An invitation is a link that works once and expires after seven days.',
  search: 'Search invitations by email',
  statuses: {
    pending: 'Pending',
    accepted: 'Accepted',
    expired: 'Expired',
    revoked: 'Revoked',
    all: 'All',
  },
  listTitle: 'Sent invitations',
  columns: {
    email: 'Email',
    access: 'What they may do',
    by: 'Invited by',
    expires: 'Expires',
    acts: 'Actions',
  },
  nothingYet: 'Nothing yet',
  owner: 'Everything, as an owner',
  someone: 'a former member',
  state: { accepted: 'Accepted', expired: 'Expired', revoked: 'Revoked' },
  none: 'No invitation is pending.',
  noneHint: 'Enter addresses above to invite people.',
  noMatch: 'No invitation matches.',
  resend: 'Resend',
  resendOf: (email: string) => `Resend invitation for ${email}`,
  resending: 'Resending …',
  resent: (email: string) =>
    `A new link is on its way to ${email}. The earlier one no longer works.`,
  revoke: 'Revoke …',
  revokeOf: (email: string) => `Revoke invitation for ${email}`,
  revokeTitle: 'Revoke invitation',
  revokeEnds: 'The link stops working at once, and its seat is free:',
  revokeConfirm: 'Revoke',
  revoking: 'Revoking …',
  revoked: (email: string) => `The invitation for ${email} is revoked.`,
} as const;

export const invite = {
  title: 'Invite people',
  emails: 'Email addresses',
  emailsHint:
    'Paste one address or a list, with or without names, separated by lines, commas or semicolons.',
  role: 'What they may do',
  roles: {
    reviewer: 'Read and decide requests of all agents',
    agents: 'Read and decide requests of some agents',
    none: 'Nothing yet',
    owner: 'Everything, as an owner',
  },
  roleHint: {
    reviewer: '',
    agents: '',
    none: 'Grant permissions or add them to a team after they join.',
    owner: 'Owners can do everything, including removing other owners.',
  },
  lacking: 'You can only grant permissions that you have yourself.',
  agents: 'Agents',
  agentsMissing: 'Choose at least one agent.',
  noAgents: 'There is no agent yet.',
  found: (count: number) => `${someText(count, 'person', 'people')} to invite`,
  leftOut: (count: number) => `${countText(count)} left out`,
  reasons: {
    invalid: 'not an email address',
    repeated: 'twice in the list',
    member: 'already a member',
    invited: 'already invited',
    tooMany: 'too many at once: invite these later',
  },
  missing: 'Enter at least one email address.',
  noneLeft: 'Everyone in this list is already invited or a member.',
  seats: (free: number) =>
    `Only ${someText(free, 'seat is', 'seats are')} free. The others will be refused.`,
  submit: (count: number) =>
    count === 1 ? 'Invite 1 person' : `Invite ${countText(count)} people`,
  submitNone: 'Invite',
} as const;

export const sending = {
  title: 'Sending invitations',
  doneTitle: 'Invitations sent',
  partTitle: 'Not all invitations were sent',
  progress: (done: number, all: number) => `${countText(done)} of ${countText(all)}`,
  list: 'Results',
  outcome: {
    waiting: 'not sent',
    sending: 'sending …',
    sent: 'invited',
  },
  pausing: (seconds: number) =>
    `waiting ${someText(seconds, 'second', 'seconds')} as the service asks`,
  stop: 'Stop',
  stopping: 'Stopping …',
  retry: (count: number) =>
    count === 1 ? 'Try the remaining one again' : `Try the remaining ${countText(count)} again`,
  others: 'Invite others',
  summary: (sent: number, all: number) =>
    `${countText(sent)} of ${someText(all, 'person is', 'people are')} invited.`,
  leaveTitle: 'Stop inviting?',
  leaveWhy: 'Invitations that were sent stay. The others are not sent.',
  linkOf: (email: string) => `Invitation link for ${email}`,
  links: (count: number) => `${countText(count)} invitation links`,
  sendLink: 'This deployment does not send email. Send each person their link yourself.',
  ifLost: 'If you lose a link, resend the invitation. The earlier link then stops working.',
} as const;
