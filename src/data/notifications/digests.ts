/**
 * Digests: in a minute a receiver gets a few messages over a channel, and the rest as one digest at
 * its end. A request that would leave too little time after the digest is sent by itself. A receiver
 * is a member, or the default channel of Slack.
 */
import { ADDED_STEP } from '../../domain/escalation/step-keys.ts';
import {
  LEAST_SECONDS_AFTER_DIGEST,
  MESSAGES_A_WINDOW,
  WINDOW_SECONDS,
} from '../../domain/notifications/digests.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { mayDecideFor } from '../requests/deciders.ts';

const WINDOW = `interval '${WINDOW_SECONDS} seconds'`;

/** A message whose lease this process holds. */
export interface HeldMessage {
  readonly id: string;
  readonly lease: string;
}

// The row of the window is locked from the count until the commit, so senders take turns.
const COUNT: PreparedStatement = {
  name: 'count-messages',
  sql: `
    with counting as (
      select d.id, d.organization_id, d.channel_id, d.request_id, d.notification_id, d.announces, d.created_at, r.deadline_at,
             case when d.announces then d.channel_id else n.membership_id end as receiver
        from unnest(cast(:ids as uuid[]), cast(:leases as uuid[])) as held (id, lease)
        join notification_deliveries d on d.id = held.id and d.lease = held.lease and d.next_attempt_at is not null
        join notifications n on n.id = d.notification_id
        join approval_requests r on r.id = d.request_id
    ),
    placed as materialized (
      select c.*, count(*) over (partition by channel_id, receiver) as together,
             row_number() over (partition by channel_id, receiver order by created_at, id) as place
        from counting c
    ),
    counted as (
      insert into notification_windows as w (channel_id, receiver, began_at, messages, digest_id)
      select channel_id, receiver, clock_timestamp(), count(*), gen_random_uuid()
        from placed group by channel_id, receiver order by channel_id, receiver
      on conflict on constraint notification_windows_pkey do update
         set (began_at, messages, digest_id) = (
           select case when begins then now else w.began_at end,
                  case when begins then excluded.messages else w.messages + excluded.messages end,
                  case when begins then excluded.digest_id else w.digest_id end
             from (select now, w.began_at <= now - ${WINDOW} as begins from clock_timestamp() as now) as clock)
      returning channel_id, receiver, began_at, messages, digest_id
    ),
    rest as materialized (
      select p.*, c.began_at, c.digest_id
        from placed p join counted c on c.channel_id = p.channel_id and c.receiver = p.receiver
       where c.messages - p.together + p.place > ${MESSAGES_A_WINDOW}
         and p.deadline_at > c.began_at + ${WINDOW} + interval '${LEAST_SECONDS_AFTER_DIGEST} seconds'
    ),
    digests as (
      insert into notification_deliveries
             (id, organization_id, channel_id, request_id, event, notification_id, announces, next_attempt_at, created_at)
      select distinct on (digest_id) digest_id, organization_id, channel_id, request_id, 'digest', notification_id, announces,
             began_at + ${WINDOW}, clock_timestamp()
        from rest order by digest_id, place
      on conflict on constraint notification_deliveries_pkey do nothing
    )
    update notification_deliveries d
       set digest_id = rest.digest_id, dropped_at = clock_timestamp(), dropped_reason = 'in_digest', next_attempt_at = null, lease = null
      from rest where d.id = rest.id
    returning d.id`,
};

/**
 * Counts messages before they are sent. Returns for each whether it is sent by itself. The others
 * are dropped, and belong to the digest of their minute.
 */
export async function countMessages(db: Db, messages: readonly HeldMessage[]): Promise<boolean[]> {
  const rows = await runPrepared<{ id: string }>(db, COUNT, {
    ids: messages.map(({ id }) => id),
    leases: messages.map(({ lease }) => lease),
  });
  const inDigest = new Set(rows.map(({ id }) => id));
  return messages.map(({ id }) => !inDigest.has(id));
}

const CLOSE: PreparedStatement = {
  name: 'close-window',
  sql: `select 1 from notification_windows
         where channel_id = cast(:channelId as uuid) and receiver = cast(:receiver as uuid) for share`,
};

const GATHER: PreparedStatement = {
  name: 'gather-digest',
  sql: `
    with open as materialized (
      select d.id, d.request_id, d.announces or ${mayDecideFor('r.agent_slug')} as may_decide,
             n.step_key <> '${ADDED_STEP}' and exists (
               select 1 from claims c where c.request_id = r.id and c.ended_at is null and c.expires_at > clock_timestamp()) as claimed
        from notification_deliveries d
        join approval_requests r on r.id = d.request_id
        join notifications n on n.id = d.notification_id
        join memberships m on m.id = n.membership_id
       where d.digest_id = cast(:id as uuid) and d.dropped_reason = 'in_digest'
         and r.state = 'pending' and r.deadline_at > clock_timestamp()
    ),
    released as (
      update notification_deliveries d
         set dropped_at = null, dropped_reason = null, digest_id = null, attempts = 0, next_attempt_at = clock_timestamp()
        from open where d.id = open.id and open.claimed
    )
    select count(distinct request_id) as count from open where may_decide and not claimed`,
};

/**
 * How many requests of the digest still wait for its receiver. Messages about claimed requests
 * return to the outbox, where they wait for the end of the claim.
 */
export async function gatherDigest(
  db: Db,
  {
    id,
    channelId,
    receiver,
  }: { readonly id: string; readonly channelId: string; readonly receiver: string },
): Promise<number> {
  // A sender that counts messages of this minute commits first. Later ones begin another minute.
  await runPrepared(db, CLOSE, { channelId, receiver });
  const [row] = await runPrepared<{ count: number }>(db, GATHER, { id });
  return row?.count ?? 0;
}
