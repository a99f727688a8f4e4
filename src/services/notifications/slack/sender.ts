/** Sends over a notification channel of kind slack: to the linked people asked, and to the organization's own channel. */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import type { SlackLink } from '../../../domain/notifications/slack/links.ts';
import { once } from 'node:events';
import { findSlackConnection } from '../../../data/notifications/slack/connections.ts';
import { findSlackLink, setDirectChannel } from '../../../data/notifications/slack/links.ts';
import {
  beginPosting,
  closeMessage,
  endPosting,
  findOpenMessages,
  giveUpPosting,
  isPosted,
  type MessagePlace,
  type OpenMessage,
} from '../../../data/notifications/slack/messages.ts';
import {
  answeredMessage,
  askingMessage,
  testMessage,
} from '../../../domain/notifications/slack/messages.ts';
import { SlackError, type PostedMessage } from '../../../platform/slack.ts';
import type { ServiceContext } from '../../context.ts';
import type {
  AnnouncedDelivery,
  ChannelSender,
  DecidedDelivery,
  Delivery,
  NotifiedDelivery,
  SendOutcome,
  TestMessage,
  TestOutcome,
} from '../sender.ts';
import { openSlackSecrets } from './secrets.ts';

/** Who may be spoken to over the channel, and with which token. */
interface Line {
  readonly connection: SlackConnection;
  readonly botToken: string;
}

async function openLine(
  context: ServiceContext,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<Line | undefined> {
  const connection = await findSlackConnection(context.db, organizationId);
  if (connection?.channelId !== channelId || !context.secrets) return undefined;
  return { connection, botToken: openSlackSecrets(context, connection).botToken };
}

async function send(
  context: ServiceContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const line = await openLine(context, delivery);
  if (!line) return { kind: 'dropped', reason: 'not_configured' };
  try {
    return await unlessAborted(signal, () => say(context, { line, signal }, delivery));
  } catch (error) {
    if (error instanceof SlackError) return toFailure(error);
    if (signal.aborted) return { kind: 'failed', error: 'interrupted' };
    throw error;
  }
}

/** What is under way when the signal comes goes on unheard: what Slack has taken by then is still written down. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const heard = new AbortController();
  const aborted = once(signal, 'abort', { signal: heard.signal }).then(() => {
    signal.throwIfAborted();
    throw new Error('not aborted');
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    heard.abort();
  }
}

interface Saying {
  readonly line: Line;
  readonly signal: AbortSignal;
}

async function say(
  context: ServiceContext,
  saying: Saying,
  delivery: Delivery,
): Promise<SendOutcome> {
  switch (delivery.event) {
    case 'notified':
      return await ask(context, saying, delivery);
    case 'announced':
      return await announce(context, saying, delivery);
    case 'decided':
      return await presentAnswer(context, saying, delivery);
  }
}

/** What somebody has to mend first, in Slack or by another token, is not tried again until somebody asks for it. */
function toFailure({ failure, reason, retryAfterSeconds }: SlackError): SendOutcome {
  return {
    kind: 'failed',
    error: reason,
    permanent: failure === 'refused',
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1_000 }),
  };
}

async function ask(
  context: ServiceContext,
  saying: Saying,
  delivery: NotifiedDelivery,
): Promise<SendOutcome> {
  const link = await findSlackLink(
    context.db,
    delivery.organizationId,
    delivery.recipient.membershipId,
  );
  if (!link) return { kind: 'dropped', reason: 'not_linked' };
  return await postOnce(context, saying, {
    delivery,
    post: (send) => postDirectly(context, { line: saying.line, link }, send),
  });
}

async function announce(
  context: ServiceContext,
  saying: Saying,
  delivery: AnnouncedDelivery,
): Promise<SendOutcome> {
  const { defaultChannel } = saying.line.connection;
  if (defaultChannel === null) return { kind: 'dropped', reason: 'not_configured' };
  return await postOnce(context, saying, { delivery, post: (send) => send(defaultChannel) });
}

async function directChannel(
  { db, slack }: ServiceContext,
  { botToken }: Line,
  link: SlackLink,
): Promise<string> {
  if (link.directChannel !== null) return link.directChannel;
  const channel = await slack.openDirectChannel(botToken, link.slackUserId);
  await setDirectChannel(db, link, channel);
  return channel;
}

/** A conversation that was opened before and is gone by now is opened again. */
async function postDirectly(
  context: ServiceContext,
  { line, link }: { readonly line: Line; readonly link: SlackLink },
  send: SendTo,
): Promise<PostedMessage> {
  const channel = await directChannel(context, line, link);
  try {
    return await send(channel);
  } catch (error) {
    if (
      link.directChannel === null ||
      !(error instanceof SlackError) ||
      error.reason !== 'channel_not_found'
    )
      throw error;
    return await send(await directChannel(context, line, { ...link, directChannel: null }));
  }
}

type SendTo = (channel: string) => Promise<PostedMessage>;

interface Post {
  readonly delivery: NotifiedDelivery | AnnouncedDelivery;
  readonly post: (send: SendTo) => Promise<PostedMessage>;
}

/**
 * Slack knows no idempotency key, so it is written down before a message is posted that it is, and after that it was. A
 * message is doubled only when Slack takes it and its answer is lost.
 */
async function postOnce(
  { db, slack }: ServiceContext,
  { line, signal }: Saying,
  { delivery, post }: Post,
): Promise<SendOutcome> {
  const { id, request, channelId, url } = delivery;
  const place: MessagePlace = { requestId: request.id, channelId, messageKey: `delivery:${id}` };
  if (!(await beginPosting(db, place, id))) {
    // An attempt that was cut off may still be under way.
    return (await isPosted(db, place))
      ? { kind: 'delivered' }
      : { kind: 'failed', error: 'under_way' };
  }
  try {
    const posted = await post(async (channel) => {
      signal.throwIfAborted();
      return await slack.post(line.botToken, channel, askingMessage(request, url, line.connection));
    });
    await endPosting(db, place, posted);
    return { kind: 'delivered' };
  } catch (error) {
    await giveUpPosting(db, place, id);
    throw error;
  }
}

/** Each message shows the answer in the place of its buttons; those that do already are left alone. */
async function presentAnswer(
  context: ServiceContext,
  { line, signal }: Saying,
  delivery: DecidedDelivery,
): Promise<SendOutcome> {
  const { request, channelId, url } = delivery;
  const message = answeredMessage(request, url);
  for (const open of await findOpenMessages(context.db, { requestId: request.id, channelId })) {
    signal.throwIfAborted();
    await context.slack
      .update(line.botToken, { channel: open.slackChannel, ts: open.slackTs }, message)
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

/** Whoever deleted the message, or the channel it was in, needs no answer there. */
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
  context: ServiceContext,
  { organizationId, channelId, recipient }: TestMessage,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const line = await openLine(context, { organizationId, channelId });
  if (!line) return { delivered: false, errorCode: 'not_configured' };
  const link = await findSlackLink(context.db, organizationId, recipient.membershipId);
  const { defaultChannel, organizationName } = line.connection;
  if (!link && defaultChannel === null) return { delivered: false, errorCode: 'not_linked' };
  try {
    await unlessAborted(signal, async () => {
      const channel = link ? await directChannel(context, line, link) : (defaultChannel ?? '');
      signal.throwIfAborted();
      await context.slack.post(line.botToken, channel, testMessage(organizationName));
    });
    return { delivered: true };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return { delivered: false, errorCode: error.reason };
  }
}

export const slackSender: ChannelSender = { send, sendTest };
