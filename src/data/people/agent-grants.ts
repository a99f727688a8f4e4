/** Takes back what was granted for one agent, where the agent itself is removed. */
import type { PermissionPolicy, PolicyHolder } from '../../domain/people/permission-policies.ts';
import type { Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import { HOLDER_COLUMNS } from './permission-policies.ts';

/** A policy that named the agent, and what is left of it. */
export interface TakenPolicy extends Pick<
  PermissionPolicy,
  'id' | 'scopeKind' | 'permissions' | 'isOwner'
> {
  readonly holder: PolicyHolder;
  /** Before. */
  readonly resourceIds: readonly string[];
  /** Before. */
  readonly revision: number;
  /** Without the agent. A policy that named no other one is deleted. */
  readonly left: readonly string[];
}

type Row = Omit<TakenPolicy, 'holder'> & {
  readonly membershipId: string | null;
  readonly teamId: string | null;
  readonly apiKeyId: string | null;
};

const NAMED = `organization_id = :organizationId and scope_kind = 'agent' and cast(:slug as text) = any(resource_ids)`;

/** Takes the agent out of every policy. Returns them, oldest first. Call it with access locked. */
export async function takeAgentFromPolicies(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<readonly TakenPolicy[]> {
  const bindings = { organizationId, slug };
  const rows = await queryRows<Row>(
    trx,
    `select id, scope_kind, permissions, is_owner, resource_ids, revision, ${Object.values(HOLDER_COLUMNS).join(', ')},
            array_remove(resource_ids, cast(:slug as text)) as "left"
       from permission_policies where ${NAMED} order by created_at, id`,
    bindings,
  );
  await trx.raw(
    `delete from permission_policies where ${NAMED} and array_remove(resource_ids, cast(:slug as text)) = '{}'`,
    bindings,
  );
  await trx.raw(
    `update permission_policies set resource_ids = array_remove(resource_ids, cast(:slug as text)), revision = revision + 1 where ${NAMED}`,
    bindings,
  );
  return rows.map(({ membershipId, teamId, apiKeyId, ...policy }) => ({
    ...policy,
    holder: holderOf({ membershipId, teamId, apiKeyId }),
  }));
}

function holderOf(ids: Pick<Row, 'membershipId' | 'teamId' | 'apiKeyId'>): PolicyHolder {
  if (ids.membershipId !== null) return { kind: 'membership', id: ids.membershipId };
  if (ids.teamId !== null) return { kind: 'team', id: ids.teamId };
  return { kind: 'organization_api_key', id: ids.apiKeyId ?? '' };
}

const GRANTS = `jsonb_array_elements(cast(i.permission_policies as jsonb)) with ordinality as granted (terms, place)`;
const NAMES_AGENT = `terms ->> 'scope_kind' = 'agent' and terms -> 'resource_ids' @> to_jsonb(cast(:slug as text))`;
const OTHERS = `(terms -> 'resource_ids') - cast(:slug as text)`;

/** Takes the agent out of every invitation: who accepts it later would get the grant for another agent. */
export async function takeAgentFromInvitations(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<void> {
  await trx.raw(
    `update invitations i
        set updated_at = clock_timestamp(), permission_policies = (
              select coalesce(json_agg(case when ${NAMES_AGENT} then jsonb_set(terms, '{resource_ids}', ${OTHERS}) else terms end order by place)
                                filter (where not (${NAMES_AGENT}) or ${OTHERS} <> '[]'), '[]')
                from ${GRANTS})
      where i.organization_id = :organizationId and exists (select from ${GRANTS} where ${NAMES_AGENT})`,
    { organizationId, slug },
  );
}
