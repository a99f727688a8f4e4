/** Why messages did not reach people: codes, and their words in every surface. */
import type { ErrorCause } from '../error-causes.ts';
import type { ChannelKind, DeliveryFailure } from '../channels.ts';
import type { DropReason } from './notifications.ts';

/** A message dropped for one of these reasons had no way to its receiver. */
export const NO_WAY_REASONS = [
  'opted_out',
  'not_linked',
  'not_subscribed',
  'channel_disabled',
  'channel_deleted',
  'not_configured',
] as const satisfies readonly DropReason[];

/** The cause of a failure that has no code. */
export const UNKNOWN_CAUSE = 'failed';

/** The cause of an HTTP status that is no success. */
export const statusCause = (status: number): string => `status_${status}`;

interface CauseWords {
  /** What is wrong, after a colon. */
  readonly wrong: string;
  /** What to do about it. */
  readonly todo: string;
}

const NO_ACCESS: CauseWords = {
  wrong: 'Slack no longer accepts the bot token',
  todo: 'Connect Slack again with the current bot token.',
};
const NO_CHANNEL: CauseWords = {
  wrong: 'the channel in Slack does not exist, or the app is not in it',
  todo: 'Invite the app to the channel, or choose another default channel.',
};
const NO_ACCOUNT: CauseWords = {
  wrong: 'the account in Slack is deactivated',
  todo: 'Reactivate the account in Slack, or link another one.',
};
const PUSH_REFUSED: CauseWords = {
  wrong: 'the push service refused the message',
  todo: 'Turn push messages off and on again in that browser.',
};

const WORDS: Readonly<Record<ErrorCause | (typeof NO_WAY_REASONS)[number], CauseWords>> &
  Readonly<Record<string, CauseWords>> = {
  mailbox_refused: {
    wrong: 'the mail server refused the mailbox',
    todo: 'Check the email address, and that its mailbox accepts messages from outside.',
  },
  sender_refused: {
    wrong: 'the mail server refused the sender address',
    todo: 'Let the mail server accept the address of COUNTERSIGN_EMAIL_FROM.',
  },
  message_refused: {
    wrong: 'the mail server refused the message',
    todo: 'Ask who runs the mail server why it refuses messages from Countersign.',
  },
  sign_in_refused: {
    wrong: 'the mail server refused the sign-in',
    todo: 'Correct the user name and password in SMTP_URL.',
  },
  busy: {
    wrong: 'the mail server is not accepting messages for now',
    todo: 'Wait for the next attempt, or ask who runs the mail server.',
  },
  account_inactive: NO_ACCOUNT,
  user_disabled: NO_ACCOUNT,
  user_not_found: {
    wrong: 'Slack does not know the linked account',
    todo: 'Link the account in Slack again.',
  },
  token_revoked: NO_ACCESS,
  token_expired: NO_ACCESS,
  invalid_auth: NO_ACCESS,
  not_authed: NO_ACCESS,
  missing_scope: {
    wrong: 'the Slack app lacks a permission',
    todo: 'Add the scopes of the guide to the Slack app, install it again, and connect it again.',
  },
  is_archived: {
    wrong: 'the channel in Slack is archived',
    todo: 'Unarchive the channel, or choose another default channel.',
  },
  channel_not_found: NO_CHANNEL,
  not_in_channel: NO_CHANNEL,
  team_access_not_granted: {
    wrong: 'the bot token is of the whole Slack organization and has no access to this workspace',
    todo: 'Install the app in the workspace, and connect Slack with the bot token of the workspace.',
  },
  egress_denied: {
    wrong: 'its address is not allowed',
    todo: 'Use a public https address, or allow it with COUNTERSIGN_EGRESS_ALLOW.',
  },
  secrets_key_missing: {
    wrong: 'this deployment has no secrets key',
    todo: 'Set COUNTERSIGN_SECRETS_KEY.',
  },
  secret_unreadable: {
    wrong: 'its secret does not open',
    todo: 'Restore the secrets key that it was stored with, or rotate the secret.',
  },
  opted_out: {
    wrong: 'turned off',
    todo: 'Turn the channel on in the notification settings of the account.',
  },
  not_linked: {
    wrong: 'no account in Slack is linked',
    todo: 'Link the account in Slack on the account page.',
  },
  not_subscribed: {
    wrong: 'no browser gets push messages',
    todo: 'Turn push messages on in a browser.',
  },
  channel_disabled: {
    wrong: 'the channel is disabled',
    todo: 'Enable the channel in the settings of the organization.',
  },
  channel_deleted: {
    wrong: 'the channel was deleted',
    todo: 'Add a channel in the settings of the organization.',
  },
  not_configured: {
    wrong: 'this deployment or organization has not set it up',
    todo: 'Set the channel up, or choose another one.',
  },
  dns: { wrong: 'its host name was not found', todo: 'Check the host name.' },
  refused: { wrong: 'it refused the connection', todo: 'Check that it runs, and its port.' },
  unreachable: { wrong: 'its network is unreachable', todo: 'Check routes and firewalls.' },
  certificate: {
    wrong: 'its certificate is not trusted',
    todo: 'Renew the certificate, or add its authority with NODE_EXTRA_CA_CERTS.',
  },
  tls: { wrong: 'TLS failed', todo: 'Check that the port expects TLS.' },
  reset: { wrong: 'it closed the connection', todo: 'Check its log.' },
  timeout: { wrong: 'it did not respond in time', todo: 'Check that it runs and is reachable.' },
  protocol: { wrong: 'its response was not understood', todo: 'Check host and port.' },
};

/** The words of a cause. Codes of other services that have none are shown as they are. */
export function causeWords({ channel, cause }: DeliveryFailure): CauseWords {
  const known = Object.hasOwn(WORDS, cause) ? WORDS[cause] : undefined;
  if (known) return known;
  const status = /^status_(\d{3})$/.exec(cause)?.[1];
  if (status !== undefined && channel === 'push')
    return { ...PUSH_REFUSED, wrong: `${PUSH_REFUSED.wrong} with status ${status}` };
  if (status !== undefined)
    return {
      wrong: `the receiver returned status ${status}`,
      todo: 'Check the receiver and its log.',
    };
  if (channel === 'slack' && cause !== UNKNOWN_CAUSE)
    return {
      wrong: `Slack returned the error ${cause}`,
      todo: 'Look the error up in Slack’s documentation.',
    };
  return { wrong: 'the message failed', todo: 'See the list of deliveries for the error.' };
}

const NAMES: Readonly<Record<ChannelKind, string>> = {
  email: 'email',
  slack: 'Slack',
  push: 'push messages',
  webhook: 'webhook',
};

/** `email: the mail server refused the mailbox`. */
export const failureText = (failure: DeliveryFailure): string =>
  `${NAMES[failure.channel]}: ${causeWords(failure).wrong}`;
