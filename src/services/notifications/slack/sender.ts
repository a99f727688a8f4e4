/** Sends Slack messages: to linked people, and to the organization's default channel. */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import type { SlackLink } from '../../../domain/notifications/slack/links.ts';
import { findSlackConnection } from '../../../data/notifications/slack/connections.ts';
import { findSlackLink, setDirectChannel } from '../../../data/notifications/slack/links.ts';
import {
  closeMessage,
  findOpenMessages,
  giveUpPosting,
  isPosted,
  type MessagePlace,
  type OpenMessage,
} from '../../../data/notifications/slack/messages.ts';
import {
  decidedMessage,
  askingMessage,
  SLACK_ROOM,
  digestMessage,
  testMessage,
  ranDifferentlyMessage,
  unreachableMessage,
  withOccasion,
  withRequesterNotice,
  type SlackText,
} from '../../../domain/notifications/slack/messages.ts';
import { announcedDigestTitle, digestTitle } from '../../../domain/notifications/digests.ts';
import { unlessAborted } from '../../../platform/abort.ts';
import { SlackError, type PostedMessage, type SlackApi } from '../../../platform/slack.ts';
import type { MessageContext } from '../../context.ts';
import type { SendContext, SendStatements } from '../statements.ts';
import type {
  AnnouncedDelivery,
  ChannelSender,
  DecidedDelivery,
  Delivery,
  DigestDelivery,
  NotifiedDelivery,
  RanDifferentlyDelivery,
  SendOutcome,
  TestMessage,
  TestOutcome,
  UnreachableAnnouncedDelivery,
  UnreachableDelivery,
} from '../sender.ts';
import { textOfRequest } from '../shown-request.ts';
import { openSlackSecrets } from './secrets.ts';

/** A connection with its token unsealed. */
interface Workspace {
  readonly connection: SlackConnection;
  readonly botToken: string;
}

/** Undefined when this connection is no longer the channel's, or there is no secrets key. */
function openWorkspace(
  context: MessageContext,
  connection: SlackConnection | undefined,
  channelId: string,
): Workspace | undefined {
  if (connection?.channelId !== channelId || !context.secrets) return undefined;
  return { connection, botToken: openSlackSecrets(context, connection).botToken };
}

async function send(
  context: SendContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const connection = await context.statements.slackConnection(delivery.organizationId);
  const workspace = openWorkspace(context, connection, delivery.channelId);
  if (!workspace) return { kind: 'dropped', reason: 'not_configured' };
  try {
    // Work under way continues after the signal, so that what Slack has accepted is still recorded.
    return await unlessAborted(signal, () => deliver(context, { workspace, signal }, delivery));
  } catch (error) {
    if (error instanceof SlackError) return toFailure(error);
    if (signal.aborted) return { kind: 'failed', error: 'interrupted' };
    throw error;
  }
}

interface Sending {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

async function deliver(
  context: SendContext,
  sending: Sending,
  delivery: Delivery,
): Promise<SendOutcome> {
  switch (delivery.event) {
    case 'notified':
    case 'unreachable':
    case 'ran_differently':
      return await askPerson(context, sending, delivery);
    case 'announced':
    case 'unreachable_announced':
      return await announce(context, sending, delivery);
    case 'decided':
      return await showDecision(context, sending, delivery);
    case 'digest':
      return await postDigest(context, sending, delivery);
  }
}

/** A refusal needs a change in Slack or of the token, so it is retried only on request. */
function toFailure({ failure, reason, errorCause, retryAfterSeconds }: SlackError): SendOutcome {
  return {
    kind: 'failed',
    error: errorCause ? `${reason} (${errorCause})` : reason,
    cause: errorCause ?? reason,
    permanent: failure === 'refused',
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1_000 }),
  };
}

