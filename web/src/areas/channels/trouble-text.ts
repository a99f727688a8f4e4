/** What went wrong with a message, in plain words, and what to do about it. */
import {
  connectionFailures,
  failure,
  type FailureText,
} from '../../shared/api/connection-failures.ts';
import type { Trouble } from './trouble.ts';

/** Their causes say more. */
const WITHOUT_RESPONSE: ReadonlySet<string> = new Set(['connection_failed', 'egress_denied']);

const SECRETS_KEY = failure(
  'This service has no key for secrets.',
  'Ask its operator to set COUNTERSIGN_SECRETS_KEY.',
);

const CODES: Readonly<Record<string, FailureText>> = {
  timeout: failure(
    'No response came within 10 seconds.',
    'Let the receiver respond before it does its work, then send a test again.',
  ),
  egress_denied: failure(
    'The service may not call this address, because it is private or special.',
    'Use a public https address, or ask the operator to allow this one in COUNTERSIGN_EGRESS_ALLOW.',
  ),
  connection_failed: failure(
    'The connection failed.',
    'Check that the receiver runs, and that the service can reach it.',
  ),
  secrets_key_missing: SECRETS_KEY,
  secret_unreadable: failure(
    'The signing secret was sealed under another key of the service.',
    'Ask the operator to restore that key, or replace the secret.',
  ),
  channel_deleted: failure('The channel was deleted.', 'Go back to the list of channels.'),
  email_not_configured: failure(
    'This service does not send email.',
    'Ask its operator to set SMTP_URL and COUNTERSIGN_EMAIL_FROM.',
  ),
  email_not_delivered: failure(
    'The mail server did not take the email.',
    'Read what it said. If the address is right, ask the operator to look at the mail server.',
  ),
  not_linked: failure(
    'You have not linked your Slack user, and there is no default channel.',
    'Link your Slack user in your account, then send a test again.',
  ),
  not_subscribed: failure(
    'No browser of yours receives push messages.',
    'Add this browser in your account, then send a test again.',
  ),
  unknown_push_service: failure(
    'The browser uses a push service that this service does not know.',
    'Ask the operator to allow its host in COUNTERSIGN_PUSH_HOSTS.',
  ),
  no_answer: failure(
    'Slack did not respond.',
    'Try again in a minute. If it stays so, check that the service can reach Slack.',
  ),
  channel_not_found: failure(
    'Slack does not know the default channel, or the app is not in it.',
    'Check the id of the channel, and invite the app to it.',
  ),
  not_in_channel: failure(
    'The app is not in the default channel.',
    'Invite the app to it in Slack.',
  ),
  is_archived: failure(
    'The default channel is archived.',
    'Choose another one in the settings of Slack.',
  ),
  missing_scope: failure(
    'The Slack app lacks a scope.',
    'Give it chat:write, im:write and commands, and install it again.',
  ),
  invalid_auth: failure(
    'Slack no longer accepts the bot token.',
    'Install the app again, and save its new token in the settings of Slack.',
  ),
  ratelimited: failure('Slack takes no more messages for now.', 'Try again in a minute.'),
  failed: failure(
    'The message could not be sent.',
    'Try again. If it stays so, ask the operator to look at the logs of the service.',
  ),
};

/** Other names that Slack has for the same. */
const ALIASES: Readonly<Record<string, string>> = {
  account_inactive: 'invalid_auth',
  token_revoked: 'invalid_auth',
  token_expired: 'invalid_auth',
  not_authed: 'invalid_auth',
  rate_limited: 'ratelimited',
  email_failed: 'email_not_delivered',
};

function textOfStatus(status: number): FailureText {
  const fact = `The receiver responded with status ${status}.`;
  if (status >= 300 && status < 400)
    return failure(fact, 'Redirects are not followed: enter the address that it points to.');
  if (status === 401 || status === 403)
    return failure(
      fact,
      'Check that the receiver accepts the signature, and has the current secret.',
    );
  if (status === 404 || status === 410)
    return failure(fact, 'Check the path in the URL: nothing receives messages there.');
  if (status === 429) return failure(fact, 'It takes no more messages for now. Try again later.');
  return failure(
    fact,
    status >= 500
      ? 'Look at the logs of the receiver.'
      : 'Look at why the receiver refuses the message.',
  );
}

const textOfCause = (cause: string): FailureText | undefined =>
  Object.entries(connectionFailures).find(([name]) => name === cause)?.[1];

export function troubleText({ kind, code, cause = '', status }: Trouble): FailureText {
  if (code === 'unexpected_status' && status !== undefined) return textOfStatus(status);
  const known = ALIASES[code] ?? code;
  if (known === 'not_configured')
    return kind === 'slack'
      ? failure('Slack is not connected.', 'Connect a workspace in the settings of Slack.')
      : SECRETS_KEY;
  return (
    (WITHOUT_RESPONSE.has(known) ? textOfCause(cause) : undefined) ??
    CODES[known] ??
    (kind === 'slack'
      ? failure(
          `Slack refused the message (${/^\w{1,60}$/.test(code) ? code : 'unknown'}).`,
          'Look the code up in the documents of Slack, then check the app there.',
        )
      : failure('The message could not be sent.', 'Ask the operator to look at the logs.'))
  );
}
