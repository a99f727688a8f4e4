/**
 * Handles presses of buttons in Slack, in every process with the API. A press is recorded before Slack
 * gets its response, so a process that dies loses none: another takes it after a minute.
 */
import { findSlackConnection } from '../../../data/notifications/slack/connections.ts';
import {
  endSlackPress,
  leaseDueSlackPresses,
  retrySlackPress,
  type SlackPress,
} from '../../../data/notifications/slack/presses.ts';
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import { SlackError } from '../../../platform/slack.ts';
import type { MessageContext } from '../../context.ts';
import { requestLink } from '../../links.ts';
import { handlePress } from './calls.ts';
import { openSlackSecrets } from './secrets.ts';

/** Presses of other processes, and retries, are found within this time. */
const POLL_MS = 1_000;
/** The same when no press came for a while: only those of a process that died are left to find, after a minute. */
const IDLE_POLL_MS = 15_000;
/** Longer than all attempts for one press. */
const IDLE_AFTER_MS = 180_000;
/** A decision holds a connection while it waits for a lock, so these are fewer than the pool has. */
const AT_ONCE = 4;
/** With the waits between them, about two minutes. */
const MOST_ATTEMPTS = 10;
const RETRY_MS = 2_000;

export interface SlackPresses {
  stop(): Promise<void>;
}

export function startSlackPresses(context: MessageContext): SlackPresses {
  const stopping = new AbortController();
  stopping.signal.addEventListener('abort', () => {
    context.slackPressed.wake();
  });
  const running = workWhileRunning(context, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Never rejects. */
async function workWhileRunning(context: MessageContext, stopping: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let pressedAt = -Infinity;
  while (!stopping.aborted) {
    const due = await leaseDue(context, AT_ONCE - underWay.size);
    for (const press of due) {
      const work = workPress(context, press);
      underWay.add(work);
      void work.finally(() => {
        underWay.delete(work);
        context.slackPressed.wake();
      });
    }
    const isIdle = performance.now() - pressedAt > IDLE_AFTER_MS;
    const isWoken = await context.slackPressed.wait(isIdle ? IDLE_POLL_MS : POLL_MS);
    if (isWoken || due.length > 0) pressedAt = performance.now();
  }
  await Promise.all(underWay);
}

async function leaseDue(context: MessageContext, limit: number): Promise<readonly SlackPress[]> {
  if (limit === 0) return [];
  return await leaseDueSlackPresses(context.db, limit).catch((error: unknown) => {
    context.logger.warn(
      { err: error },
      'presses in Slack could not be read; the next round tries again',
    );
    return [];
  });
}

/** Never rejects. */
async function workPress(context: MessageContext, press: SlackPress): Promise<void> {
  const { id, attempts, organizationId, channelId } = press;
  try {
    const connection = await findSlackConnection(context.db, organizationId);
    if (connection?.channelId === channelId) await handleAndTell(context, connection, press);
    await endSlackPress(context.db, id);
  } catch (error) {
    context.logger.warn(
      { err: error, approvalRequest: press.interaction.requestId, attempts },
      'a press in Slack was not handled; it is tried again',
    );
    await retrySlackPress(context.db, id, attempts * RETRY_MS).catch(() => undefined);
  }
}

/** Handles the press, and tells the person. The last attempt tells them of its failure. */
async function handleAndTell(
  context: MessageContext,
  connection: SlackConnection,
  press: SlackPress,
): Promise<void> {
  const text = await handlePress(context, connection, press).catch((error: unknown) => {
    if (press.attempts < MOST_ATTEMPTS) throw error;
    const approvalRequest = press.interaction.requestId;
    context.logger.error({ err: error, approvalRequest }, 'a press in Slack could not be handled');
    return `Your answer could not be recorded. See in the browser whether the request still waits. <${requestLink(context, approvalRequest)}|Open the request>`;
  });
  if (text !== undefined) await tell(context, { connection, press, text });
}

interface Told {
  readonly connection: SlackConnection;
  readonly press: SlackPress;
  readonly text: string;
}

/**
 * Where the button was pressed, visible only to the person. Slack takes that for half an hour only, so
 * otherwise in their conversation with the bot.
 */
async function tell(context: MessageContext, { connection, press, text }: Told): Promise<void> {
  const { responseUrl, slackUserId, isForeign } = press.interaction;
  try {
    await context.slack.postEphemeral(responseUrl, text).catch(async (error: unknown) => {
      if (!(error instanceof SlackError) || error.failure !== 'refused' || isForeign) throw error;
      const { botToken } = openSlackSecrets(context, connection);
      const channel = await context.slack.openDirectChannel(botToken, slackUserId);
      const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } }] as const;
      await context.slack.post(botToken, channel, { text, blocks });
    });
  } catch (error) {
    const isLast = press.attempts >= MOST_ATTEMPTS;
    const isFinal = error instanceof SlackError && error.failure === 'refused';
    if (!isLast && !isFinal) throw error;
    context.logger.warn(
      { err: error, approvalRequest: press.interaction.requestId },
      'the response to a button could not be posted in Slack',
    );
  }
}