async function askPerson(
  context: SendContext,
  sending: Sending,
  delivery: NotifiedDelivery | UnreachableDelivery | RanDifferentlyDelivery,
): Promise<SendOutcome> {
  const { organizationId, recipient } = delivery;
  const { membershipId } = recipient;
  const link = await context.statements.slackLink({ organizationId, membershipId });
  if (!link) return { kind: 'dropped', reason: 'not_linked' };
  return await postOnce(context, sending, {
    delivery,
    post: (send) => postDirectly(context, { workspace: sending.workspace, link }, send),
  });
}

async function announce(
  context: SendContext,
  sending: Sending,
  delivery: AnnouncedDelivery | UnreachableAnnouncedDelivery,
): Promise<SendOutcome> {
  const { defaultChannel } = sending.workspace.connection;
  if (defaultChannel === null) return { kind: 'dropped', reason: 'not_configured' };
  return await postOnce(context, sending, { delivery, post: (send) => send(defaultChannel) });
}

/** Not recorded like the messages about one request: nothing replaces it later. */
async function postDigest(
  context: SendContext,
  { workspace, signal }: Sending,
  { organizationId, recipient, count, url }: DigestDelivery,
): Promise<SendOutcome> {
  const { botToken, connection } = workspace;
  const title = recipient ? digestTitle(count) : announcedDigestTitle(count);
  const send: SendTo = async (channel) => {
    signal.throwIfAborted();
    return await context.slack.post(botToken, channel, digestMessage(title, url));
  };
  if (!recipient) {
    if (connection.defaultChannel === null) return { kind: 'dropped', reason: 'not_configured' };
    await send(connection.defaultChannel);
    return { kind: 'delivered' };
  }
  const { membershipId } = recipient;
  const link = await context.statements.slackLink({ organizationId, membershipId });
  if (!link) return { kind: 'dropped', reason: 'not_linked' };
  await postDirectly(context, { workspace, link }, send);
  return { kind: 'delivered' };
}

async function directChannel(
  { db, slack }: MessageContext,
  { botToken }: Workspace,
  link: SlackLink,
): Promise<string> {
  if (link.directChannel !== null) return link.directChannel;
  const channel = await slack.openDirectChannel(botToken, link.slackUserId);
  await setDirectChannel(db, link, channel);
  return channel;
}

/** Opens the conversation again when it no longer exists. */
async function postDirectly(
  context: SendContext,
  { workspace, link }: { readonly workspace: Workspace; readonly link: SlackLink },
  send: SendTo,
): Promise<PostedMessage> {
  const channel = await directChannel(context, workspace, link);
  try {
    return await send(channel);
  } catch (error) {
    if (
      link.directChannel === null ||
      !(error instanceof SlackError) ||
      error.reason !== 'channel_not_found'
    )
      throw error;
    return await send(await directChannel(context, workspace, { ...link, directChannel: null }));
  }
}

type SendTo = (channel: string) => Promise<PostedMessage>;

interface Post {
  readonly delivery: Exclude<Delivery, DecidedDelivery | DigestDelivery>;
  readonly post: (send: SendTo) => Promise<PostedMessage>;
}

/**
 * Slack has no idempotency key, so the attempt is recorded before the call and the message after
 * it. A duplicate is possible only when Slack accepts a message and its response is lost.
 */
async function postOnce(
  { db, slack, statements }: SendContext,
  { workspace, signal }: Sending,
  { delivery, post }: Post,
): Promise<SendOutcome> {
  const { id, request, channelId } = delivery;
  const place: MessagePlace = { requestId: request.id, channelId, messageKey: `delivery:${id}` };
  if (!(await statements.beginPosting({ place, deliveryId: id }))) {
    // An attempt that was cut off may still be under way.
    return (await isPosted(db, place))
      ? { kind: 'delivered' }
      : { kind: 'failed', error: 'under_way' };
  }
  try {
    const message = await messageOf(statements, delivery, workspace.connection);
    const posted = await post(async (channel) => {
      signal.throwIfAborted();
      const thread = await statements.slackThread({ requestId: request.id, slackChannel: channel });
      return await postInThread(slack, workspace, { channel, message, thread });
    });
    await statements.endPosting({ place, posted });
    return { kind: 'delivered' };
  } catch (error) {
    await giveUpPosting(db, place, id);
    throw error;
  }
}

