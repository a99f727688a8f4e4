/** English texts of the settings of the organization. */
import { parseDuration } from '../../../../src/domain/durations.ts';
import { countText, someText } from '../../shared/text/numbers.ts';

const UNITS = [
  [24 * 3_600, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** In the largest unit without a rest: `90 minutes`. What is no duration stays as it is. */
function exactDuration(text: string): string {
  const seconds = (parseDuration(text) ?? Number.NaN) / 1_000;
  const [size, unit] = UNITS.find(([each]) => seconds % each === 0) ?? [1, undefined];
  return unit === undefined ? text : someText(seconds / size, unit, `${unit}s`);
}

export const settings = {
  title: 'Organization',
  hint: 'Name, limits and settings that apply to everyone.',
  readOnly: (permission: string) =>
    `You can view these settings. To change them, you need this permission: ${permission}.`,
  save: 'Save',
  saving: 'Saving …',
  saved: 'Saved. The change applies to the next call.',
  discard: 'Discard',
  conflict:
    'Someone else changed the organization in the meantime. Your changes are now on top of theirs. Check them and save again.',
  leaveTitle: 'Leave without saving?',
  leaveWhy: 'You changed settings and did not save them. They are lost when you leave.',
  conflictSame: 'Someone else made the same change meanwhile.',

  identity: 'Name',
  name: 'Name',
  id: 'ID',
  idHint: 'The ID never changes. You need it to delete the organization.',
  created: 'Created',
  edition: 'Edition',
  editions: { open: 'Open', hosted: 'Hosted' },
  renamed: (name: string) => `Pages, emails and messages call the organization “${name}”.`,

  limits: 'Limits and usage',
  limitsHint: 'The operator of this service sets the limits. You set the share of one agent.',
  used: (used: number, limit: number) => `${countText(used)} of ${countText(limit)}`,
  agents: 'Agents',
  agentsHint: 'Archived agents do not count.',
  pending: 'Requests that wait for people',
  pendingHint: 'Above the limit, adapters get 429. Requests that rules decide never count.',
  seats: 'Seats',
  seatsHint: 'Members and pending invitations. Removed members do not count.',
  busiest: 'The agent with the most requests waiting:',
  ofShare: (used: number, limit: number) =>
    `${countText(used)} of the ${countText(limit)} that one agent may have`,
  noneWaits: (limit: number) => `One agent may have ${countText(limit)}. None waits now.`,
  share: 'Share of one agent, in percent',
  shareHint:
    'The largest share of the waiting requests that one agent can have, so that it cannot block others.',
  shareInvalid: 'Enter a whole number from 1 to 100.',
  shareChanged: (was: number, is: number) =>
    `One agent may have ${is} % of the waiting requests, instead of ${was} %.`,

  claims: 'Claims',
  claimsHint: 'While someone holds a claim, no one else is asked.',
  claimTime: 'A claim ends after',
  claimTimeHint: 'From 1 minute to 24 hours.',
  claimChanged: (was: string, is: string) =>
    `New claims hold for ${exactDuration(is)} instead of ${exactDuration(was)}.`,

  signIn: 'Second factor and recent authentication',
  signInHint: 'To change these, you may have to authenticate again.',
  mfa: 'Require a second factor',
  mfaHint:
    'For deciding requests, granting dangerous permissions, and other sensitive operations. Reading never needs one.',
  everyoneHas: (count: number) =>
    `${someText(count, 'active member has', 'active members have')} an authenticator app. No one would be locked out.`,
  without: (without: number, of: number) =>
    `${countText(without)} of ${someText(of, 'active member has', 'active members have')} no authenticator app.`,
  withoutThen:
    'While it is required, they cannot decide requests until they add one under Account, Security. An identity provider may ask them for a second factor, too.',
  mfaOn:
    'People without a second factor can no longer decide requests or do other sensitive operations.',
  mfaOnKeys: 'Personal keys created without a second factor can no longer decide requests.',
  mfaOff: 'A password alone is enough for deciding requests and for sensitive operations.',
  recent: 'An authentication is recent for',
  recentHint:
    'From 1 minute to 24 hours. Dangerous operations then ask again for the password or the second factor.',
  recentChanged: (was: string, is: string) =>
    `Dangerous operations ask again after ${exactDuration(is)} instead of ${exactDuration(was)}.`,

  keys: 'API keys',
  keysHint: 'For keys of members. To change these, you may have to authenticate again.',
  personalKeys: 'Allow personal API keys',
  personalKeysHint: 'Scripts and MCP clients can then act as a member.',
  keysOff:
    'All personal keys are refused from the next call on, including those of connected apps. They work again if you allow them again.',
  keysOn: 'Members can make personal keys, and those that exist work again.',
  life: 'A new key lives at most',
  lives: {
    none: 'No limit',
    '168h': '7 days',
    '720h': '30 days',
    '2160h': '90 days',
    '8760h': '1 year',
    other: 'Another time',
  },
  otherLife: 'At most',
  otherLifeHint: 'From 1 hour to 87,600 hours (10 years).',
  lifeChanged: (is: string) =>
    `New keys live for ${exactDuration(is)} at most. Connected apps pick this up the next time they refresh.`,
  lifeFree: 'New keys may live until someone revokes them.',

  hidden: 'Hidden values',
  hiddenHint:
    'Values of arguments with these names stay hidden on pages until someone asks, and messages never contain them.',
  defaults: 'Common names of secrets',
  defaultsHint: 'Such as password, secret, token, api_key, authorization, cookie and private_key.',
  more: 'More names',
  noMore: 'None.',
  newName: 'Add a name',
  newNameHint:
    'Such as iban, or account number. It also hides longer names that contain it, in upper or lower case.',
  add: 'Add',
  remove: (name: string) => `Remove ${name}`,
  alreadyThere: 'This name is already in the list.',
  defaultsOn: 'Values with common names of secrets are hidden.',
  defaultsOff:
    'Values named password, token and the like are shown on pages and in messages, unless a presentation hides them.',
  nowHidden: (names: readonly string[]) => `Values are also hidden by: ${names.join(', ')}.`,
  nowShown: (names: readonly string[]) => `Values are no longer hidden by: ${names.join(', ')}.`,
  try: 'Try it on arguments',
  tryHint: 'Your text stays on this page.',
  notJson: 'This is not JSON yet.',
  tried: 'People would see:',

  deletion: 'Delete the organization',
  deletionHint: 'Ends access for all its members, agents and programs.',
  open: 'Delete the organization …',
  deleteTitle: 'Delete the organization?',
  ends: [
    'Everyone is signed out, and all members are removed.',
    'All API keys, agent credentials, provisioner tokens and invitations end at once.',
    'Pending requests are cancelled, and adapters receive no more decisions.',
    'The audit log keeps its record.',
    'The service writes a new bootstrap secret for its operator.',
  ],
  endsNow: ({ seats, agents, pending }: { seats: number; agents: number; pending: number }) =>
    `It now has ${someText(seats, 'seat', 'seats')}, ${someText(agents, 'agent', 'agents')} and ${someText(pending, 'waiting request', 'waiting requests')}.`,
  isFinal: 'This cannot be undone.',
  confirmDelete: 'Delete for good',
  deleting: 'Deleting …',
} as const;
