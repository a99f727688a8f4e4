/** The outbox: messages to send, the leases of their senders, and the outcomes. */
import type { RequesterState } from '../../domain/requests/call-marks.ts';
import { REQUESTER_STATE } from '../requests/queue/call-marks.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import {
  ADDED_STEP,
  CLAIM_LAPSED_STEP,
  RAN_DIFFERENTLY_STEP,
  UNREACHABLE_STEP,
} from '../../domain/escalation/step-keys.ts';
import type { ChannelKind } from '../../domain/channels.ts';
import type { Occasion } from '../../domain/notifications/occasions.ts';
import type {
  DropReason,
  NotifiedLevel,
  Recipient,
} from '../../domain/notifications/notifications.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';
import { REQUEST_COLUMNS, REQUEST_TABLES, toRequest, type RequestRow } from '../requests/rows.ts';
import { mayDecideFor } from '../requests/deciders.ts';
import { waitingQueues } from '../outbox.ts';
import { wantsKind } from '../channel-kinds.ts';

export interface LeaseOptions {
  /** Identifies the holder of the messages leased by this call. */
  readonly lease: string;
  readonly leaseMs: number;
  /** Only channels of these kinds. */
  readonly kinds: readonly ChannelKind[];
  readonly limit: number;
  /** Most under way of a channel. */
  readonly perChannel: number;
  /** Channels with another limit than `perChannel`. */
  readonly limits?: ReadonlyMap<string, number>;
  /** Messages under way in this process, by channel. */
  readonly inFlight: ReadonlyMap<string, number>;
}

const WAITING = waitingQueues({ table: 'notification_deliveries', queue: 'channel_id' });

const DUE_KINDS: PreparedStatement = {
  name: 'find-due-kinds',
  sql: `with ${WAITING}
    select distinct c.kind from waiting w join notification_channels c on c.id = w.queue where w.since <= statement_timestamp()`,
};

/** The kinds of channels that have due messages. */
export async function findDueKinds(db: Db): Promise<ChannelKind[]> {
  return (await runPrepared<{ kind: ChannelKind }>(db, DUE_KINDS, {})).map(({ kind }) => kind);
}

const LEASE: PreparedStatement = {
  name: 'lease-due-deliveries',
  sql: `
    with ${WAITING},
    due as materialized (
      select picked.id from (
        select w.queue as channel_id,
               least(coalesce(b.at_most, :perChannel) - coalesce(b.in_hand, 0), greatest(:limit / count(*) over (), 1)) as room
          from waiting w
          left join unnest(cast(:channels as uuid[]), cast(:counts as integer[]), cast(:limits as integer[]))
                    as b (channel_id, in_hand, at_most) on b.channel_id = w.queue
         where w.since <= statement_timestamp() and coalesce(b.in_hand, 0) < coalesce(b.at_most, :perChannel)
           and (select c.kind from notification_channels c where c.id = w.queue) = any(cast(:kinds as text[]))
         order by coalesce(b.in_hand, 0), w.since
       ) as channel
       cross join lateral (
         select d.id from notification_deliveries d
          where d.channel_id = channel.channel_id and d.next_attempt_at <= statement_timestamp()
            and case d.event
                  when 'notified' then (
                    select l.id from claims l join approval_requests r on r.id = l.request_id and r.state = 'pending'
                     where l.request_id = d.request_id and l.ended_at is null and l.expires_at > statement_timestamp() limit 1) is null
                    or (select n.id from notifications n where n.id = d.notification_id and n.step_key = '${ADDED_STEP}') is not null
                  when 'digest' then true
                  else (
                    select n.id from notification_deliveries n
                     where n.request_id = d.request_id and n.channel_id = d.channel_id and n.event = 'notified' and n.next_attempt_at is not null
                       and n.lease is not null limit 1) is null
                end
          order by d.next_attempt_at limit channel.room for update skip locked
       ) as picked
       limit :limit
    )
    update notification_deliveries d
       set lease = cast(:lease as uuid), attempts = attempts + 1, next_attempt_at = clock_timestamp() + :leaseMs * interval '1 millisecond'
     where d.id = any(array(select due.id from due))
    returning d.id`,
};

