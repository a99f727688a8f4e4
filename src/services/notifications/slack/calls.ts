/** Calls from Slack: verifies their signature, records presses of buttons, and handles commands. */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readClock } from '../../../data/clock.ts';
import { findRequest } from '../../../data/requests/read.ts';
import {
  findMemberWithPolicies,
  type MemberWithPolicies,
} from '../../../data/people/memberships.ts';
import { rememberSlackCall } from '../../../data/notifications/slack/calls.ts';
import { findSlackConnectionOfTeam } from '../../../data/notifications/slack/connections.ts';
import { findSlackLinkOfUser } from '../../../data/notifications/slack/links.ts';
import { insertSlackPress, type SlackPress } from '../../../data/notifications/slack/presses.ts';
import { LONGEST_NOTE } from '../../../domain/requests/approval-requests.ts';
import { authorize, type MemberPrincipal } from '../../../domain/people/authorization.ts';
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import {
  readCommand,
  readInteraction,
  teamOf,
  type SlackInteraction,
  type SlashCommand,
} from '../../../domain/notifications/slack/calls.ts';
import { noteForm } from '../../../domain/notifications/slack/note-form.ts';
import { escapeSlackText, outcomeOf } from '../../../domain/notifications/slack/messages.ts';
import {
  isSignedWith,
  isTimely,
  signatureBytes,
  type SlackRequestSignature,
} from '../../../platform/crypto/slack-signatures.ts';
import { SlackError } from '../../../platform/slack.ts';
import { decideRequest } from '../../requests/decide.ts';
import type { Runtime, MessageContext } from '../../context.ts';
import { requestLink } from '../../links.ts';
import { memberPrincipal } from '../../access/principals.ts';
import { isApprovableInSlack, OPEN_TO_APPROVE } from './approvable.ts';
import { finishSlackLink, removeSlackLinkOf, SLACK_COMMAND } from './links.ts';
import { openSlackSecrets } from './secrets.ts';

const NOTE_TOO_LONG = 'The note is longer than 4,000 characters, so nothing was decided.';
/** Slack gives up after three seconds. */
const COMMAND_MS = 1_500;

/**
 * Returns the calling workspace. Throws 401 unless its app's secret signed the call within five
 * minutes, or when the signature was used before.
 */
async function verify(
  context: MessageContext,
  call: SlackRequestSignature,
): Promise<{ connection: SlackConnection }> {
  const now = await readClock(context.db);
  const teamId = isTimely(call, now) ? teamOf(call.body) : undefined;
  const connection =
    teamId === undefined ? undefined : await findSlackConnectionOfTeam(context.db, teamId);
  if (!connection || !isSignedWith(openSlackSecrets(context, connection).signingSecret, call))
    refuse();
  if (!(await rememberSlackCall(context.db, signatureBytes(call.signature)))) refuse();
  return { connection };
}

function refuse(): never {
  throw new AppError('authentication_required', { detail: 'The call is not signed by Slack.' });
}

/**
 * Records a click or a sent note, and nothing else: Slack waits only three seconds, and a decision can
 * wait longer. `startSlackPresses` handles it, and tells the person.
 */
export async function handleSlackInteraction(
  context: MessageContext,
  call: SlackRequestSignature,
): Promise<void> {
  const { connection } = await verify(context, call);
  const interaction = readInteraction(call.body);
  if (!interaction) return;
  await insertSlackPress(context.db, {
    channelId: connection.channelId,
    pressKey: pressKeyOf(interaction, call),
    interaction,
  });
  context.slackPressed.wake();
}

/** The same press, sent again by Slack, has the same trigger. */
function pressKeyOf(
  { slackUserId, triggerId, action, requestId }: SlackInteraction,
  { signature }: SlackRequestSignature,
): Buffer {
  const trigger = triggerId === '' ? signature : triggerId;
  return createHash('sha256')
    .update(JSON.stringify([slackUserId, trigger, action, requestId]))
    .digest();
}

/**
 * Decides under the rules of every decision, or opens the form for a note. Returns the response to the
 * person, if there is one. A repetition gives the same response. Every refusal is a response; it throws
 * only what a later attempt may not meet.
 */
export async function handlePress(
  context: MessageContext,
  connection: SlackConnection,
  press: SlackPress,
): Promise<string | undefined> {
  const { requestId, slackUserId, note } = press.interaction;
  if (note !== undefined && note.length > LONGEST_NOTE) return NOTE_TOO_LONG;
  const { member, refusal } = await findPresser(context, connection, press);
  if (!member) return refusal;
  const auth = {
    method: 'slack',
    assurance: 'single_factor',
    authenticated_at: press.receivedAt,
  } as const;
  try {
    const principal = memberPrincipal(member, { via: { kind: 'slack', slackUserId }, auth });
    // The decision endpoint checks this before it looks at the request.
    const verdict = authorize(principal, 'request.decide', { kind: 'any' });
    if (!verdict.allowed)
      throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
    const { action } = press.interaction;
    const wanted = { organizationId: connection.organizationId, requestId };
    if (action === 'approve' && !(await isApprovableInSlack(context, wanted)))
      return `${OPEN_TO_APPROVE} <${requestLink(context, requestId)}|Open the request>`;
    return action === 'write_note'
      ? await openNoteForm(context, connection, {
          ...press.interaction,
          membershipId: principal.membershipId,
        })
      : await decide(context, principal, press);
  } catch (error) {
    if (error instanceof AppError && error.code === 'authentication_required')
      return unlinkedText(context, connection);
    const text = error instanceof AppError && refusals[error.code];
    if (!text) throw error;
    return `${text} <${requestLink(context, requestId)}|Open the request>`;
  }
}

