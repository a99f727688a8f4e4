/** Slack messages about a request: none is posted twice, and each gets the answer in the end. */
import type { Db } from '../../../platform/postgres.ts';
import { queryRows } from '../../../platform/rows.ts';

export interface MessagePlace {
  readonly requestId: string;
  /** The id of the notification channel. */
  readonly channelId: string;
  /** Identifies the message: its delivery. */
  readonly messageKey: string;
}

const columnsOf = ({ requestId, channelId, messageKey }: MessagePlace) => ({
  request_id: requestId,
  channel_id: channelId,
  message_key: messageKey,
});

/** Longer than posting one message can take, and shorter than the lease of a delivery. */
const POSTING_S = 30;

/**
 * Returns true when this delivery posts the message: no other delivery has posted it or is posting
 * it. Purges some old rows of other requests. A request is open for a week at most, and a dead
 * message is kept for 90 days.
 */
export async function beginPosting(
  db: Db,
  place: MessagePlace,
  deliveryId: string,
): Promise<boolean> {
  const rows = await queryRows<unknown>(
    db,
    `with purged as (
       delete from slack_messages where (request_id, channel_id, message_key) in (
         select request_id, channel_id, message_key from slack_messages
          where posting_until < statement_timestamp() - interval '100 days' and request_id <> :request_id
          order by posting_until limit 10 for update skip locked)
     )
     insert into slack_messages as m (request_id, channel_id, message_key, delivery_id, posting_until)
     values (:request_id, :channel_id, :message_key, :deliveryId, clock_timestamp() + :seconds * interval '1 second')
     on conflict (request_id, channel_id, message_key) do update
        set delivery_id = excluded.delivery_id, posting_until = excluded.posting_until
      where m.slack_ts is null and m.posting_until <= clock_timestamp()
     returning 1`,
    { ...columnsOf(place), deliveryId, seconds: POSTING_S },
  );
  return rows.length > 0;
}

export async function isPosted(db: Db, place: MessagePlace): Promise<boolean> {
  const row: unknown = await db('slack_messages')
    .where(columnsOf(place))
    .whereNotNull('slack_ts')
    .first('slack_ts');
  return row !== undefined;
}

export async function endPosting(
  db: Db,
  place: MessagePlace,
  posted: { channel: string; ts: string },
): Promise<void> {
  await db('slack_messages')
    .where(columnsOf(place))
    .update({ slack_channel: posted.channel, slack_ts: posted.ts });
}

/** After a failure: the next delivery may post it. */
export async function giveUpPosting(
  db: Db,
  place: MessagePlace,
  deliveryId: string,
): Promise<void> {
  await db('slack_messages')
    .where({ ...columnsOf(place), delivery_id: deliveryId })
    .whereNull('slack_ts')
    .update({ posting_until: db.raw('clock_timestamp()') });
}

export interface OpenMessage extends MessagePlace {
  readonly slackChannel: string;
  readonly slackTs: string;
}

/** Messages that still show buttons. */
export async function findOpenMessages(
  db: Db,
  { requestId, channelId }: Omit<MessagePlace, 'messageKey'>,
): Promise<OpenMessage[]> {
  const rows = await db('slack_messages')
    .where({ request_id: requestId, channel_id: channelId })
    .whereNotNull('slack_ts')
    .whereNull('closed_at')
    .orderBy('message_key')
    .select({ messageKey: 'message_key', slackChannel: 'slack_channel', slackTs: 'slack_ts' });
  return (rows as Omit<OpenMessage, 'requestId' | 'channelId'>[]).map((row) => ({
    ...row,
    requestId,
    channelId,
  }));
}

export async function closeMessage(db: Db, place: MessagePlace): Promise<void> {
  await db('slack_messages')
    .where(columnsOf(place))
    .update({ closed_at: db.raw('clock_timestamp()') });
}
