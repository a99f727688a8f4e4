/**
 * Requests that wait only for people who may no longer decide. The transaction that takes rights away looks for them. A step looks
 * at its own request: `src/domain/requests/engine/unreachable.ts`.
 */
import type { Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { UNREACHABLE_STEP } from '../../domain/escalation/step-keys.ts';
import { mayDecideFor, joinDeciders } from './deciders.ts';

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
const ASKED = `(
  select request_id, step_key, membership_id from notifications
   union all
  select request_id, 'claim', membership_id from claims where ended_at is null)`;

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

/**
 * `place` is what an unclaimed request's walk waits for, a level, or else the claim. Requests `alone` wait for no one at a
 * level: without a path, at its end, or at a wait where no one was asked. Theirs is a group of everyone who was ever asked.
 * Prepared, because planning it took 17 ms at each call.
 */
const WAKE: PreparedStatement = {
  name: 'wake-unreachable',
  sql: `
    with waiting as materialized (
      select r.id, r.agent_slug as slug, r.escalation_path_revision_id as revision,
             case when c.id is not null then 'claim' when r.walk ->> 'phase' = 'level' then (r.walk ->> 'nodeId') || ':' || (r.walk ->> 'run') end as place,
             c.id is null and (r.escalation_path_revision_id is null or r.walk ->> 'phase' <> 'level' or r.walk ->> 'told' is null)
               and not ${TOLD_UNREACHABLE} as alone,
             r.escalation_path_revision_id is null or r.walk ->> 'phase' = 'exhausted' as over
        from approval_requests r left join claims c on c.request_id = r.id and c.ended_at is null
       where r.organization_id = :organizationId and r.state = 'pending' and r.routed_at is not null
    ),
    theirs as materialized (
      select w.id, w.slug, w.revision, n.step_key, n.membership_id
        from waiting w join ${ASKED} as n on n.request_id = w.id
       where n.membership_id = any(cast(:membershipIds as uuid[])) and (n.step_key = w.place or starts_with(n.step_key, w.place || ':'))
    ),
    deciders_among_theirs as materialized (${decidersAmong('theirs')}),
    empty_path as materialized (
      select e.slug, e.revision
        from (select distinct slug, revision from waiting where alone and not over) as e
       where not exists (
         select 1 from memberships m
          where m.organization_id = :organizationId and ${mayDecideFor('e.slug')} and ${isTargeted('e.revision')})
    ),
    asked as materialized (
      select l.id, l.slug, l.revision, l.step_key, n.membership_id
        from (select distinct t.id, t.slug, t.revision, t.step_key
                from theirs t left join deciders_among_theirs d on ${same('d', 't')} where d.on_path is not true) as l
        join ${ASKED} as n on n.request_id = l.id and n.step_key = l.step_key
       union all
      select w.id, w.slug, w.revision, null, n.membership_id
        from waiting w left join notifications n on n.request_id = w.id
       where w.alone and (w.over or exists (select 1 from empty_path e where e.slug = w.slug and e.revision = w.revision))
    ),
    deciders_among_asked as materialized (${decidersAmong('asked')}),
    unreachable as materialized (
      select a.id from asked a left join deciders_among_asked d on ${same('d', 'a')}
       group by a.id, a.step_key
      having bool_and(d.membership_id is null or not d.on_path and not exists (
               select 1 from added_reviewers r where r.request_id = a.id and r.membership_id = a.membership_id))
    ),
    locked as materialized (
      select id from approval_requests where id in (select id from unreachable) and state = 'pending' order by id for no key update
    ),
    clock as materialized (select clock_timestamp() as now)
    update approval_requests r set next_at = clock.now, wake_at = clock.now, wake_attempts = 0
      from locked, clock where r.id = locked.id
    returning r.id`,
};

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
  return (await runPrepared<{ id: string }>(trx, WAKE, bindings)).map(({ id }) => id);
}