type Presser =
  | { readonly member: MemberWithPolicies; readonly refusal?: undefined }
  | { readonly member?: undefined; readonly refusal: string };

/**
 * The member the Slack user pressed for. A link that is newer than the press does not speak for it. The link of another member
 * than the one the message went to does not, either.
 */
async function findPresser(
  context: MessageContext,
  connection: SlackConnection,
  { interaction, receivedAt }: SlackPress,
): Promise<Presser> {
  const { requestId, slackUserId, isForeign, membershipId } = interaction;
  const { organizationId } = connection;
  const find = async (id: string) => await findMemberWithPolicies(context.db, organizationId, id);
  const link = isForeign
    ? undefined
    : await findSlackLinkOfUser(context.db, organizationId, slackUserId);
  const member = link && (await find(link.membershipId));
  if (!member) return { refusal: unlinkedText(context, connection) };
  const named = membershipId ?? link.membershipId;
  if (named === link.membershipId && link.linkedAt <= receivedAt) return { member };
  const before = named === link.membershipId ? undefined : await find(named);
  const page = `<${requestLink(context, requestId)}|Open the request>`;
  return { refusal: `${linkChangedText(member, before)} ${page}` };
}

/** `before`: the member whose message or form it is, where that is another one. */
function linkChangedText(
  { displayName }: MemberWithPolicies,
  before: MemberWithPolicies | undefined,
): string {
  const now = escapeSlackText(displayName);
  return before
    ? `This was sent to ${escapeSlackText(before.displayName)}. Your Slack account is now linked to ${now}, so nothing was decided.`
    : `Your Slack account is now linked to ${now}, and was not when you pressed, so nothing was decided.`;
}

async function openNoteForm(
  context: MessageContext,
  connection: SlackConnection,
  interaction: SlackInteraction,
): Promise<string | undefined> {
  try {
    const { botToken } = openSlackSecrets(context, connection);
    await context.slack.openForm(botToken, interaction.triggerId, noteForm(interaction));
    return undefined;
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const { reason, errorCause } = error;
    context.logger.warn({ reason, errorCause }, 'Slack did not open the form for a note');
    return `Slack could not open the form, and nothing was decided. Try again, or deny in the browser. <${requestLink(context, interaction.requestId)}|Open the request>`;
  }
}

/** A second click shows the outcome of the first. */
async function decide(
  context: MessageContext,
  principal: MemberPrincipal,
  { id, interaction: { requestId, action, note } }: SlackPress,
): Promise<string> {
  const status = action === 'approve' ? 'approved' : 'denied';
  try {
    const { request } = await decideRequest(context, principal, {
      requestId,
      status,
      note,
      // Another attempt at this press gets the outcome of the first.
      idempotencyKey: `slack:${id}`,
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

/** Responses to people who may not decide here. Every other error is ours. */
const refusals: Partial<Record<ErrorCode, string>> = {
  membership_inactive: 'Your membership is not active.',
  mfa_required: 'Your organization requires a second factor. Decide in the browser instead.',
  permission_denied: 'You do not have permission to decide requests.',
  request_not_routed: 'You do not have permission to decide this request.',
  not_found: 'There is no such request, or you do not have permission to decide it.',
  request_evaluating: 'The rules for this request are still running. Try again in a moment.',
};

function unlinkedText({ publicUrl }: Runtime, { organizationName }: SlackConnection): string {
  const name = escapeSlackText(organizationName);
  return `Your Slack account is not linked to a member of ${name}. Sign in at ${publicUrl()}, create a link code, and type \`${SLACK_COMMAND} link CODE\` here.`;
}

/**
 * Handles the slash command. The response is visible only to the person who typed it. What takes
 * longer than Slack waits is told afterwards, a failure too.
 */
export async function handleSlackCommand(
  context: MessageContext,
  call: SlackRequestSignature,
): Promise<string> {
  const { connection } = await verify(context, call);
  const command = readCommand(call.body);
  if (!command) return unlinkedText(context, connection);
  const response = handleCommand(context, connection, command);
  const late = new AbortController();
  const inTime = await Promise.race([
    response,
    delay(COMMAND_MS, undefined, { signal: late.signal }).catch(() => undefined),
  ]).finally(() => {
    late.abort();
  });
  if (inTime !== undefined) return inTime;
  void tellLater(context, command, response);
  return 'This takes longer than usual. The outcome follows here.';
}

async function tellLater(
  context: MessageContext,
  { responseUrl }: SlashCommand,
  response: Promise<string>,
): Promise<void> {
  const text = await response.catch((error: unknown) => {
    context.logger.warn({ err: error }, 'a command of Slack failed');
    return 'The command failed. Try again in a moment.';
  });
  await context.slack.postEphemeral(responseUrl, text).catch((error: unknown) => {
    context.logger.warn({ err: error }, 'the response to a command could not be posted in Slack');
  });
}

async function handleCommand(
  context: MessageContext,
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
  context: MessageContext,
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