/**
 * Leases due messages: the oldest of each channel, starting with the channels that have the fewest
 * under way, and at most a fair share of each. It reads no more rows than needed of each waiting
 * channel. Skips requests under a claim, unless the recipient was asked for help. Skips news of a
 * decision while a message about the request is under way. The subqueries compare `id` with null
 * because `exists` might scan whole tables.
 */
export async function leaseDue(
  db: Db,
  { lease, leaseMs, kinds, limit, perChannel, limits = new Map(), inFlight }: LeaseOptions,
): Promise<string[]> {
  const channels = [...new Set([...inFlight.keys(), ...limits.keys()])];
  const rows = await runPrepared<{ id: string }>(db, LEASE, {
    lease,
    leaseMs,
    kinds: [...kinds],
    limit,
    perChannel,
    channels,
    counts: channels.map((id) => String(inFlight.get(id) ?? 0)),
    limits: channels.map((id) => String(limits.get(id) ?? perChannel)),
  });
  return rows.map((row) => row.id);
}

interface LeasedMessage {
  readonly id: string;
  readonly channelId: string;
  readonly kind: ChannelKind;
  readonly channelEnabled: boolean;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly request: ApprovalRequest;
  readonly requesterState: RequesterState;
}

interface AskingMessage extends LeasedMessage {
  /** The request no longer waits for people, or its deadline has passed. */
  readonly closed: boolean;
  /** The request has a claim, and the recipient was not asked for help. */
  readonly claimed: boolean;
}

export interface LeasedRecipient extends Recipient {
  readonly active: boolean;
  readonly mayDecide: boolean;
  /** They did not turn off channels of this kind. */
  readonly wantsKind: boolean;
}

/**
 * A leased message with the current state that decides whether it is still sent. `announced` is a
 * stored `notified` without a recipient, for the organization's default channel. The `unreachable` and
 * `ran_differently` ones are stored as `notified`, too: their step tells them apart.
 */
export type LeasedDelivery =
  | (AskingMessage & {
      readonly event: 'notified';
      readonly recipient: LeasedRecipient;
      readonly level: NotifiedLevel;
      readonly occasion: Occasion;
    })
  | (AskingMessage & { readonly event: 'announced'; readonly occasion: Occasion })
  | (AskingMessage & { readonly event: 'unreachable_announced' })
  | (AskingMessage & { readonly event: 'unreachable'; readonly recipient: LeasedRecipient })
  | (LeasedMessage & { readonly event: 'ran_differently'; readonly recipient: LeasedRecipient })
  | (LeasedMessage & { readonly event: 'decided' })
  /** `request` is the first of its requests. Without a recipient for the default channel. */
  | (LeasedMessage & { readonly event: 'digest'; readonly recipient: LeasedRecipient | undefined });

interface AnyLeasedRow extends RequestRow {
  requesterState: RequesterState;
  xId: string;
  xAttempts: number;
  xCreatedAt: Date;
  channelId: string;
  channelKind: ChannelKind;
  channelEnabled: boolean;
}

/** The database lets a message refer to a notification, its member and its step only if it is no `decided`. */
interface NotifiedRow extends AnyLeasedRow {
  xEvent: 'notified' | 'digest';
  xAnnounces: boolean;
  xStep: string;
  closed: boolean;
  claimed: boolean;
  recipientId: string;
  recipientName: string;
  recipientEmail: string;
  recipientActive: boolean;
  recipientMayDecide: boolean;
  recipientWantsKind: boolean;
  levelNodeId: string | null;
  levelTeamId: string | null;
  levelRun: number;
  levelAt: Date;
  levelEscalateAt: Date | null;
  lapsedOf: string | null;
  lapsedName: string | null;
}

type LeasedRow = NotifiedRow | (AnyLeasedRow & { xEvent: 'decided' });

