/** What reviewers see about the calls of some requests besides the requests. */
import type { CallMarks } from '../../../domain/requests/call-marks.ts';
import type { Db } from '../../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../../platform/rows.ts';

/**
 * SQL: who would read the response to a request `r`, as a `RequesterState`. Any live credential of the
 * instance may read it, not only the one that asked.
 */
export const REQUESTER_STATE = `(
  select case when a.status = 'archived' then 'agent_archived'
              when a.status = 'disabled' then 'agent_disabled'
              when i.status = 'disabled' then 'instance_disabled'
              when exists (select from agent_credentials k
                            where k.agent_instance_id = i.id and k.revoked_at is null and k.expires_at > clock_timestamp()) then 'active'
              else 'credential_ended' end
    from agents a join agent_instances i on i.id = r.agent_instance_id
   where a.organization_id = r.organization_id and a.slug = r.agent_slug)`;

/** Identical calls are counted up to this number. */
const MOST_IDENTICAL = 1_000;

/**
 * The planner does not see the value in a subquery, so that only the index of calls fits. A plan made while few requests wait
 * would otherwise read all pending ones for each row of a list, and Postgres keeps such a plan.
 */
const PENDING = `(select cast('pending' as text))`;

const FIND: PreparedStatement = {
  name: 'find-call-marks',
  sql: `
    select r.id, ${REQUESTER_STATE} as requester_state,
           a.demo as is_demo, a.approval_window_seconds as approval_window,
           greatest(
             case when r.state = 'pending' then 1 else 0 end,
             (select cast(count(*) as integer) from (
                select from approval_requests w
                 where w.call_digest = r.call_digest and w.state in ('pending', 'denied') and w.state = ${PENDING} limit ${MOST_IDENTICAL}) as same)
           ) as identical_pending,
           (select w.updated_at from approval_requests w
             where w.call_digest = r.call_digest and w.state = 'denied' and w.id <> r.id
               and w.updated_at > clock_timestamp() - interval '1 hour'
             order by w.updated_at desc limit 1) as last_denied_at
      from approval_requests r
      join agents a on a.organization_id = r.organization_id and a.slug = r.agent_slug
     where r.id = any(cast(:ids as uuid[]))`,
};

/** By id. The caller may see the requests. */
export async function findCallMarks(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CallMarks>> {
  if (ids.length === 0) return new Map();
  const rows = await runPrepared<CallMarks & { readonly id: string }>(db, FIND, { ids: [...ids] });
  return new Map(rows.map(({ id, ...marks }) => [id, marks]));
}
