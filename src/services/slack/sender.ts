/** Sends over a notification channel of kind slack: to the linked people asked, and to the organization's own channel. */
import { findSlackConnection, type SlackConnection } from '../../data/slack/connections.ts';
import { findSlackLink, setDirectChannel, type SlackLink } from '../../data/slack/links.ts';
import {
  beginPosting,
  closeMessage,
  endPosting,
  findOpenMessages,
  giveUpPosting,
  type MessagePlace,
  type OpenMessage,
} from '../../data/slack/messages.ts';
import { answeredMessage, askingMessage, testMessage } from '../../domain/slack-messages.ts';
import { SlackError, type PostedMessage } from '../../platform/slack.ts';
import type { ServiceContext } from '../context.ts';
import type { ChannelSender, DecidedDelivery, Delivery, NotifiedDelivery, SendOutcome } from '../notifications/sender.ts';
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

async function send(context: ServiceContext, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
  const line = await openLine(context, delivery);
  if (!line) return { kind: 'dropped', reason: 'not_configured' };
  try {
    return delivery.event === 'notified' ? await ask(context, line, delivery) : await showAnswer(context, line, { delivery, signal });
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return toFailure(error);
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

/** The person first; then, once for everybody who is told at this level, the organization's channel. */
async function ask(context: ServiceContext, line: Line, delivery: NotifiedDelivery): Promise<SendOutcome> {
  const { organizationId, recipient } = delivery;
  const link = await findSlackLink(context.db, organizationId, recipient.membershipId);
  const { defaultChannel } = line.connection;
  if (!link && defaultChannel === null) return { kind: 'dropped', reason: 'not_linked' };
  const refused = link && (await toPerson(context, { line, delivery, link }));
  if (defaultChannel !== null) {
    await postOnce(context, { line, delivery, key: levelKey(delivery), post: (send) => send(defaultChannel) });
  }
  return refused ?? { kind: 'delivered' };
}

/** That he cannot be reached for good keeps nothing from the organization's channel: what Slack says is answered, not thrown. */
async function toPerson(
  context: ServiceContext,
  { line, delivery, link }: { readonly line: Line; readonly delivery: NotifiedDelivery; readonly link: SlackLink },
): Promise<SendOutcome | undefined> {
  try {
    await postOnce(context, {
      line,
      delivery,
      key: `delivery:${delivery.id}`,
      post: (send) => postDirectly(context, { line, link }, send),
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof SlackError) || error.failure !== 'refused') throw error;
    return toFailure(error);
  }
}

/** A level is entered at one instant, by all who are told. */
function levelKey({ level }: NotifiedDelivery): string {
  return `level:${level.nodeId ?? ''}:${level.teamId ?? ''}:${level.run}:${level.notifiedAt.getTime()}`;
}

async function directChannel({ db, slack }: ServiceContext, { botToken }: Line, link: SlackLink): Promise<string> {
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
    if (link.directChannel === null || !(error instanceof SlackError) || error.reason !== 'channel_not_found') throw error;
    return await send(await directChannel(context, line, { ...link, directChannel: null }));
  }
}

type SendTo = (channel: string) => Promise<PostedMessage>;

interface Post {
  readonly line: Line;
  readonly delivery: NotifiedDelivery;
  readonly key: string;
  readonly post: (send: SendTo) => Promise<PostedMessage>;
}

/**
 * Slack knows no idempotency key, so it is written down before a message is posted that it is, and after that it was. A
 * message is doubled only when Slack takes it and its answer is lost.
 */
async function postOnce(context: ServiceContext, { line, delivery, key, post }: Post): Promise<void> {
  const place: MessagePlace = { requestId: delivery.request.id, channelId: delivery.channelId, messageKey: key };
  if (!(await beginPosting(context.db, place, delivery.id))) return;
  try {
    const posted = await post((channel) => context.slack.post(line.botToken, channel, askingMessage(delivery.request, delivery.url)));
    await endPosting(context.db, place, posted);
  } catch (error) {
    await giveUpPosting(context.db, place, delivery.id);
    throw error;
  }
}

/** Each message shows the answer in the place of its buttons; those that do already are left alone. */
async function showAnswer(
  context: ServiceContext,
  line: Line,
  { delivery, signal }: { readonly delivery: DecidedDelivery; readonly signal: AbortSignal },
): Promise<SendOutcome> {
  const { request, channelId, url } = delivery;
  const message = answeredMessage(request, url);
  for (const open of await findOpenMessages(context.db, { requestId: request.id, channelId })) {
    if (signal.aborted) return { kind: 'failed', error: 'interrupted' };
    await context.slack.update(line.botToken, { channel: open.slackChannel, ts: open.slackTs }, message).catch(unlessGone);
    await closeMessage(context.db, placeOf(open));
  }
  return { kind: 'delivered' };
}

const placeOf = ({ requestId, channelId, messageKey }: OpenMessage): MessagePlace => ({ requestId, channelId, messageKey });

/** Whoever deleted the message, or the channel it was in, needs no answer there. */
const GONE = new Set(['message_not_found', 'channel_not_found', 'is_archived', 'cant_update_message', 'edit_window_closed']);

function unlessGone(error: unknown): void {
  if (!(error instanceof SlackError) || !GONE.has(error.reason)) throw error;
}

export const slackSender: ChannelSender = {
  send,
  sendTest: async (context, { organizationId, channelId, recipient }) => {
    const line = await openLine(context, { organizationId, channelId });
    if (!line) return { delivered: false, errorCode: 'not_configured' };
    const link = await findSlackLink(context.db, organizationId, recipient.membershipId);
    const { defaultChannel, organizationName } = line.connection;
    if (!link && defaultChannel === null) return { delivered: false, errorCode: 'not_linked' };
    try {
      const channel = link ? await directChannel(context, line, link) : (defaultChannel ?? '');
      await context.slack.post(line.botToken, channel, testMessage(organizationName));
      return { delivered: true };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return { delivered: false, errorCode: error.reason };
    }
  },
};