const LOAD: PreparedStatement = {
  name: 'load-leased-deliveries',
  sql: `
    select ${REQUEST_COLUMNS}, ${REQUESTER_STATE} as requester_state,
           x.id as x_id, x.event as x_event, x.announces as x_announces, n.step_key as x_step, x.attempts as x_attempts, x.created_at as x_created_at, x.channel_id,
           ch.kind as channel_kind, ch.enabled and ch.deleted_at is null as channel_enabled,
           r.state <> 'pending' or r.deadline_at <= clock_timestamp() as closed,
           r.state = 'pending' and c.expires_at is not null and c.expires_at > clock_timestamp()
             and n.step_key is distinct from '${ADDED_STEP}' as claimed,
           n.membership_id as recipient_id, u.display_name as recipient_name, u.email as recipient_email,
           coalesce(m.status = 'active', false) as recipient_active, ${mayDecideFor('r.agent_slug')} as recipient_may_decide,
           ${wantsKind('w', 'ch.kind')} as recipient_wants_kind,
           s.node_id as level_node_id, s.team_id as level_team_id, s.run as level_run, n.created_at as level_at,
           s.escalate_at as level_escalate_at, lapsed.membership_id as lapsed_of, lapsed.display_name as lapsed_name
      from ${REQUEST_TABLES}
      join notification_deliveries x on x.request_id = r.id
      join notification_channels ch on ch.id = x.channel_id
      left join notifications n on n.id = x.notification_id
      left join escalation_steps s on s.request_id = n.request_id and s.step_key = n.step_key
      left join memberships m on m.id = n.membership_id
      left join users u on u.id = m.user_id
      left join notification_settings w on w.membership_id = m.id
      left join lateral (
        select e.membership_id, e.display_name from claims e
         where starts_with(n.step_key, '${CLAIM_LAPSED_STEP}:') and e.request_id = r.id and e.ended_at is not null
         order by e.ended_at desc limit 1) as lapsed on true
     where x.id = any(cast(:ids as uuid[])) and x.lease = cast(:lease as uuid)`,
};

export async function loadLeased(
  db: Db,
  { lease, ids }: { readonly lease: string; readonly ids: readonly string[] },
): Promise<LeasedDelivery[]> {
  if (ids.length === 0) return [];
  return (await runPrepared<LeasedRow>(db, LOAD, { lease, ids })).map(toLeased);
}

function toLeased(row: LeasedRow): LeasedDelivery {
  const message = {
    id: row.xId,
    channelId: row.channelId,
    kind: row.channelKind,
    channelEnabled: row.channelEnabled,
    attempts: row.xAttempts,
    createdAt: row.xCreatedAt,
    request: toRequest(row),
    requesterState: row.requesterState,
  };
  if (row.xEvent === 'decided') return { ...message, event: 'decided' };
  if (row.xEvent === 'digest')
    return {
      ...message,
      event: 'digest',
      recipient: row.xAnnounces ? undefined : toRecipient(row),
    };
  if (row.xStep === RAN_DIFFERENTLY_STEP)
    return { ...message, event: 'ran_differently', recipient: toRecipient(row) };
  const isUnreachable = row.xStep === UNREACHABLE_STEP;
  const asking = { ...message, closed: row.closed, claimed: row.claimed };
  if (row.xAnnounces)
    return isUnreachable
      ? { ...asking, event: 'unreachable_announced' }
      : { ...asking, event: 'announced', occasion: toOccasion(row) };
  const to = { ...asking, recipient: toRecipient(row) };
  return isUnreachable
    ? { ...to, event: 'unreachable' }
    : { ...to, event: 'notified', level: toLevel(row), occasion: toOccasion(row) };
}

/** The last claim that ended, because the one that the step tells of may be followed by another. */
function toOccasion({ lapsedOf, lapsedName }: NotifiedRow): Occasion {
  return lapsedOf === null || lapsedName === null
    ? { kind: 'asked' }
    : { kind: 'claim_lapsed', holder: { membershipId: lapsedOf, displayName: lapsedName } };
}

function toRecipient(row: NotifiedRow): LeasedRecipient {
  return {
    membershipId: row.recipientId,
    displayName: row.recipientName,
    email: row.recipientEmail,
    active: row.recipientActive,
    mayDecide: row.recipientMayDecide,
    wantsKind: row.recipientWantsKind,
  };
}

