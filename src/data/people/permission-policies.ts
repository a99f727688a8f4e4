/** Permission policies: what a member, a team or an organization key may do, and where. */
import type {
  PolicyHolder,
  PermissionPolicy,
  PolicyHolderState,
  PolicyResource,
  PolicyTerms,
} from '../../domain/people/permission-policies.ts';
import { v7 } from 'uuid';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';

/** SQL for policies as one jsonb array of HeldPolicy. */
const heldPolicies = (source: string): string => `
  (select coalesce(jsonb_agg(jsonb_build_object('scope_kind', p.scope_kind, 'resource_ids', p.resource_ids,
                                                'permissions', p.permissions, 'is_owner', p.is_owner)), '[]')
     from ${source})`;

/**
 * SQL for the policies of membership `m` and of its live teams, as one jsonb array of HeldPolicy.
 */
export const HELD_POLICIES = heldPolicies('held_policies p where p.membership_id = m.id');

/** SQL for the policies of organization key `k`, as one jsonb array of HeldPolicy. */
export const KEY_POLICIES = heldPolicies('permission_policies p where p.api_key_id = k.id');

/** The column that names the holder, in the table and in the audit log. */
export const HOLDER_COLUMNS = {
  membership: 'membership_id',
  team: 'team_id',
  organization_api_key: 'api_key_id',
} as const satisfies Record<PolicyHolder['kind'], string>;

const COLUMNS = `
  p.id, p.scope_kind, p.resource_ids, p.permissions, p.is_owner, p.source, p.revision,
  p.granted_by_actor_id, p.created_at`;

const OWN = `select ${COLUMNS}, cast(null as uuid) as via_team_id, cast(null as text) as via_team_name from permission_policies p`;

/**
 * The holder's policies, oldest first. A member's own policies come before those of their teams, by
 * team name.
 */
export async function listPolicies(
  db: Db,
  organizationId: string,
  holder: PolicyHolder,
): Promise<PermissionPolicy[]> {
  return await selectPolicies(db, organizationId, { holder });
}

/** One policy of `listPolicies`. */
export async function findPolicy(
  db: Db,
  organizationId: string,
  reference: { readonly holder: PolicyHolder; readonly id: string },
): Promise<PermissionPolicy | undefined> {
  return (await selectPolicies(db, organizationId, reference))[0];
}

async function selectPolicies(
  db: Db,
  organizationId: string,
  { holder, id = null }: { readonly holder: PolicyHolder; readonly id?: string | null },
): Promise<PermissionPolicy[]> {
  const held =
    holder.kind === 'membership'
      ? `select ${COLUMNS}, p.via_team_id, p.via_team_name from held_policies p`
      : OWN;
  return await queryRows<PermissionPolicy>(
    db,
    `select * from (
       ${held}
        where p.organization_id = :organizationId and p.${HOLDER_COLUMNS[holder.kind]} = :holderId
          and (cast(:id as uuid) is null or p.id = :id)
     ) as held
      order by lower(via_team_name) collate "C" nulls first, via_team_id, created_at, id`,
    { organizationId, holderId: holder.id, id },
  );
}

/** What members may do: by their own policies, and by those of their live teams. */
export interface MemberAccess {
  readonly membershipId: string;
  readonly displayName: string;
  readonly active: boolean;
  readonly policies: readonly PermissionPolicy[];
}

/** Those of these members who are not removed, by name. */
export async function listMemberAccess(
  db: Db,
  organizationId: string,
  membershipIds: readonly string[],
): Promise<MemberAccess[]> {
  if (membershipIds.length === 0) return [];
  const bindings = { organizationId, membershipIds: [...membershipIds] };
  const members = await queryRows<Omit<MemberAccess, 'policies'>>(
    db,
    `select m.id as membership_id, u.display_name, m.status = 'active' as active
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.id = any(cast(:membershipIds as uuid[])) and m.status <> 'deprovisioned'
      order by lower(u.display_name), m.id`,
    bindings,
  );
  const policies = await queryRows<PermissionPolicy & { readonly membershipId: string }>(
    db,
    `select p.membership_id, ${COLUMNS}, p.via_team_id, p.via_team_name from held_policies p
      where p.organization_id = :organizationId and p.membership_id = any(cast(:membershipIds as uuid[]))
      order by p.created_at, p.id`,
    bindings,
  );
  const held = new Map<string, PermissionPolicy[]>(members.map((each) => [each.membershipId, []]));
  for (const { membershipId, ...policy } of policies) held.get(membershipId)?.push(policy);
  return members.map((each) => ({ ...each, policies: held.get(each.membershipId) ?? [] }));
}

/** How many policies the holder has, without inherited ones. */
export async function countPolicies(
  db: Db,
  organizationId: string,
  { kind, id }: PolicyHolder,
): Promise<number> {
  const row = (await db('permission_policies')
    .where({ organization_id: organizationId, [HOLDER_COLUMNS[kind]]: id })
    .count({ policies: '*' })
    .first()) as { policies: number | string } | undefined;
  return Number(row?.policies ?? 0);
}

/** The terms as columns. */
function termColumns({ scopeKind, resourceIds, permissions, isOwner }: PolicyTerms) {
  return {
    scope_kind: scopeKind,
    resource_ids: [...resourceIds],
    permissions: [...permissions],
    is_owner: isOwner,
  };
}

interface NewPermissionPolicies {
  readonly holder: PolicyHolder;
  /** Each creates one policy. */
  readonly terms: readonly PolicyTerms[];
  /** Absent for the first owner, whose policy has no granter. */
  readonly grantedByActorId?: string | undefined;
}

