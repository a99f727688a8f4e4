/** Calls from Slack: verifies their signature, and handles buttons and commands. */
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
import { requestLink } from '../../links.ts';
import { memberPrincipal } from '../../people/principals.ts';
import { finishSlackLink, removeSlackLinkOf, SLACK_COMMAND } from './links.ts';
import { openSlackSecrets } from './secrets.ts';

/**
 * Returns the calling workspace. Throws 401 unless its app's secret signed the call within five
 * minutes, or when the signature was used before.
 */
async function verify(
  context: ServiceContext,
  call: SlackRequestSignature,
): Promise<{ connection: SlackConnection; now: Date }> {
  const now = await readClock(context.db);
  const teamId = isTimely(call, now) ? teamOf(call.body) : undefined;
  const connection =
    teamId === undefined ? undefined : await findSlackConnectionOfTeam(context.db, teamId);
  if (!connection || !isSignedWith(openSlackSecrets(context, connection).signingSecret, call))
    refuse();
  if (!(await rememberSlackCall(context.db, signatureBytes(call.signature)))) refuse();
  return { connection, now };
}

function refuse(): never {
  throw new AppError('authentication_required', { detail: 'The call is not signed by Slack.' });
}

/** Handles a button click. The answer is posted in Slack, soon after this resolves. */
export async function handleSlackInteraction(
  context: ServiceContext,
  call: SlackRequestSignature,
): Promise<void> {
  const { connection, now } = await verify(context, call);
  const click = readButtonClick(call.body);
  if (!click) return;
  const text = await handleButton(context, { connection, click, now });
  context.slack.postEphemeral(click.responseUrl, text).catch((error: unknown) => {
    context.logger.warn(
      { err: error, approvalRequest: click.requestId },
      'the answer to a button could not be posted in Slack',
    );
  });
}

interface HandledClick {
  readonly connection: SlackConnection;
  readonly click: ButtonClick;
  readonly now: Date;
}

/** Decides under the rules of every decision. Returns the answer to the person. */
async function handleButton(
  context: ServiceContext,
  { connection, click, now }: HandledClick,
): Promise<string> {
  const { requestId, status, slackUserId, isForeign } = click;
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
    // The decision endpoint checks this before it looks at the request.
    const verdict = authorize(principal, 'request.decide', { kind: 'any' });
    if (!verdict.allowed)
      throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
    return await decide(context, principal, { requestId, status });
  } catch (error) {
    if (error instanceof AppError && error.code === 'authentication_required')
      return unlinkedText(context, connection);
    const text = error instanceof AppError && refusals[error.code];
    if (!text) throw error;
    return `${text} <${requestLink(context, requestId)}|Open the request>`;
  }
}

/** A second click answers with the outcome of the first. */
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
    return `${again ? '' : 'This request is already closed. '}${escapeSlackText(outcomeOf(found.request))}.`;
  }
}

/** Answers for people who may not decide here. Every other error is ours. */
const refusals: Partial<Record<ErrorCode, string>> = {
  membership_inactive: 'Your membership is not active.',
  mfa_required: 'Your organization requires a second factor. Decide in the browser instead.',
  permission_denied: 'You do not have permission to decide requests.',
  request_not_routed: 'You do not have permission to decide this request.',
  not_found: 'You do not have permission to decide this request.',
  request_evaluating: 'The rules for this request are still running. Try again in a moment.',
};

function unlinkedText({ publicUrl }: Runtime, { organizationName }: SlackConnection): string {
  const name = escapeSlackText(organizationName);
  return `Your Slack account is not linked to a member of ${name}. Sign in at ${publicUrl()}, create a link code, and type \`${SLACK_COMMAND} link CODE\` here.`;
}

/** Handles the slash command. The answer is visible only to the person who typed it. */
export async function handleSlackCommand(
  context: ServiceContext,
  call: SlackRequestSignature,
): Promise<string> {
  const { connection } = await verify(context, call);
  const command = readCommand(call.body);
  if (!command) return unlinkedText(context, connection);
  return await handleCommand(context, connection, command);
}

async function handleCommand(
  context: ServiceContext,
  connection: SlackConnection,
  { verb, slackUserId, argument }: SlashCommand,
): Promise<string> {
  switch (verb) {
    case 'link': {
      const outcome = await finishSlackLink(context, connection, { slackUserId, code: argument });
      if (outcome.kind !== 'linked') return linkFailures[outcome.kind];
      const who = `${escapeSlackText(outcome.displayName)} (${escapeSlackText(outcome.email)})`;
      return `Your Slack account is now linked to ${who}, and your decisions here count as theirs. If this is not you, type \`${SLACK_COMMAND} unlink\` now.`;
    }
    case 'unlink':
      return (await removeSlackLinkOf(context, connection, slackUserId))
        ? 'Your Slack account is no longer linked.'
        : 'Your Slack account was not linked.';
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
    ? `Your Slack account is linked. To remove the link, type \`${SLACK_COMMAND} unlink\`.`
    : unlinkedText(context, connection);
}

const linkFailures = {
  wrong_code:
    'This code is wrong, already used or expired. Create a new one in the browser; it lasts ten minutes.',
  too_many_tries: 'Too many attempts. Try again in ten minutes.',
  taken: `Your Slack account is already linked to another member. Type \`${SLACK_COMMAND} unlink\` first.`,
} as const;
