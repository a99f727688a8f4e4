/**
 * Requests whose notified people may no longer decide. The transaction that takes rights away looks for them. A step looks
 * at its own request: `src/domain/requests/engine/unreachable.ts`.
 */
import type { Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { UNREACHABLE_STEP } from '../../domain/escalation/step-keys.ts';
import { isTargeted, MAY_DECIDE_REQUEST, mayDecideFor, reaches } from './deciders.ts';

/** SQL: owners were told that no one is left to decide the request `r`. */
export const TOLD_UNREACHABLE = `exists (
  select 1 from escalation_steps t where t.request_id = r.id and t.step_key = '${UNREACHABLE_STEP}')`;

/** SQL: someone that the path revision targets may decide for the agent. All arguments are SQL expressions. */
const someoneOnPath = (
  organizationId: string,
  { slug, revision }: { readonly slug: string; readonly revision: string },
): string => `exists (
  select 1 from memberships m
   where m.organization_id = ${organizationId} and ${mayDecideFor(slug)} and ${isTargeted(revision)})`;

const inside = (key: string, level: string): string =>
  `(${key} = ${level} or starts_with(${key}, ${level} || ':'))`;

/**
 * Which people in `source` may decide requests of that agent and path. One row each, for any number
 * of requests.
 */
const standings = (source: string): string => `
  select s.slug, s.revision, s.membership_id, decides, decides and ${reaches('s.slug', 's.revision')} as may_decide
    from (select distinct slug, revision, membership_id from ${source}) as s
    join memberships m on m.id = s.membership_id
    cross join lateral (select ${mayDecideFor('s.slug')} as decides) as d`;

const same = (one: string, other: string): string =>
  `${one}.slug = ${other}.slug and ${one}.revision = ${other}.revision and ${one}.membership_id = ${other}.membership_id`;

// Prepared, because planning it took 17 ms at each call.
const FIND_UNREACHABLE: PreparedStatement = {
  name: 'find-unreachable',
  sql: `
    with waiting as materialized (
      select r.id, r.agent_slug as slug, r.escalation_path_revision_id as revision,
             (r.walk ->> 'nodeId') || ':' || (r.walk ->> 'run') as level
        from approval_requests r
       where r.organization_id = :organizationId and r.state = 'pending' and r.routed_at is not null
         and r.escalation_path_revision_id is not null and r.walk ->> 'phase' = 'level'
         and not exists (select 1 from claims c where c.request_id = r.id and c.ended_at is null)
    ),
    theirs as materialized (
      select w.id, w.slug, w.revision, n.step_key, n.membership_id
        from waiting w join notifications n on n.request_id = w.id
       where n.membership_id = any(cast(:membershipIds as uuid[])) and ${inside('n.step_key', 'w.level')}
    ),
    their_standings as materialized (${standings('theirs')}),
    notified as materialized (
      select l.id, l.step_key, l.slug, l.revision, n.membership_id
        from (select distinct t.id, t.step_key, t.slug, t.revision
                from theirs t join their_standings s on ${same('s', 't')} and not s.may_decide) as l
        join notifications n on n.request_id = l.id and n.step_key = l.step_key
    ),
    notified_standings as materialized (${standings('notified')}),
    unreachable as (
      select n.id from notified n join notified_standings s on ${same('s', 'n')}
       group by n.id, n.step_key
      having not bool_or(s.may_decide or s.decides and exists (
               select 1 from added_reviewers a where a.request_id = n.id and a.membership_id = n.membership_id))
       union
      select r.id
        from claims c join approval_requests r on r.id = c.request_id join memberships m on m.id = c.membership_id
       where c.membership_id = any(cast(:membershipIds as uuid[])) and c.ended_at is null
         and r.organization_id = :organizationId and not ${MAY_DECIDE_REQUEST}
    )
    select id from unreachable`,
};

/**
 * Requests that wait for no level: without a path, at its end, or at a wait where no one was asked.
 * They are due when none of the people asked may decide, and no one is to come.
 */
const FIND_LEFT_ALONE: PreparedStatement = {
  name: 'find-left-alone',
  sql: `
    with waiting as materialized (
      select r.id, r.agent_slug as slug, r.escalation_path_revision_id as revision,
             r.escalation_path_revision_id is null or r.walk ->> 'phase' = 'exhausted' as over
        from approval_requests r
       where r.organization_id = :organizationId and r.state = 'pending' and r.routed_at is not null
         and (r.escalation_path_revision_id is null or r.walk ->> 'phase' <> 'level' or r.walk ->> 'told' is null)
         and not exists (select 1 from claims c where c.request_id = r.id and c.ended_at is null)
         and not ${TOLD_UNREACHABLE}
    ),
    asked as materialized (
      select w.id, w.slug, w.revision, n.membership_id from waiting w join notifications n on n.request_id = w.id
    ),
    asked_standings as materialized (${standings('asked')}),
    empty_path as materialized (
      select e.slug, e.revision
        from (select distinct slug, revision from waiting where not over) as e
       where not ${someoneOnPath(':organizationId', { slug: 'e.slug', revision: 'e.revision' })}
    ),
    left_alone as (
      select w.id from waiting w
       where (w.over or exists (select 1 from empty_path e where e.slug = w.slug and e.revision = w.revision))
         and not exists (
           select 1 from asked n
             join asked_standings s
               on s.slug = n.slug and s.revision is not distinct from n.revision and s.membership_id = n.membership_id
            where n.id = w.id and (s.may_decide or s.decides and exists (
              select 1 from added_reviewers a where a.request_id = n.id and a.membership_id = n.membership_id)))
    )
    select id from left_alone`,
};

/** Both kinds at once, because each writer of several requests locks them in the order of their ids. */
const WAKE: PreparedStatement = {
  name: 'wake-unreachable',
  sql: `
    with locked as materialized (
      select id from approval_requests where id = any(cast(:ids as uuid[])) and state = 'pending' order by id for no key update
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
  const theirs = await runPrepared<{ id: string }>(trx, FIND_UNREACHABLE, {
    organizationId,
    membershipIds: [...membershipIds],
  });
  const alone = await runPrepared<{ id: string }>(trx, FIND_LEFT_ALONE, { organizationId });
  const ids = [...new Set([...theirs, ...alone].map(({ id }) => id))];
  if (ids.length === 0) return [];
  return (await runPrepared<{ id: string }>(trx, WAKE, { ids })).map(({ id }) => id);
}
