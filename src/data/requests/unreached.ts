/** Who was notified about a request, and whether a message reached them. */
import type { ChannelKind } from '../../domain/channels.ts';
import { NO_WAY_REASONS, UNKNOWN_CAUSE } from '../../domain/notifications/failures.ts';
import type { NotifiedMember } from '../../domain/requests/engine/view.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

/** The message `d` waits in the digest `g`, which may be gone. */
const IN_DIGEST = `d.dropped_reason = 'in_digest'`;
const ARRIVES = `case when ${IN_DIGEST} then g.id is null or g.delivered_at is not null or g.next_attempt_at is not null
                       else d.delivered_at is not null or d.next_attempt_at is not null end`;
const REASONS = NO_WAY_REASONS.map((reason) => `'${reason}'`).join(', ');
const FAILS = `case when ${IN_DIGEST} then g.dead_at is not null or g.dropped_reason in (${REASONS})
                     else d.dead_at is not null or d.dropped_reason in (${REASONS}) end`;
const CAUSE = `case when ${IN_DIGEST} then coalesce(g.dropped_reason, g.cause, '${UNKNOWN_CAUSE}')
                     else coalesce(d.dropped_reason, d.cause, '${UNKNOWN_CAUSE}') end`;

/**
 * SQL: `(step_key, membership_id, created_at, unreached)` of each notification of a request. `unreached` is a JSON text of
 * `[channel kind, cause]` pairs where every message has failed for good, and null otherwise. A message to the default channel
 * reaches all who are notified together. Of steps that notify a person at one instant, only one has messages. `request` is an
 * SQL expression.
 */
export const notifiedOf = (request: string): string => `
  select n.step_key, n.membership_id, n.created_at,
         case when not coalesce(bool_or(sent.arrives) over (partition by n.created_at, n.membership_id), false)
               and not coalesce(bool_or(sent.is_announced) over (partition by n.created_at), false)
              then max(sent.failures) over (partition by n.created_at, n.membership_id) end as unreached
    from notifications n
    left join lateral (
      select bool_or(${ARRIVES}) filter (where not d.announces) as arrives,
             bool_or(${ARRIVES}) filter (where d.announces) as is_announced,
             cast(jsonb_agg(distinct jsonb_build_array(c.kind, ${CAUSE})) filter (where not d.announces and ${FAILS}) as text) as failures
        from notification_deliveries d
        join notification_channels c on c.id = d.channel_id
        left join notification_deliveries g on g.id = d.digest_id
       where d.notification_id = n.id and d.event = 'notified'
    ) as sent on true
   where n.request_id = ${request}`;

/** SQL: the same as one JSON array, which `toNotified` reads. */
export const notifiedJson = (request: string): string => `(
  select jsonb_agg(jsonb_build_array(n.step_key, n.membership_id, n.created_at, cast(n.unreached as jsonb)))
    from (${notifiedOf(request)}) as n)`;

/** The step, the member, the instant, and the channels and causes of failures. */
export type NotifiedRow = [string, string, string, [ChannelKind, string][] | null];

export function toNotified([stepKey, membershipId, at, unreached]: NotifiedRow): NotifiedMember {
  const failures = unreached?.map(([channel, cause]) => ({ channel, cause }));
  return { stepKey, membershipId, at: new Date(at), ...(failures && { unreached: failures }) };
}

/** Everyone who was notified about the request, in no order. */
export async function findNotifiedMembers(db: Db, requestId: string): Promise<NotifiedMember[]> {
  const { notified } = await queryOne<{ notified: NotifiedRow[] | null }>(
    db,
    `select ${notifiedJson('cast(:requestId as uuid)')} as notified`,
    { requestId },
  );
  return (notified ?? []).map(toNotified);
}