/** Inserts manual policies and returns their ids, in the order of their terms. */
export async function insertPermissionPolicies(
  db: Db,
  organizationId: string,
  { holder, terms, grantedByActorId = undefined }: NewPermissionPolicies,
): Promise<string[]> {
  const rows = terms.map((each) => ({
    id: v7(),
    organization_id: organizationId,
    [HOLDER_COLUMNS[holder.kind]]: holder.id,
    ...termColumns(each),
    granted_by_actor_id: grantedByActorId ?? null,
    created_at: db.raw('clock_timestamp()'),
  }));
  if (rows.length > 0) await db('permission_policies').insert(rows);
  return rows.map(({ id }) => id);
}

/** Replaces the terms of the policy and increments its revision. */
export async function updatePermissionPolicy(
  trx: Trx,
  organizationId: string,
  change: { readonly id: string; readonly terms: PolicyTerms; readonly grantedByActorId: string },
): Promise<void> {
  await trx('permission_policies')
    .where({ organization_id: organizationId, id: change.id })
    .update({
      ...termColumns(change.terms),
      granted_by_actor_id: change.grantedByActorId,
      revision: trx.raw('revision + 1'),
    });
}

export async function deletePermissionPolicy(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<void> {
  await trx('permission_policies').where({ organization_id: organizationId, id }).delete();
}

const HOLDERS: Readonly<Record<PolicyHolder['kind'], string>> = {
  membership: `
    select u.display_name as name, case when h.status = 'deprovisioned' then 'membership_removed' end as closed, h.status = 'active' as active
      from memberships h join users u on u.id = h.user_id
     where true`,
  team: `
    select h.name, case when h.archived_at is not null then 'team_archived' end as closed, false as active
      from teams h
     where true`,
  organization_api_key: `
    select h.name, case when h.revoked_at is not null or h.expires_at <= clock_timestamp() then 'api_key_inactive' end as closed, false as active
      from api_keys h
     where h.kind = 'organization'`,
};

const holderState = ({ kind }: PolicyHolder) =>
  `${HOLDERS[kind]} and h.organization_id = :organizationId and h.id = :id`;

/** The member, team or organization key. */
export async function findPolicyHolder(
  db: Db,
  organizationId: string,
  holder: PolicyHolder,
): Promise<PolicyHolderState | undefined> {
  return await queryRow(db, holderState(holder), { organizationId, id: holder.id });
}

/** The same, and nothing archives or revokes it until the end of the transaction. */
export async function lockPolicyHolder(
  trx: Trx,
  organizationId: string,
  holder: PolicyHolder,
): Promise<PolicyHolderState | undefined> {
  const sql = `${holderState(holder)} for share of h`;
  return await queryRow(trx, sql, { organizationId, id: holder.id });
}

/** How many policies make an active member an owner of the organization. */
export async function countOwnerships(db: Db, organizationId: string): Promise<number> {
  const row = await queryOne<{ ownerships: number }>(
    db,
    `select count(*) as ownerships
       from permission_policies p
       join memberships m on m.id = p.membership_id
      where p.organization_id = :organizationId and p.is_owner and m.status = 'active'`,
    { organizationId },
  );
  return row.ownerships;
}

/**
 * Which agents or teams to read: live ones (all, or only these), and named ones even if archived.
 */
export interface ResourceChoice {
  readonly live: 'all' | readonly string[];
  readonly named: readonly string[];
}

/** The most agents, or teams, that a list of all live ones holds. */
export const LISTED_RESOURCES = 500;

/**
 * Agents first, then teams, each by name. One more than `LISTED_RESOURCES` means that the list is
 * not complete.
 */
export async function listPolicyResources(
  db: Db,
  organizationId: string,
  { agents, teams }: { readonly agents: ResourceChoice; readonly teams: ResourceChoice },
): Promise<PolicyResource[]> {
  return await queryRows<PolicyResource>(
    db,
    `select * from (
       (select a.slug as id, a.name, 'agent' as kind from agents a
         where a.organization_id = :organizationId
           and (a.slug = any(cast(:namedAgents as text[])) or a.status <> 'archived' and a.slug = any(cast(:liveAgents as text[]))))
       union
       (select a.slug, a.name, 'agent' from agents a
         where a.organization_id = :organizationId and a.status <> 'archived' and cast(:allAgents as boolean)
         order by lower(a.name) collate "C", a.slug collate "C" limit :listed)
       union
       (select cast(t.id as text), t.name, 'team' from teams t
         where t.organization_id = :organizationId
           and (cast(t.id as text) = any(cast(:namedTeams as text[]))
                or t.archived_at is null and cast(t.id as text) = any(cast(:liveTeams as text[]))))
       union
       (select cast(t.id as text), t.name, 'team' from teams t
         where t.organization_id = :organizationId and t.archived_at is null and cast(:allTeams as boolean)
         order by lower(t.name) collate "C", t.id limit :listed)
     ) as resources
     order by kind, lower(name) collate "C", id collate "C"`,
    {
      organizationId,
      listed: LISTED_RESOURCES + 1,
      namedAgents: [...agents.named],
      allAgents: agents.live === 'all',
      liveAgents: agents.live === 'all' ? [] : [...agents.live],
      namedTeams: [...teams.named],
      allTeams: teams.live === 'all',
      liveTeams: teams.live === 'all' ? [] : [...teams.live],
    },
  );
}
