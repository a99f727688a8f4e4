/** The outbox: messages to be sent, leased by whoever sends them, and what became of each. */
import type { ApprovalRequest } from '../domain/approval-requests.ts';
import type { ChannelKind, DeliveryEvent, DropReason } from '../domain/notifications.ts';
import type { Db } from '../platform/postgres.ts';
import { ADDED_STEP } from './approval-requests/added-reviewers.ts';
import { REQUEST_COLUMNS, REQUEST_TABLES, toRequest, type RequestRow } from './approval-requests/rows.ts';
import { mayDecideFor } from './deciders.ts';

export interface LeaseOptions {
  /** Names the holder of what this call leases. */
  readonly lease: string;
  readonly leaseMs: number;
  readonly limit: number;
  readonly perChannel: number;
  /** What this process has in hand already, by channel. */
  readonly inHand: ReadonlyMap<string, number>;
}

/**
 * Takes what is due, oldest first within each channel and no channel at the cost of another. Left alone: what somebody
 * claims, unless a person asks the recipient for help now, and the news of a decision while a message about the request may still be on its way.
 */
export async function leaseDue(db: Db, { lease, leaseMs, limit, perChannel, inHand }: LeaseOptions): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `with due as materialized (
       select waiting.id from notification_channels c
         left join unnest(cast(:busy as uuid[]), cast(:counts as integer[])) as b (channel_id, in_hand) on b.channel_id = c.id
        cross join lateral (
          select d.id from notification_deliveries d
           where d.channel_id = c.id and d.next_attempt_at <= statement_timestamp()
             and case d.event
                   when 'notified' then not exists (
                     select 1 from claims l join approval_requests r on r.id = l.request_id and r.state = 'pending'
                      where l.request_id = d.request_id and l.ended_at is null and l.expires_at > statement_timestamp())
                     or exists (select 1 from notifications n where n.id = d.notification_id and n.step_key = '${ADDED_STEP}')
                   else not exists (
                     select 1 from notification_deliveries n
                      where n.request_id = d.request_id and n.channel_id = d.channel_id and n.event = 'notified' and n.next_attempt_at is not null)
                 end
           order by d.next_attempt_at limit greatest(:perChannel - coalesce(b.in_hand, 0), 0) for update skip locked
        ) as waiting
        limit :limit
     )
     update notification_deliveries d
        set lease = cast(:lease as uuid), attempts = attempts + 1, next_attempt_at = clock_timestamp() + :leaseMs * interval '1 millisecond'
       from due where d.id = due.id
     returning d.id`,
    { lease, leaseMs, limit, perChannel, busy: [...inHand.keys()], counts: [...inHand.values()] },
  );
  return rows.map((row) => row.id);
}

/** A leased message with everything that decides whether it is still to be sent, as it is now. */
export interface LeasedDelivery {
  readonly id: string;
  readonly event: DeliveryEvent;
  readonly channelId: string;
  readonly kind: ChannelKind;
  readonly channelEnabled: boolean;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly request: ApprovalRequest;
  /** The request waits for people no more, or its deadline has come. */
  readonly closed: boolean;
  /** Somebody claims the request, and nobody asked the recipient for help with it. */
  readonly claimed: boolean;
  /** Of a `notified` one. */
  readonly recipient?: {
    readonly membershipId: string;
    readonly displayName: string;
    readonly email: string;
    readonly active: boolean;
    readonly mayDecide: boolean;
    readonly wants: { readonly email: boolean; readonly slack: boolean };
  };
  readonly level?: {
    readonly nodeId?: string;
    readonly teamId?: string;
    readonly run: number;
    readonly notifiedAt: Date;
    readonly escalateAt?: Date;
  };
}

interface LeasedRow extends RequestRow {
  x_id: string;
  x_event: DeliveryEvent;
  x_attempts: number;
  x_created_at: Date;
  channel_id: string;
  channel_kind: ChannelKind;
  channel_enabled: boolean;
  closed: boolean;
  claimed: boolean;
  recipient_id: string | null;
  recipient_name: string | null;
  recipient_email: string | null;
  recipient_active: boolean;
  recipient_may_decide: boolean;
  wants_email: boolean;
  wants_slack: boolean;
  level_node_id: string | null;
  level_team_id: string | null;
  level_run: number | null;
  level_at: Date | null;
  level_escalate_at: Date | null;
}

