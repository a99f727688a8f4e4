/** Escalation paths, and the people and teams that each revision names. */
import type { Target } from '../../domain/escalation/types.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';
import type { RevisionTables } from '../revisions.ts';

export const escalationPathTables: RevisionTables = {
  documents: 'escalation_paths',
  revisions: 'escalation_path_revisions',
  documentId: 'escalation_path_id',
  named: true,
};

/** Records the people and teams that a new revision names anywhere. */
export async function insertTargets(
  trx: Trx,
  { revisionId, targets }: { readonly revisionId: string; readonly targets: readonly Target[] },
): Promise<void> {
  if (targets.length === 0) return;
  await trx('escalation_path_targets').insert(
    targets.map((target) => ({
      escalation_path_revision_id: revisionId,
      target_type: target.type,
      membership_id: target.type === 'user' ? target.id : null,
      team_id: target.type === 'team' ? target.id : null,
    })),
  );
}

interface PathState {
  readonly pathKey: string;
  readonly active: boolean;
}

const PATH_STATES = `
  select document_key as path_key, active_revision is not null as active
    from escalation_paths
   where organization_id = :organizationId and document_key = any(:pathKeys)
   order by document_key collate "C"`;

/** The existing paths of these keys, ordered by key. */
export async function findPathStates(
  db: Db,
  organizationId: string,
  pathKeys: readonly string[],
): Promise<PathState[]> {
  if (pathKeys.length === 0) return [];
  return await queryRows<PathState>(db, PATH_STATES, { organizationId, pathKeys: [...pathKeys] });
}

/**
 * The same paths, and each stays as it is until the end of the transaction. So no path is archived
 * while a pipeline that names it is activated.
 */
export async function lockPathStates(
  trx: Trx,
  organizationId: string,
  pathKeys: readonly string[],
): Promise<PathState[]> {
  if (pathKeys.length === 0) return [];
  const parameters = { organizationId, pathKeys: [...pathKeys] };
  return await queryRows<PathState>(trx, `${PATH_STATES} for share`, parameters);
}

/**
 * Those of these memberships that a path may name: members of the organization who were not
 * removed.
 */
export async function findAddressable(
  db: Db,
  organizationId: string,
  membershipIds: readonly string[],
): Promise<string[]> {
  if (membershipIds.length === 0) return [];
  return await db('memberships')
    .where({ organization_id: organizationId })
    .whereIn('id', [...membershipIds])
    .whereNot('status', 'deprovisioned')
    .pluck<string[]>('id');
}

/** A path whose active revision names a given member or team. */
export interface NamingPath {
  readonly pathKey: string;
  readonly name: string;
  readonly revision: number;
}

/** The paths whose active revision asks this member by name, ordered by key. */
export async function listPathsNaming(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<NamingPath[]> {
  return await selectNaming(db, organizationId, { column: 'membership_id', id: membershipId });
}

/** The paths whose active revision asks this team, ordered by key. */
export async function listPathsNamingTeam(
  db: Db,
  organizationId: string,
  teamId: string,
): Promise<NamingPath[]> {
  return await selectNaming(db, organizationId, { column: 'team_id', id: teamId });
}

/** The documents of the paths whose active revision asks this team, as text, ordered by key. */
export async function listPathsAskingTeam(
  db: Db,
  organizationId: string,
  teamId: string,
): Promise<{ readonly pathKey: string; readonly document: string }[]> {
  return await queryRows(
    db,
    `select p.document_key as path_key, cast(r.document as text) as document
       from escalation_path_targets t
       join escalation_path_revisions r on r.id = t.escalation_path_revision_id
       join escalation_paths p on p.id = r.escalation_path_id and p.active_revision = r.revision
      where p.organization_id = :organizationId and t.team_id = :teamId
      order by p.document_key collate "C"`,
    { organizationId, teamId },
  );
}

async function selectNaming(
  db: Db,
  organizationId: string,
  { column, id }: { readonly column: 'membership_id' | 'team_id'; readonly id: string },
): Promise<NamingPath[]> {
  return await queryRows<NamingPath>(
    db,
    `select p.document_key as path_key, r.document ->> 'name' as name, r.revision
       from escalation_path_targets t
       join escalation_path_revisions r on r.id = t.escalation_path_revision_id
       join escalation_paths p on p.id = r.escalation_path_id and p.active_revision = r.revision
      where p.organization_id = :organizationId and t.${column} = :id
      order by p.document_key collate "C"`,
    { organizationId, id },
  );
}

/** Requests waiting on a path revision that asks the team. */
interface WaitingRequests {
  readonly count: number;
  /** The ones that expire first. */
  readonly requestIds: readonly string[];
}

/** `limit`: how many request ids to return at most. */
export async function findWaitingOnTeam(
  db: Db,
  organizationId: string,
  { teamId, limit }: { readonly teamId: string; readonly limit: number },
): Promise<WaitingRequests> {
  return await queryOne<WaitingRequests>(
    db,
    `with waiting as (
       select r.id, r.deadline_at
         from escalation_path_targets t
         join approval_requests r on r.escalation_path_revision_id = t.escalation_path_revision_id
        where r.organization_id = :organizationId and r.state in ('evaluating', 'pending') and t.team_id = :teamId
     )
     select (select count(*) from waiting) as count,
            array(select id from waiting order by deadline_at, id limit :limit) as request_ids`,
    { organizationId, teamId, limit },
  );
}
