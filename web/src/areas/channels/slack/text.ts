/** English texts of the page of Slack. */
import { countText, someText } from '../../../shared/text/numbers.ts';

const members = (count: number) => someText(count, 'member', 'members');
const links = (count: number) =>
  count === 1 ? 'The link of 1 member ends' : `The links of ${countText(count)} members end`;
const told = (count: number) => (count === 1 ? 'They get an email' : 'Each of them gets an email');

export const slack = {
  title: 'Slack',
  hint: 'People receive requests in Slack and decide them with buttons.',
  readOnly: 'You can see the connection. To change it, you need the permission',
  noneTitle: 'No Slack workspace is connected.',
  noneHint: 'To connect one, you need the permission',
  noKeyTitle: 'Slack needs a secrets key.',
  noKey:
    'This service has no secrets key, so it cannot store the token and the signing secret. The operator can set COUNTERSIGN_SECRETS_KEY and restart it.',
} as const;

export const connect = {
  title: 'Connect a workspace',
  notPublic: 'Slack calls only public https addresses, and this service is at',
  notPublicTodo:
    'Messages will arrive, but buttons and the command will not work until the operator sets COUNTERSIGN_PUBLIC_URL to a public https address.',
  app: 'Create a Slack app',
  appHint: 'Slack opens with the app filled in. Choose your workspace there and create it.',
  openSlack: 'Open Slack',
  copyManifest: 'Copy the manifest',
  byHand: 'Or enter it by hand',
  byHandHint: 'Create an app from scratch in Slack, and enter these:',
  interactivity: 'Interactivity, request URL',
  command: 'Slash command',
  commandUrl: 'Command, request URL',
  scopes: 'Bot token scopes',
  copyInteractivity: 'Copy the URL for buttons',
  copyCommand: 'Copy the command',
  copyCommandUrl: 'Copy the URL for the command',
  install: 'Install it, and copy its token',
  installHint: 'Open “Install App” in Slack, and install it to the workspace.',
  token: 'Bot user OAuth token',
  tokenHint: 'It starts with xoxb- and is stored encrypted. You cannot see it here again.',
  showToken: 'Show the token',
  signing: 'Copy its signing secret',
  signingHint: 'Open “Basic Information” in Slack, and go to “App Credentials”.',
  secret: 'Signing secret',
  secretHint: 'It proves that a button press comes from Slack. It is stored encrypted.',
  showSecret: 'Show the signing secret',
  announce: 'Choose a channel for everyone (optional)',
  announceHint:
    'Invite the app to a channel in Slack with /invite @Countersign. The ID of the channel is at the end of its details.',
  channel: 'Default channel',
  channelHint:
    'An ID such as C0789JKLM. Each request is announced there, even when the people asked cannot be reached. Leave it empty for no channel.',
  connect: 'Connect Slack',
  connecting: 'Asking Slack …',
  connected: 'Slack is connected. Send a test, then let each member link their own Slack user.',
  taken: 'Another organization of this service has connected this workspace.',
} as const;

export const connection = {
  workspace: 'Workspace',
  bot: 'Bot user',
  channel: 'Default channel',
  noChannel: 'None. Only the people asked get messages.',
  connected: 'Connected',
  changed: 'Last changed',
  test: 'Send a test',
  testing: 'Sending …',
  change: 'Default channel …',
  replace: 'Replace secrets …',
  disconnect: 'Disconnect …',
  off: 'The Slack channel is turned off, so no one gets messages in Slack.',
  toChannels: 'Go to the channels',
} as const;

export const change = {
  title: 'Default channel',
  save: 'Save',
  saving: 'Asking Slack …',
  saved: 'Saved.',
  cancel: 'Cancel',
} as const;

export const replacement = {
  title: 'Replace secrets',
  keep: 'Leave a field empty to keep what is stored.',
  ends: (count: number) =>
    count === 0
      ? 'No one is linked yet, so no link ends.'
      : `${links(count)} when you save another token or secret, because anyone who knows these can press buttons for them. ${told(count)} and can link again.`,
  nothing: 'Enter a new token, a new signing secret, or both.',
  token: 'New bot user OAuth token',
  secret: 'New signing secret',
  replace: 'Replace',
  replacing: 'Asking Slack …',
  replaced: 'Replaced.',
} as const;

export const disconnection = {
  title: 'Disconnect Slack?',
  ends: 'No one gets messages in Slack any more. Earlier messages stay, but their buttons stop working.',
  links: (count: number) =>
    count === 0 ? 'No one is linked.' : `${links(count)}. ${told(count)}.`,
  back: 'To undo this, connect the workspace again. Each member must then link again.',
  disconnect: 'Disconnect Slack',
  disconnecting: 'Disconnecting …',
  disconnected: 'Slack is disconnected.',
} as const;

export const people = {
  title: 'Who gets messages in Slack',
  linked: (linked: number, all: number) =>
    `${countText(linked)} of ${members(all)} have linked their Slack user. Other members get no messages in Slack.`,
  linkOwn: 'Link your own Slack user',
  linkedTitle: 'Linked',
  unlinkedTitle: 'Not linked',
  noOne: 'No one yet.',
  everyone: 'Everyone is linked.',
  each: 'Each member links their own Slack user in their account, under Notifications.',
  user: 'Slack user',
  since: 'linked',
  off: 'They turned Slack messages off.',
  showAll: (count: number) => `Show all ${countText(count)}`,
  more: (count: number) => `And ${countText(count)} more.`,
  unlink: 'Unlink …',
  unlinkOf: (name: string) => `Unlink ${name}`,
  unlinkTitle: 'End this link?',
  unlinkEnds: 'Slack buttons stop working for them until they relink. They get an email.',
  unlinkConfirm: 'Unlink',
  unlinking: 'Unlinking …',
  unlinked: 'The link has ended.',
} as const;