export async function loadLeased(
  db: Db,
  { lease, ids }: { readonly lease: string; readonly ids: readonly string[] },
): Promise<LeasedDelivery[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.raw<{ rows: LeasedRow[] }>(
    `select ${REQUEST_COLUMNS},
            x.id as x_id, x.event as x_event, x.attempts as x_attempts, x.created_at as x_created_at, x.channel_id,
            ch.kind as channel_kind, ch.enabled and ch.deleted_at is null as channel_enabled,
            r.state <> 'pending' or r.deadline_at <= clock_timestamp() as closed,
            r.state = 'pending' and c.expires_at is not null and c.expires_at > clock_timestamp()
              and n.step_key is distinct from '${ADDED_STEP}' as claimed,
            n.membership_id as recipient_id, u.display_name as recipient_name, u.email as recipient_email,
            coalesce(m.status = 'active', false) as recipient_active, coalesce(${mayDecideFor('r.agent_slug')}, false) as recipient_may_decide,
            coalesce(w.email, true) as wants_email, coalesce(w.slack, true) as wants_slack,
            s.node_id as level_node_id, s.team_id as level_team_id, s.run as level_run, s.at as level_at, s.escalate_at as level_escalate_at
       from ${REQUEST_TABLES}
       join notification_deliveries x on x.request_id = r.id
       join notification_channels ch on ch.id = x.channel_id
       left join notifications n on n.id = x.notification_id
       left join escalation_steps s on s.request_id = n.request_id and s.step_key = n.step_key
       left join memberships m on m.id = n.membership_id
       left join users u on u.id = m.user_id
       left join notification_settings w on w.membership_id = m.id
      where x.id = any(cast(:ids as uuid[])) and x.lease = cast(:lease as uuid)`,
    { lease, ids: [...ids] },
  );
  return rows.map(toLeased);
}

function toLeased(row: LeasedRow): LeasedDelivery {
  return {
    id: row.x_id,
    event: row.x_event,
    channelId: row.channel_id,
    kind: row.channel_kind,
    channelEnabled: row.channel_enabled,
    attempts: row.x_attempts,
    createdAt: row.x_created_at,
    request: toRequest(row),
    closed: row.closed,
    claimed: row.claimed,
    ...(row.recipient_id !== null && {
      recipient: {
        membershipId: row.recipient_id,
        displayName: row.recipient_name ?? '',
        email: row.recipient_email ?? '',
        active: row.recipient_active,
        mayDecide: row.recipient_may_decide,
        wants: { email: row.wants_email, slack: row.wants_slack },
      },
    }),
    ...(row.level_run !== null && row.level_at !== null && { level: toLevel(row, { run: row.level_run, notifiedAt: row.level_at }) }),
  };
}

function toLevel(row: LeasedRow, level: { readonly run: number; readonly notifiedAt: Date }): NonNullable<LeasedDelivery['level']> {
  return {
    ...level,
    ...(row.level_node_id !== null && { nodeId: row.level_node_id }),
    ...(row.level_team_id !== null && { teamId: row.level_team_id }),
    ...(row.level_escalate_at !== null && { escalateAt: row.level_escalate_at }),
  };
}

/** What became of an attempt. `later`: not sent because it is not the time; does not count as an attempt. */
export type Attempted =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dropped'; readonly reason: DropReason }
  | { readonly kind: 'dead'; readonly error: string }
  | { readonly kind: 'retry'; readonly error: string; readonly afterMs: number }
  | { readonly kind: 'later' };

/** Recorded by the holder of the lease alone: false when somebody else has it by now, or the message is over. */
export async function recordAttempt(
  db: Db,
  { id, lease }: { readonly id: string; readonly lease: string },
  attempted: Attempted,
): Promise<boolean> {
  const recorded = await db('notification_deliveries')
    .where({ id, lease })
    .whereNotNull('next_attempt_at')
    .update({ ...changeFor(db, attempted), lease: null });
  return recorded === 1;
}

function changeFor(db: Db, attempted: Attempted): Readonly<Record<string, unknown>> {
  const now = db.raw('clock_timestamp()');
  switch (attempted.kind) {
    case 'delivered':
      return { next_attempt_at: null, delivered_at: now, last_error: null };
    case 'dropped':
      return { next_attempt_at: null, dropped_at: now, dropped_reason: attempted.reason };
    case 'dead':
      return { next_attempt_at: null, dead_at: now, last_error: attempted.error };
    case 'retry':
      return {
        next_attempt_at: db.raw(`clock_timestamp() + :afterMs * interval '1 millisecond'`, { afterMs: attempted.afterMs }),
        last_error: attempted.error,
      };
    case 'later':
      return { next_attempt_at: now, attempts: db.raw('attempts - 1') };
  }
}
