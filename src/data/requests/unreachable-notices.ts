/** Requests that no one is left to decide, and the owners who are told of it. */
import type { Decider } from '../../domain/requests/deciders.ts';
import { UNREACHABLE_STEP } from '../../domain/escalation/step-keys.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { isTargeted, MAY_DECIDE_REQUEST, mayDecideFor } from './deciders.ts';

/** SQL: owners were told that no one is left to decide the request `r`. */
export const TOLD_UNREACHABLE = `exists (
  select 1 from escalation_steps t where t.request_id = r.id and t.step_key = '${UNREACHABLE_STEP}')`;

/** SQL: someone targeted by the path of `from` may decide. `slug`, `revision`: SQL expressions. */
export const someoneOnPath = (
  organizationId: string,
  { slug, revision }: { readonly slug: string; readonly revision: string },
): string => `exists (
  select 1 from memberships m
   where m.organization_id = ${organizationId} and ${mayDecideFor(slug)} and ${isTargeted(revision)})`;

/** A request that waits for no one it has asked. */
export interface Unasked {
  readonly id: string;
  /** No one further is asked: the path is exhausted, or there is none. */
  readonly over: boolean;
}

const FIND: PreparedStatement = {
  name: 'find-unreachable',
  sql: `
    select r.id
      from unnest(cast(:ids as uuid[]), cast(:overs as boolean[])) as s (id, over)
      join approval_requests r on r.id = s.id
     where not ${TOLD_UNREACHABLE}
       and not exists (
         select 1 from notifications o join memberships m on m.id = o.membership_id
          where o.request_id = r.id and ${MAY_DECIDE_REQUEST})
       and (s.over or not ${someoneOnPath('r.organization_id', { slug: 'r.agent_slug', revision: 'r.escalation_path_revision_id' })})`,
};

/**
 * Those of the requests that no one is left to decide, and whose owners were not told so: none of
 * the people asked may decide, and no one is to come. Owners who were not asked do not count.
 */
export async function findUnreachable(db: Db, requests: readonly Unasked[]): Promise<string[]> {
  if (requests.length === 0) return [];
  const rows = await runPrepared<{ id: string }>(db, FIND, {
    ids: requests.map(({ id }) => id),
    overs: requests.map(({ over }) => String(over)),
  });
  return rows.map(({ id }) => id);
}

const OWNERS: PreparedStatement = {
  name: 'find-owners',
  sql: `
    select m.id as membership_id, u.display_name
      from memberships m join users u on u.id = m.user_id
     where m.organization_id = cast(:organizationId as uuid) and m.status = 'active'
       and exists (select 1 from held_policies p where p.membership_id = m.id and p.organization_id = m.organization_id and p.is_owner)
     order by m.created_at, m.id`,
};

/** The active owners, longest membership first. */
export async function findOwners(db: Db, organizationId: string): Promise<Decider[]> {
  return await runPrepared<Decider>(db, OWNERS, { organizationId });
}
