/** Permission policies of members, teams and organization keys: one set of rules for the three. */
import type { AuditActor } from '../domain/audit.ts';
import { invalid, type Issue } from '../domain/errors.ts';
import { policyIssues, type PolicyTerms } from '../domain/permission-policies.ts';
import type { PermissionEdition, PermissionHolder } from '../domain/permissions.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import { insertPermissionPolicy, listPolicyResources, type PolicyHolder } from '../data/permission-policies.ts';
import type { Db } from '../platform/postgres.ts';

export type { PolicyHolder } from '../data/permission-policies.ts';

/** Terms as they stand in a body, below `pointer`. */
export interface SubmittedTerms {
  readonly terms: PolicyTerms;
  readonly pointer?: string;
}

/**
 * Throws 400 with every issue of the terms: what is wrong in itself, and named teams and agents that are not there or are
 * archived. Whether the caller may hand them out is `requireMayGrant`'s question.
 */
export async function requireValidTerms(
  trx: Db,
  organizationId: string,
  { edition, holder, policies }: { edition: PermissionEdition; holder: PermissionHolder; policies: readonly SubmittedTerms[] },
): Promise<void> {
  const issues = policies.flatMap(({ terms, pointer = '' }) => policyIssues(terms, { holder, edition, pointer }));
  if (issues.length > 0) throw invalid(issues);
  const missing = await missingResources(trx, organizationId, policies);
  if (missing.length > 0) throw invalid(missing);
}

async function missingResources(trx: Db, organizationId: string, policies: readonly SubmittedTerms[]): Promise<readonly Issue[]> {
  const named = (kind: string) => policies.flatMap(({ terms }) => (terms.scopeKind === kind ? terms.resourceIds : []));
  const [agents, teams] = [named('agent'), named('team')];
  if (agents.length + teams.length === 0) return [];
  const found = await listPolicyResources(trx, organizationId, { agents: { live: agents, named: [] }, teams: { live: teams, named: [] } });
  const live = new Set(found.map(({ kind, id }) => `${kind} ${id}`));
  return policies.flatMap(({ terms: { scopeKind, resourceIds }, pointer = '' }) =>
    resourceIds.flatMap((id, index) =>
      live.has(`${scopeKind} ${id}`)
        ? []
        : [{ pointer: `${pointer}/resource_ids/${index}`, code: 'invalid_value', message: `is no live ${scopeKind} of the organization` }],
    ),
  );
}

/** A policy to be added: its terms are valid, and `grantedByActorId` may hand them out. */
export interface GrantedPolicy {
  readonly holder: PolicyHolder;
  readonly terms: PolicyTerms;
  readonly actor: AuditActor;
  /** The membership whose grant it is; the actor only carries it out where an invitation is accepted. */
  readonly grantedByActorId: string;
}

/** Adds a policy with its audit event: its id. */
export async function addPolicy(trx: Db, organizationId: string, { actor, ...policy }: GrantedPolicy): Promise<string> {
  const subjectId = await insertPermissionPolicy(trx, organizationId, policy);
  const data = { ...auditedHolder(policy.holder), ...auditedTerms(policy.terms), granted_by_actor_id: policy.grantedByActorId };
  await insertAuditEvents(trx, organizationId, { events: [{ eventType: 'permission_policy.created', actor, subjectId, data }] });
  return subjectId;
}

function auditedHolder({ kind, id }: PolicyHolder) {
  return { [`${kind}_id`]: id };
}

function auditedTerms({ scopeKind, resourceIds, permissions, isOwner }: PolicyTerms) {
  return { scope_kind: scopeKind, resource_ids: [...resourceIds], permissions: [...permissions], is_owner: isOwner };
}