interface ThreadPost {
  readonly channel: string;
  readonly message: SlackText;
  readonly thread: string | undefined;
}

/** In the channel, too, so that no one overlooks it. By itself where someone deleted what it replies to. */
async function postInThread(
  slack: SlackApi,
  { botToken }: Workspace,
  { channel, message, thread }: ThreadPost,
): Promise<PostedMessage> {
  if (thread === undefined) return await slack.post(botToken, channel, message);
  try {
    return await slack.post(botToken, channel, { ...message, thread });
  } catch (error) {
    if (!(error instanceof SlackError) || error.failure !== 'refused') throw error;
    return await slack.post(botToken, channel, message);
  }
}

async function messageOf(
  statements: SendStatements,
  delivery: Post['delivery'],
  { requiresMfa }: SlackConnection,
): Promise<SlackText> {
  const { request, requesterState, url } = delivery;
  switch (delivery.event) {
    case 'notified':
    case 'announced': {
      const call = textOfRequest(request, await statements.ownView(request), SLACK_ROOM);
      const membershipId =
        delivery.event === 'notified' ? delivery.recipient.membershipId : undefined;
      const message = askingMessage(request, call, { url, requiresMfa, membershipId });
      const again = withOccasion(message, delivery.occasion, membershipId);
      return withRequesterNotice(again, requesterState);
    }
    case 'unreachable':
    case 'unreachable_announced':
      return unreachableMessage(request, url);
    case 'ran_differently':
      return ranDifferentlyMessage(request, url);
  }
}

/** Replaces the buttons of each message with the decision; messages that have it are skipped. */
async function showDecision(
  context: SendContext,
  { workspace, signal }: Sending,
  delivery: DecidedDelivery,
): Promise<SendOutcome> {
  const { request, channelId, url } = delivery;
  const own = await context.statements.ownView(request);
  const message = decidedMessage(request, textOfRequest(request, own, SLACK_ROOM), { url });
  for (const open of await findOpenMessages(context.db, { requestId: request.id, channelId })) {
    signal.throwIfAborted();
    await context.slack
      .update(workspace.botToken, { channel: open.slackChannel, ts: open.slackTs }, message)
      .catch(unlessGone);
    await closeMessage(context.db, placeOf(open));
  }
  return { kind: 'delivered' };
}

const placeOf = ({ requestId, channelId, messageKey }: OpenMessage): MessagePlace => ({
  requestId,
  channelId,
  messageKey,
});

/** A deleted message or channel needs no update. */
const GONE = new Set([
  'message_not_found',
  'channel_not_found',
  'is_archived',
  'cant_update_message',
  'edit_window_closed',
]);

function unlessGone(error: unknown): void {
  if (!(error instanceof SlackError) || !GONE.has(error.reason)) throw error;
}

async function sendTest(
  context: MessageContext,
  { organizationId, channelId, recipient }: TestMessage,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const connection = await findSlackConnection(context.db, organizationId);
  const workspace = openWorkspace(context, connection, channelId);
  if (!workspace) return { delivered: false, errorCode: 'not_configured' };
  const link = await findSlackLink(context.db, organizationId, recipient.membershipId);
  const { defaultChannel, organizationName } = workspace.connection;
  if (!link && defaultChannel === null) return { delivered: false, errorCode: 'not_linked' };
  try {
    await unlessAborted(signal, async () => {
      const channel = link ? await directChannel(context, workspace, link) : (defaultChannel ?? '');
      signal.throwIfAborted();
      await context.slack.post(workspace.botToken, channel, testMessage(organizationName));
    });
    return { delivered: true };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const { reason: errorCode, errorCause } = error;
    return { delivered: false, errorCode, ...(errorCause && { errorCause }) };
  }
}

export const slackSender: ChannelSender = { send, sendTest };