function toLevel(row: NotifiedRow): NotifiedLevel {
  return {
    run: row.levelRun,
    notifiedAt: row.levelAt,
    ...(row.levelNodeId !== null && { nodeId: row.levelNodeId }),
    ...(row.levelTeamId !== null && { teamId: row.levelTeamId }),
    ...(row.levelEscalateAt !== null && { escalateAt: row.levelEscalateAt }),
  };
}

/**
 * The outcome of an attempt. `later`: the message was not sent yet; this does not count as an
 * attempt.
 */
export type Attempted =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dropped'; readonly reason: DropReason }
  | { readonly kind: 'dead'; readonly error: string; readonly cause: string }
  | {
      readonly kind: 'retry';
      readonly error: string;
      readonly cause: string;
      readonly afterMs: number;
    }
  | { readonly kind: 'later' };

export interface RecordedAttempt {
  readonly id: string;
  readonly lease: string;
  readonly attempted: Attempted;
}

const RECORD: PreparedStatement = {
  name: 'record-attempts',
  sql: `
    update notification_deliveries d
       set next_attempt_at = case a.kind when 'retry' then now + a.after_ms * interval '1 millisecond' when 'later' then now end,
           delivered_at = case a.kind when 'delivered' then now end,
           dead_at = case a.kind when 'dead' then now end,
           dropped_at = case a.kind when 'dropped' then now end, dropped_reason = a.reason,
           last_error = case when a.kind = 'delivered' then null else coalesce(a.error, d.last_error) end,
           cause = case when a.kind = 'delivered' then null else coalesce(a.cause, d.cause) end,
           attempts = d.attempts - case a.kind when 'later' then 1 else 0 end, lease = null
      from unnest(cast(:ids as uuid[]), cast(:leases as uuid[]), cast(:kinds as text[]), cast(:errors as text[]),
                  cast(:causes as text[]), cast(:reasons as text[]), cast(:delays as double precision[]))
             as a (id, lease, kind, error, cause, reason, after_ms),
           clock_timestamp() as now
     where d.id = a.id and d.lease = a.lease and d.next_attempt_at is not null
    returning d.id`,
};

/**
 * Records outcomes for holders of a lease. The result omits messages that another process leased
 * meanwhile or that are over.
 */
export async function recordAttempts(
  db: Db,
  attempts: readonly RecordedAttempt[],
): Promise<string[]> {
  const column = <T>(read: (attempted: Attempted) => T): T[] =>
    attempts.map(({ attempted }) => read(attempted));
  const rows = await runPrepared<{ id: string }>(db, RECORD, {
    ids: attempts.map(({ id }) => id),
    leases: attempts.map(({ lease }) => lease),
    kinds: column(({ kind }) => kind),
    errors: column((attempted) => ('error' in attempted ? attempted.error : null)),
    causes: column((attempted) => ('cause' in attempted ? attempted.cause : null)),
    reasons: column((attempted) => ('reason' in attempted ? attempted.reason : null)),
    delays: column((attempted) => ('afterMs' in attempted ? attempted.afterMs : null)),
  });
  return rows.map(({ id }) => id);
}

/**
 * Purges some messages: delivered or dropped 30 days ago, or dead for 90 days. Returns their
 * number.
 */
export async function deleteFinished(db: Db, limit: number): Promise<number> {
  const rows = await queryRows<unknown>(
    db,
    `with finished as (
       select id from notification_deliveries
        where coalesce(delivered_at, dropped_at) < statement_timestamp() - interval '30 days'
        order by coalesce(delivered_at, dropped_at) limit :limit for update skip locked
     ),
     given_up as (
       select id from notification_deliveries where dead_at < statement_timestamp() - interval '90 days'
        order by dead_at limit :limit for update skip locked
     )
     delete from notification_deliveries where id = any(array(select id from finished union all select id from given_up))
     returning 1`,
    { limit },
  );
  return rows.length;
}
