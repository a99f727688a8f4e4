/** English texts of invitations. */
import { countText, someText } from '../../../shared/text/numbers.ts';

export const invitations = {
  title: 'Invitations',
  hint: 'An invitation is a link that works once, within seven days.',
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
    'One, or a list as you copied it: with or without names, divided by lines, commas or semicolons.',
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
    none: 'You choose what they may do after they joined, or put them into a team.',
    owner: 'Owners can do everything, also remove other owners.',
  },
  lacking: 'You can give only what you may do yourself.',
  agents: 'Agents',
  agentsMissing: 'Choose at least one agent.',
  noAgents: 'There is no agent yet.',
  found: (count: number) => `${someText(count, 'person', 'people')} to invite`,
  leftOut: (count: number) => `${countText(count)} left out`,
  reasons: {
    invalid: 'no email address',
    repeated: 'twice in the list',
    member: 'is a member already',
    invited: 'is invited already',
    tooMany: 'too many at once: invite them afterwards',
  },
  missing: 'Enter at least one email address.',
  noneLeft: 'No one in this list is left to invite.',
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
  list: 'What became of each',
  outcome: {
    waiting: 'not sent',
    sending: 'sending …',
    sent: 'invited',
  },
  pausing: (seconds: number) =>
    `the service asks to wait ${someText(seconds, 'second', 'seconds')}`,
  stop: 'Stop',
  stopping: 'Stopping …',
  retry: (count: number) =>
    count === 1
      ? 'Try the one that is left again'
      : `Try the ${countText(count)} that are left again`,
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
