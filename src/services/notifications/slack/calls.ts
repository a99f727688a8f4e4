/** Calls from Slack: that they come from there, and what a button or a command does. */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import { randomUUID } from 'node:crypto';
import { readClock } from '../../../data/clock.ts';
import { findRequest } from '../../../data/requests/read.ts';
import { findMemberWithPolicies } from '../../../data/people/memberships.ts';
import { rememberSlackCall } from '../../../data/notifications/slack/calls.ts';
import { findSlackConnectionOfTeam } from '../../../data/notifications/slack/connections.ts';
import { findSlackLinkOfUser } from '../../../data/notifications/slack/links.ts';
import { authorize, type MemberPrincipal } from '../../../domain/people/authorization.ts';
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import {
  readCommand,
  readButtonClick,
  teamOf,
  type ButtonClick,
  type SlashCommand,
} from '../../../domain/notifications/slack/calls.ts';
import { escapeSlackText, outcomeOf } from '../../../domain/notifications/slack/messages.ts';
import {
  isSignedWith,
  isTimely,
  signatureBytes,
  type SlackRequestSignature,
} from '../../../platform/crypto/slack-signatures.ts';
import { decideRequest } from '../../requests/decide.ts';
import type { Runtime, ServiceContext } from '../../context.ts';
import { memberPrincipal } from '../../people/member-principals.ts';
import { finishSlackLink, removeSlackLinkOf, SLACK_COMMAND } from './links.ts';
import { openSlackSecrets } from './secrets.ts';

/**
 * Whose workspace the call comes from. Throws 401 unless Slack signed it within five minutes with the secret of that
 * workspace's app, and when the signature was taken before.
 */
async function verify(
  context: ServiceContext,
  proof: SlackRequestSignature,
): Promise<{ connection: SlackConnection; now: Date }> {
  const now = await readClock(context.db);
  const teamId = isTimely(proof, now) ? teamOf(proof.body) : undefined;
  const connection =
    teamId === undefined ? undefined : await findSlackConnectionOfTeam(context.db, teamId);
  if (!connection || !isSignedWith(openSlackSecrets(context, connection).signingSecret, proof))
    refuse();
  if (!(await rememberSlackCall(context.db, signatureBytes(proof.signature)))) refuse();
  return { connection, now };
}

function refuse(): never {
  throw new AppError('authentication_required', { detail: 'The call is not signed by Slack.' });
}

/** Somebody pressed a button. What comes of it he is told in Slack, soon after this resolves. */
export async function handleSlackInteraction(
  context: ServiceContext,
  proof: SlackRequestSignature,
): Promise<void> {
  const { connection, now } = await verify(context, proof);
  const pressed = readButtonClick(proof.body);
  if (!pressed) return;
  const text = await press(context, { connection, pressed, now });
  context.slack.postEphemeral(pressed.responseUrl, text).catch((error: unknown) => {
    context.logger.warn(
      { err: error, approvalRequest: pressed.requestId },
      'what came of a button in Slack could not be said there',
    );
  });
}

interface Press {
  readonly connection: SlackConnection;
  readonly pressed: ButtonClick;
  readonly now: Date;
}

/** Decides as anybody decides. Answers what the person is told. */
async function press(
  context: ServiceContext,
  { connection, pressed, now }: Press,
): Promise<string> {
  const { requestId, status, slackUserId, isForeign } = pressed;
  const link = isForeign
    ? undefined
    : await findSlackLinkOfUser(context.db, connection.organizationId, slackUserId);
  const member =
    link &&
    (await findMemberWithPolicies(context.db, connection.organizationId, link.membershipId));
  if (!member) return unlinkedText(context, connection);
  const auth = { method: 'slack', assurance: 'single_factor', authenticated_at: now } as const;
  try {
    const principal = memberPrincipal(member, { via: { kind: 'slack', slackUserId }, auth });
    // What the decision endpoint asks before it looks at the request.
    const verdict = authorize(principal, 'request.decide', { kind: 'any' });
    if (!verdict.allowed)
      throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
    return await decide(context, principal, { requestId, status });
  } catch (error) {
    if (error instanceof AppError && error.code === 'authentication_required')
      return unlinkedText(context, connection);
    const text = error instanceof AppError && refusals[error.code];
    if (!text) throw error;
    return `${text} ${linkTo(context, requestId)}`;
  }
}

