/** English texts of the pages of notification channels. */
import { someText } from '../../shared/text/numbers.ts';

const messages = (number: number) => someText(number, 'message', 'messages');

type Counts = Readonly<
  Record<'delivered_count' | 'dead_count' | 'waiting_count' | 'dropped_count', number>
>;

export const channels = {
  title: 'Notification channels',
  hint: 'How people and programs learn about pending requests. Each member can turn email, Slack and push messages on or off.',
  create: 'New webhook',
  kinds: { email: 'Email', webhook: 'Webhook', slack: 'Slack', push: 'Push messages' },
  states: {
    on: 'On',
    off: 'Off',
    not_set_up: 'Not set up',
    failing: 'Last message failed',
    retrying: 'Trying again',
  },
  who: {
    email:
      'Each person who is asked gets an email, unless they turned email off. After five emails in a minute, one digest lists the rest.',
    webhook:
      'This URL gets a signed message for each person who is asked, and one for the decision.',
    slack:
      'Each person who is asked and linked their Slack user gets a message with buttons, unless they turned Slack off.',
    push: 'Each browser that a person added gets a message without arguments, unless they turned push messages off.',
  },
  withArguments: 'It includes the arguments of the call; hidden values stay hidden.',
  withoutArguments: 'It does not include the arguments of the call.',
  not_set_up: 'This service cannot send these messages. The operator can turn them on with',
  and: 'and',
  absent: {
    slack: 'No Slack workspace is connected.',
    push: 'This channel appears when the first person adds a browser.',
  },
  addBrowser: 'Add this browser in your account',
  connectSlack: 'Connect Slack',
  url: 'URL',
  secretSince: 'Signing secret since',
  previousUntil: 'The previous secret also signs until',
  recent: (recent: Counts): string => {
    const parts = [
      [recent.delivered_count, 'delivered'],
      [recent.dead_count, 'could not be delivered'],
      [recent.waiting_count, 'waiting'],
      [recent.dropped_count, 'no longer needed'],
    ] as const;
    const all = parts.reduce((sum, [number]) => sum + number, 0);
    if (all === 0) return 'Nothing was sent in the last 30 days.';
    const told = parts.filter(([number]) => number > 0).map((part) => part.join(' '));
    return `Latest ${messages(all)}: ${told.join(', ')}.`;
  },
  recorded: 'Recorded as:',
  deliveries: 'See deliveries',
  deliveriesOf: (name: string) => `See deliveries of ${name}`,
  test: 'Send a test',
  testOf: (name: string) => `Send a test over ${name}`,
  testing: 'Sending …',
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  turnOff: 'Turn off',
  turnOffOf: (name: string) => `Turn off ${name}`,
  turnOn: 'Turn on',
  turnOnOf: (name: string) => `Turn on ${name}`,
  moreOf: (name: string) => `More for ${name}`,
  rotate: 'Replace the signing secret …',
  storeFirst: 'Store the new secret first.',
  delete: 'Delete …',
  turnedOff: 'The channel is off. Pending messages were dropped.',
  turnedOn: 'The channel is on.',
  saved: 'Saved.',
  deleted: 'The channel is deleted.',
  readOnly: 'You can see the channels. To change them, you need the permission',
} as const;

export const form = {
  createTitle: 'New webhook',
  editTitle: 'Edit the webhook',
  renameTitle: 'Rename the channel',
  name: 'Name',
  nameHint: 'Shown in this list.',
  url: 'URL',
  urlHint: 'A public https address that accepts POST. It is checked now and for each message.',
  arguments: 'Include the arguments of the call',
  argumentsHint:
    'Exactly as the agent sent them. Without them, the receiver can read the request from the API.',
  create: 'Create',
  creating: 'Creating …',
  save: 'Save',
  saving: 'Saving …',
  cancel: 'Cancel',
} as const;

export const secret = {
  newOf: (name: string) => `Signing secret of ${name}`,
  ifLost:
    'Your receiver needs it to detect forged messages. If you lose it, replace it in the menu of the channel.',
  atOnce: 'Your receiver refuses messages until it has the new secret.',
} as const;

export const removal = {
  title: 'Delete this channel?',
  ends: 'The URL gets no more messages, and its signing secret is deleted.',
  waiting: (number: number) =>
    number === 0 ? 'No message is waiting.' : `${messages(number)} will be dropped.`,
  back: 'This cannot be undone. To keep the channel, turn it off instead.',
  delete: 'Delete channel',
  deleting: 'Deleting …',
} as const;

export const test = {
  delivered: 'The test message arrived',
  failed: 'The test message did not arrive',
  after: (ms: number) => `after ${ms} ms`,
  status: (status: number) => `status ${status}`,
  said: 'The receiver said:',
  to: {
    email: 'Check your inbox, too: a mail server can accept a message and drop it.',
    webhook: 'The receiver got a signed message of type notification_channel.test.',
    slack:
      'Look in your conversation with the app, or in the default channel if you are not linked.',
    push: 'Your browsers show it.',
  },
} as const;
