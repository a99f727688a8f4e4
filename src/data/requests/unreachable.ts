/**
 * Requests that wait only for people who may no longer decide, or that no message reached. The transaction that takes rights away
 * looks for them, and the one that records a failed message. A step looks at its own request:
 * `src/domain/requests/engine/unreachable.ts`.
 */
import type { Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { UNREACHABLE_STEP } from '../../domain/escalation/step-keys.ts';
import { mayDecideFor, joinDeciders } from './deciders.ts';
import { notifiedOf } from './unreached.ts';
import { makeDue } from './wake.ts';

/** SQL: owners were told that no one is left to decide the request `r`. */
export const TOLD_UNREACHABLE = `exists (
  select 1 from escalation_steps t where t.request_id = r.id and t.step_key = '${UNREACHABLE_STEP}')`;

/** SQL: the path revision targets the membership `m`. `revision` is an SQL expression. */
const isTargeted = (revision: string): string => `exists (
  select 1 from escalation_path_targets pt
   where pt.escalation_path_revision_id = ${revision}
     and (pt.target_type = 'broadcast' or pt.membership_id = m.id
       or pt.team_id in (select tm.team_id from team_members tm join teams g on g.id = tm.team_id
                          where tm.membership_id = m.id and g.archived_at is null)))`;

/** The people a request waits for: those notified at each step, and the holder of its claim. */
const askedBy = (request: string): string => `(
  select n.step_key, n.membership_id, n.unreached is not null as is_unreached from (${notifiedOf(request)}) as n
   union all
  select 'claim', membership_id, false from claims where ended_at is null and request_id = ${request})`;

/**
 * Those people in `source` who may decide for that agent, and whether the path leaves it to them.
 * One row each, for any number of requests.
 */
const decidersAmong = (source: string): string => `
  select s.slug, s.revision, s.membership_id,
         s.revision is null or held.decides_others or ${isTargeted('s.revision')} as on_path
    from (select distinct slug, revision, membership_id from ${source}) as s
    join memberships m on m.id = s.membership_id
    ${joinDeciders('s.slug')}`;

const same = (one: string, other: string): string =>
  `${one}.slug = ${other}.slug and ${one}.membership_id = ${other}.membership_id and ${one}.revision is not distinct from ${other}.revision`;

interface Waking {
  readonly name: string;
  /** SQL: of the pending requests `r`, those to look at. */
  readonly requests: string;
  /** SQL: the people `n` that the requests `w` wait for. */
  readonly people: string;
  /** SQL: of these people, those who may be lost. */
  readonly lost: string;
}

/**
 * `place` is what an unclaimed request's walk waits for, a level, or else the claim. Requests `alone` wait for no one at a
 * level: without a path, at its end, or at a wait where no one was asked. Theirs is a group of everyone who was ever asked.
 * Prepared, because planning it took 17 ms at each call.
 */
const wake = ({ name, requests, people, lost }: Waking): PreparedStatement => ({
  name,
  sql: `
    with waiting as materialized (
      select r.id, r.organization_id, r.agent_slug as slug, r.escalation_path_revision_id as revision,
             case when c.id is not null then 'claim' when r.walk ->> 'phase' = 'level' then (r.walk ->> 'nodeId') || ':' || (r.walk ->> 'run') end as place,
             c.id is null and (r.escalation_path_revision_id is null or r.walk ->> 'phase' <> 'level' or r.walk ->> 'told' is null)
               and not ${TOLD_UNREACHABLE} as alone,
             r.escalation_path_revision_id is null or r.walk ->> 'phase' = 'exhausted' as over
        from approval_requests r left join claims c on c.request_id = r.id and c.ended_at is null
       where ${requests} and r.state = 'pending' and r.routed_at is not null
    ),
    theirs as materialized (
      select w.id, w.slug, w.revision, n.step_key, n.membership_id, n.is_unreached
        from waiting w ${people}
       where ${lost} and (n.step_key = w.place or starts_with(n.step_key, w.place || ':'))
    ),
    deciders_among_theirs as materialized (${decidersAmong('theirs')}),
    empty_path as materialized (
      select e.slug, e.revision
        from (select distinct organization_id, slug, revision from waiting where alone and not over) as e
       where not exists (
         select 1 from memberships m
          where m.organization_id = e.organization_id and ${mayDecideFor('e.slug')} and ${isTargeted('e.revision')})
    ),
    asked as materialized (
      select l.id, l.slug, l.revision, l.step_key, n.membership_id, n.is_unreached
        from (select distinct t.id, t.slug, t.revision, t.step_key
                from theirs t left join deciders_among_theirs d on ${same('d', 't')} where d.on_path is not true or t.is_unreached) as l
        cross join lateral ${askedBy('l.id')} as n where n.step_key = l.step_key
       union all
      select w.id, w.slug, w.revision, null, n.membership_id, n.unreached is not null
        from waiting w left join lateral (${notifiedOf('w.id')}) as n on true
       where w.alone and (w.over or exists (select 1 from empty_path e where e.slug = w.slug and e.revision = w.revision))
    ),
    deciders_among_asked as materialized (${decidersAmong('asked')}),
    unreachable as materialized (
      select a.id from asked a left join deciders_among_asked d on ${same('d', 'a')}
       group by a.id, a.step_key
      having bool_and(a.is_unreached or d.membership_id is null or not d.on_path and not exists (
               select 1 from added_reviewers r where r.request_id = a.id and r.membership_id = a.membership_id))
    ),${makeDue('unreachable')}`,
});

const WAKE_UNREACHABLE = wake({
  name: 'wake-unreachable',
  requests: 'r.organization_id = :organizationId',
  people: `join (
          select request_id, step_key, membership_id, false as is_unreached from notifications
           union all
          select request_id, 'claim', membership_id, false from claims where ended_at is null) as n on n.request_id = w.id`,
  lost: 'n.membership_id = any(cast(:membershipIds as uuid[]))',
});

const WAKE_UNREACHED = wake({
  name: 'wake-unreached',
  requests: 'r.id = any(cast(:requestIds as uuid[]))',
  people: `cross join lateral ${askedBy('w.id')} as n`,
  lost: 'n.is_unreached',
});

/**
 * Call it in the transaction that took rights from these members, and that has locked the organization's access before: so
 * no step is notifying them, and those that come see who may decide. It makes three kinds of waiting
 * requests due at once: those claimed by a member who may not decide, unclaimed ones where a step
 * of the current level has lost everyone it notified, and those that no one is left to decide.
 * Returns their ids. Requests are locked in the order of their ids, as by every writer.
 */
export async function wakeUnreachable(
  trx: Trx,
  organizationId: string,
  membershipIds: readonly string[],
): Promise<string[]> {
  if (membershipIds.length === 0) return [];
  const bindings = { organizationId, membershipIds: [...membershipIds] };
  return (await runPrepared<{ id: string }>(trx, WAKE_UNREACHABLE, bindings)).map(({ id }) => id);
}

const LOCK_OF: PreparedStatement = {
  name: 'lock-requests-of-deliveries',
  sql: `
    select id from approval_requests
     where state = 'pending' and id in (
       select request_id from notification_deliveries
        where (id = any(cast(:deliveryIds as uuid[])) or digest_id = any(cast(:deliveryIds as uuid[]))) and event = 'notified')
     order by id for no key update`,
};

/**
 * Locks the pending requests that these messages are about, before the messages change. So of two messages that fail at the
 * same time, one change sees the other.
 */
export async function lockRequestsOf(trx: Trx, deliveryIds: readonly string[]): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(trx, LOCK_OF, { deliveryIds: [...deliveryIds] });
  return rows.map(({ id }) => id);
}

const LOCK_OF_CHANNEL: PreparedStatement = {
  name: 'lock-requests-of-channel',
  sql: `
    with due as materialized (select id from notification_deliveries where channel_id = :channelId and next_attempt_at is not null)
    select id from approval_requests
     where state = 'pending' and id in (
       select request_id from notification_deliveries
        where (id in (select id from due) or digest_id in (select id from due)) and event = 'notified')
     order by id for no key update`,
};

/** The same for all messages of a channel that wait to be sent, before they are dropped. */
export async function lockRequestsOfChannel(trx: Trx, channelId: string): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(trx, LOCK_OF_CHANNEL, { channelId });
  return rows.map(({ id }) => id);
}

/**
 * Makes those of the requests due where no message reached anyone who may decide: at a step of the current level, or at all
 * where no one else is to come. For the transaction that recorded failures, after `lockRequestsOf`.
 */
export async function wakeUnreached(trx: Trx, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length === 0) return;
  await runPrepared(trx, WAKE_UNREACHED, { requestIds: [...requestIds] });
}
