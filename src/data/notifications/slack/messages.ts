/** Slack messages about a request: none is posted twice, and each gets the decision in the end. */
import type { Db } from '../../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../../platform/rows.ts';

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

const BEGIN: PreparedStatement = {
  name: 'begin-slack-posts',
  sql: `
    with purged as (
      delete from slack_messages where (request_id, channel_id, message_key) in (
        select request_id, channel_id, message_key from slack_messages
         where posting_until < statement_timestamp() - interval '100 days' and request_id <> all(cast(:requests as uuid[]))
         order by posting_until limit 10 for update skip locked)
    )
    insert into slack_messages as m (request_id, channel_id, message_key, delivery_id, posting_until)
    select request_id, channel_id, message_key, delivery_id, clock_timestamp() + :seconds * interval '1 second'
      from unnest(cast(:requests as uuid[]), cast(:channels as uuid[]), cast(:keys as text[]), cast(:deliveries as uuid[]))
           as n (request_id, channel_id, message_key, delivery_id)
    on conflict (request_id, channel_id, message_key) do update
       set delivery_id = excluded.delivery_id, posting_until = excluded.posting_until
     where m.slack_ts is null and m.posting_until <= clock_timestamp()
    returning request_id, channel_id, message_key`,
};

export interface NewPost {
  readonly place: MessagePlace;
  readonly deliveryId: string;
}

/**
 * Returns for each delivery whether it posts its message: no other delivery has posted it or is
 * posting it. Purges some old rows of other requests. A request is open for a week at most, and a
 * dead message is kept for 90 days.
 */
export async function beginPostings(db: Db, posts: readonly NewPost[]): Promise<boolean[]> {
  const rows = await runPrepared<MessagePlace>(db, BEGIN, {
    ...arraysOf(posts.map(({ place }) => place)),
    deliveries: posts.map(({ deliveryId }) => deliveryId),
    seconds: POSTING_S,
  });
  const begun = new Set(rows.map(keyOf));
  return posts.map(({ place }) => begun.has(keyOf(place)));
}

const keyOf = ({ requestId, channelId, messageKey }: MessagePlace): string =>
  [requestId, channelId, messageKey].join(' ');

const arraysOf = (places: readonly MessagePlace[]) => ({
  requests: places.map(({ requestId }) => requestId),
  channels: places.map(({ channelId }) => channelId),
  keys: places.map(({ messageKey }) => messageKey),
});

export async function isPosted(db: Db, place: MessagePlace): Promise<boolean> {
  const row: unknown = await db('slack_messages')
    .where(columnsOf(place))
    .whereNotNull('slack_ts')
    .first('slack_ts');
  return row !== undefined;
}

const END: PreparedStatement = {
  name: 'end-slack-posts',
  sql: `
    update slack_messages m set slack_channel = n.slack_channel, slack_ts = n.slack_ts
      from unnest(cast(:requests as uuid[]), cast(:channels as uuid[]), cast(:keys as text[]),
                  cast(:slackChannels as text[]), cast(:times as text[]))
           as n (request_id, channel_id, message_key, slack_channel, slack_ts)
     where m.request_id = n.request_id and m.channel_id = n.channel_id and m.message_key = n.message_key`,
};

export interface EndedPost {
  readonly place: MessagePlace;
  readonly posted: { readonly channel: string; readonly ts: string };
}

export async function endPostings(db: Db, posts: readonly EndedPost[]): Promise<void> {
  await runPrepared(db, END, {
    ...arraysOf(posts.map(({ place }) => place)),
    slackChannels: posts.map(({ posted }) => posted.channel),
    times: posts.map(({ posted }) => posted.ts),
  });
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

/** A conversation of Slack in which messages about a request may stand already. */
export interface ThreadPlace {
  readonly requestId: string;
  readonly slackChannel: string;
}

/** For each place, the first message about the request there: later ones are replies to it. */
export async function findThreads(
  db: Db,
  places: readonly ThreadPlace[],
): Promise<(string | undefined)[]> {
  const rows = await runPrepared<ThreadPlace & { readonly ts: string }>(db, THREADS, {
    requests: places.map(({ requestId }) => requestId),
    slackChannels: places.map(({ slackChannel }) => slackChannel),
  });
  const first = new Map(
    rows.map(({ requestId, slackChannel, ts }) => [`${requestId} ${slackChannel}`, ts]),
  );
  return places.map(({ requestId, slackChannel }) => first.get(`${requestId} ${slackChannel}`));
}

const THREADS: PreparedStatement = {
  name: 'find-slack-threads',
  sql: `
    select m.request_id, m.slack_channel, min(m.slack_ts) as ts
      from unnest(cast(:requests as uuid[]), cast(:slackChannels as text[])) as n (request_id, slack_channel)
      join slack_messages m on m.request_id = n.request_id and m.slack_channel = n.slack_channel
     where m.slack_ts is not null
     group by m.request_id, m.slack_channel`,
};
