/**
 * Locks requests before they are read, for changes that must not find them changed afterwards. Rows are locked `for no key
 * update`, so that foreign keys can be checked meanwhile. Only a request that may be removed is locked `for update`.
 */
import type { Trx } from '../../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../../platform/rows.ts';

const LOCK: PreparedStatement = {
  name: 'lock-approval-requests',
  sql: `select id from approval_requests where id = any(cast(:ids as uuid[])) order by id for no key update`,
};

/** In the order of their ids, as every writer does. */
export async function lockRequests(trx: Trx, ids: readonly string[]): Promise<void> {
  await runPrepared(trx, LOCK, { ids: [...ids] });
}

const LOCK_TO_REMOVE: PreparedStatement = {
  name: 'lock-approval-request-to-remove',
  sql: `select id from approval_requests where id = cast(:id as uuid) for update`,
};

/** A request that a cap may remove. */
export async function lockRequestToRemove(trx: Trx, id: string): Promise<void> {
  await runPrepared(trx, LOCK_TO_REMOVE, { id });
}

/**
 * Locks every open request of the organization, of one of its agents or of one instance, and returns the ids. Waits for requests that others
 * are changing, and leaves out those that are decided then.
 */
export async function lockOpenRequests(
  trx: Trx,
  organizationId: string,
  {
    agentSlug,
    instanceId,
  }: { readonly agentSlug?: string | undefined; readonly instanceId?: string | undefined } = {},
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    trx,
    `select id from approval_requests
      where organization_id = :organizationId and state in ('evaluating', 'pending')
        and (cast(:agentSlug as text) is null or agent_slug = :agentSlug)
        and (cast(:instanceId as uuid) is null or agent_instance_id = :instanceId)
      order by id for no key update`,
    { organizationId, agentSlug: agentSlug ?? null, instanceId: instanceId ?? null },
  );
  return rows.map((row) => row.id);
}

/** Locks the pending requests that the member claims, and returns the ids. */
export async function lockRequestsClaimedBy(
  trx: Trx,
  organizationId: string,
  membershipId: string,
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    trx,
    `select r.id from approval_requests r
      where r.organization_id = :organizationId and r.state = 'pending'
        and r.id in (select request_id from claims where membership_id = :membershipId and ended_at is null)
      order by r.id for no key update`,
    { organizationId, membershipId },
  );
  return rows.map((row) => row.id);
}

/** Keeps the path of a revision from being archived, or its active revision from changing, until the transaction ends. */
export async function lockPathOf(trx: Trx, revisionId: string): Promise<void> {
  await trx.raw(
    `select 1 from escalation_paths p join escalation_path_revisions v on v.escalation_path_id = p.id
      where v.id = :revisionId for share of p`,
    { revisionId },
  );
}