/** A second press says what the first one came to. */
async function decide(
  context: ServiceContext,
  principal: MemberPrincipal,
  { requestId, status }: { readonly requestId: string; readonly status: 'approved' | 'denied' },
): Promise<string> {
  try {
    const { request } = await decideRequest(context, principal, {
      requestId,
      status,
      channel: 'slack',
      idempotencyKey: `slack:${randomUUID()}`,
    });
    return `${escapeSlackText(outcomeOf(request))}.`;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'already_terminal') throw error;
    const found = await findRequest(context.db, requestId);
    if (!found) throw error;
    const { decision } = found.request;
    const again = decision?.membershipId === principal.membershipId && decision.status === status;
    return `${again ? '' : 'Nothing was changed. '}${escapeSlackText(outcomeOf(found.request))}.`;
  }
}

const linkTo = ({ publicUrl }: Runtime, requestId: string): string =>
  `<${publicUrl()}/requests/${requestId}|Open the request>`;

/** What somebody hears who may not decide here. Everything else is a failure of ours. */
const refusals: Partial<Record<ErrorCode, string>> = {
  membership_inactive: 'Your membership is not active.',
  mfa_required:
    'Your organization requires a second factor, which Slack has none of: decide in the browser.',
  permission_denied: 'You may not decide requests.',
  request_not_routed: 'You may not decide this request.',
  not_found: 'You may not decide this request.',
  request_evaluating: 'The rules are still looking at this request: try again.',
};

function unlinkedText({ publicUrl }: Runtime, { organizationName }: SlackConnection): string {
  const name = escapeSlackText(organizationName);
  return `Your Slack user is linked to no member of ${name}. Sign in at ${publicUrl()}, ask for a code there, and type \`${SLACK_COMMAND} link CODE\` here.`;
}

/** Somebody typed the command. Answers what he alone is told. */
export async function handleSlackCommand(
  context: ServiceContext,
  proof: SlackRequestSignature,
): Promise<string> {
  const { connection } = await verify(context, proof);
  const command = readCommand(proof.body);
  if (!command) return unlinkedText(context, connection);
  return await obey(context, connection, command);
}

async function obey(
  context: ServiceContext,
  connection: SlackConnection,
  { verb, slackUserId, argument }: SlashCommand,
): Promise<string> {
  switch (verb) {
    case 'link': {
      const outcome = await finishSlackLink(context, connection, { slackUserId, code: argument });
      if (outcome.kind !== 'linked') return linkFailures[outcome.kind];
      const who = `${escapeSlackText(outcome.displayName)} (${escapeSlackText(outcome.email)})`;
      return `Linked: what you decide here is decided by ${who}. If that is not you, type \`${SLACK_COMMAND} unlink\` at once.`;
    }
    case 'unlink':
      return (await removeSlackLinkOf(context, connection, slackUserId))
        ? 'Unlinked.'
        : 'Your Slack user was linked to nobody.';
    case 'help':
      return unlinkedOrHelp(context, connection, slackUserId);
  }
}

async function unlinkedOrHelp(
  context: ServiceContext,
  connection: SlackConnection,
  slackUserId: string,
): Promise<string> {
  const link = await findSlackLinkOfUser(context.db, connection.organizationId, slackUserId);
  return link
    ? `Your Slack user is linked. \`${SLACK_COMMAND} unlink\` ends that.`
    : unlinkedText(context, connection);
}

const linkFailures = {
  wrong_code:
    'This code is wrong, used or older than ten minutes. Ask for a new one in the browser.',
  too_many_tries: 'Too many tries: wait ten minutes.',
  taken: `Your Slack user is linked to another member already. Type \`${SLACK_COMMAND} unlink\` first.`,
} as const;
