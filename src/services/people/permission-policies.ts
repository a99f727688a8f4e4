/** Permission policies of members, teams and organization keys: one set of rules for all three. */
import {
  fixedReason,
  MOST_POLICIES,
  policyIssues,
  requireMayGrant,
  type PermissionPolicy,
  type PolicyHolder,
  type PolicyHolderState,
  type ClosedReason,
  type PolicySetting,
  type PolicyTerms,
} from '../../domain/people/permission-policies.ts';
import { createHash } from 'node:crypto';
import { actorOf, type AuditActor } from '../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { wakeUnreachable } from '../../data/requests/unreachable.ts';
import { findOutcome, keepOutcome } from '../../data/idempotency-keys.ts';
import {
  countOwnerships,
  countPolicies,
  deletePermissionPolicy,
  findPolicy,
  lockPolicyHolder,
  HOLDER_COLUMNS,
  insertPermissionPolicies,
  listPolicyResources,
  updatePermissionPolicy,
} from '../../data/people/permission-policies.ts';
import { listTeamMembershipIds } from '../../data/people/teams.ts';
import { canonicalJson } from '../../platform/json/exact-values.ts';
import type { Trx } from '../../platform/postgres.ts';
import { announceDue } from '../engine/announce.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { lockAccessAndRereadMember, rereadMember } from '../access/current-callers.ts';
import { HOLDER_KINDS, toPagePolicy, type PagePolicy } from './permission-policy-pages.ts';

/** Terms from a body, below `pointer`. */
export interface SubmittedTerms {
  readonly terms: PolicyTerms;
  readonly pointer?: string;
}

/**
 * Throws 400 with every issue of the terms, including named teams and agents that are missing or
 * archived. `requireMayGrant` checks whether the caller may grant them.
 */
export async function requireValidTerms(
  trx: Trx,
  organizationId: string,
  {
    policies,
    ...setting
  }: Omit<PolicySetting, 'pointer'> & { readonly policies: readonly SubmittedTerms[] },
): Promise<void> {
  const issues = policies.flatMap(({ terms, pointer = '' }) =>
    policyIssues(terms, { ...setting, pointer }),
  );
  if (issues.length > 0) throw invalid(issues);
  const missing = await missingResources(trx, organizationId, policies);
  if (missing.length > 0) throw invalid(missing);
}

async function missingResources(
  trx: Trx,
  organizationId: string,
  policies: readonly SubmittedTerms[],
): Promise<readonly Issue[]> {
  const isLive = await whichAreLive(
    trx,
    organizationId,
    policies.map(({ terms }) => terms),
  );
  return policies.flatMap(({ terms, pointer = '' }) =>
    terms.resourceIds.flatMap((id, index) => {
      const message = `must be the ${terms.scopeKind === 'agent' ? 'slug of an agent' : 'id of a team'} of the organization that is not archived`;
      return isLive(terms, id)
        ? []
        : [{ pointer: `${pointer}/resource_ids/${index}`, code: 'invalid_value', message }];
    }),
  );
}

/** Whether a team or agent named in terms exists and is not archived. */
export async function whichAreLive(
  trx: Trx,
  organizationId: string,
  policies: readonly PolicyTerms[],
): Promise<(terms: Pick<PolicyTerms, 'scopeKind'>, id: string) => boolean> {
  const named = (kind: string) =>
    policies.flatMap(({ scopeKind, resourceIds }) => (scopeKind === kind ? resourceIds : []));
  const [agents, teams] = [named('agent'), named('team')];
  if (agents.length + teams.length === 0) return () => false;
  const found = await listPolicyResources(trx, organizationId, {
    agents: { live: agents, named: [] },
    teams: { live: teams, named: [] },
  });
  const live = new Set(found.map(({ kind, id }) => `${kind} ${id}`));
  return ({ scopeKind }, id) => live.has(`${scopeKind} ${id}`);
}

/**
 * New policies, one for each of the terms. The terms are valid and `grantedByActorId` may grant
 * them.
 */
export interface GrantedPolicies {
  readonly holder: PolicyHolder;
  readonly terms: readonly PolicyTerms[];
  readonly actor: AuditActor;
  /** The membership that grants; the actor only carries it out when an invitation is accepted. */
  readonly grantedByActorId: string;
}

/** Adds policies with their audit events. Returns their ids, in the order of the terms. */
export async function addPolicies(
  trx: Trx,
  organizationId: string,
  { actor, ...policies }: GrantedPolicies,
): Promise<readonly string[]> {
  const { holder, terms, grantedByActorId } = policies;
  const ids = await insertPermissionPolicies(trx, organizationId, policies);
  const events = terms.map((each, index) => ({
    eventType: 'permission_policy.created' as const,
    actor,
    subjectId: ids[index] ?? '',
    data: {
      ...auditedHolder(holder),
      ...auditedTerms(each),
      granted_by_actor_id: grantedByActorId,
    },
  }));
  await insertAuditEvents(trx, organizationId, { events });
  return ids;
}

export function auditedHolder({ kind, id }: PolicyHolder) {
  return { [HOLDER_COLUMNS[kind]]: id };
}

export function auditedTerms({ scopeKind, resourceIds, permissions, isOwner }: PolicyTerms) {
  return {
    scope_kind: scopeKind,
    resource_ids: [...resourceIds],
    permissions: [...permissions],
    is_owner: isOwner,
  };
}

/**
 * Call it after a change of ownership, under the lock on access. Throws 409 `last_owner` when no
 * active owner remains.
 */
export async function requireActiveOwner(trx: Trx, organizationId: string): Promise<void> {
  if ((await countOwnerships(trx, organizationId)) === 0) throw new AppError('last_owner');
}

interface Changing {
  readonly principal: MemberPrincipal;
  readonly holder: PolicyHolder;
}

type Change<T> = (trx: Trx, caller: MemberPrincipal, state: PolicyHolderState) => Promise<T>;

/**
 * Runs `change` under the lock on access, with the caller and the holder read again. Throws 404
 * without a holder.
 */
async function changing<T>(
  context: ServiceContext,
  { principal, holder }: Changing,
  change: Change<T>,
): Promise<T> {
  return await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'permission_policy.write',
    });
    const state = await lockPolicyHolder(trx, principal.organizationId, holder);
    if (!state) throw new AppError('not_found');
    return await change(trx, caller, state);
  });
}

/**
 * The same for a change that may remove rights: no request keeps waiting for people who can no
 * longer act on it.
 */
async function taking<T>(context: ServiceContext, of: Changing, change: Change<T>): Promise<T> {
  const { organizationId } = of.principal;
  const { result, due } = await changing(context, of, async (trx, caller, state) => ({
    result: await change(trx, caller, state),
    due: await wakeUnreachable(trx, organizationId, await listHolders(trx, of.holder)),
  }));
  announceDue(context, due);
  return result;
}

/** The members affected by what the holder is granted. */
async function listHolders(trx: Trx, { kind, id }: PolicyHolder): Promise<readonly string[]> {
  if (kind === 'membership') return [id];
  return kind === 'team' ? await listTeamMembershipIds(trx, id) : [];
}

/** Throws 409 `membership_removed`, `team_archived`, or `read_only_policy` for an ended key. */
export function requireOpen({ closed }: PolicyHolderState): void {
  if (closed === 'api_key_inactive') throw readOnly(closed);
  if (closed !== null)
    throw new AppError(closed satisfies Exclude<ClosedReason, 'api_key_inactive'>);
}

export function readOnly(read_only_reason: string): AppError {
  return new AppError('read_only_policy', { details: { read_only_reason } });
}

/** Throws 404. */
async function readPolicy(
  trx: Trx,
  organizationId: string,
  reference: PolicyReference,
): Promise<PermissionPolicy> {
  const policy = await findPolicy(trx, organizationId, reference);
  if (!policy) throw new AppError('not_found');
  return policy;
}

/**
 * A policy that the caller may change. Throws as `requireOpen` and `requireMayGrant` do, 404, and
 * 409 `read_only_policy`.
 */
async function findChangeable(
  trx: Trx,
  caller: MemberPrincipal,
  { state, ...reference }: PolicyReference & { readonly state: PolicyHolderState },
): Promise<PermissionPolicy> {
  const policy = await readPolicy(trx, caller.organizationId, reference);
  requireOpen(state);
  const fixed = fixedReason({ inherited: policy.viaTeamId !== null, source: policy.source });
  if (fixed !== undefined) throw readOnly(fixed);
  requireMayGrant(caller, policy);
  return policy;
}

/** A policy of a holder. */
export interface PolicyReference {
  readonly holder: PolicyHolder;
  readonly id: string;
}

export interface NewPolicy {
  readonly holder: PolicyHolder;
  readonly terms: PolicyTerms;
  readonly idempotencyKey: string;
}

/**
 * Creates a policy. Repeating key and terms returns the current policy and creates no second one;
 * other terms are 409 `idempotency_conflict`. Throws 404, 409 for an ended holder, 409
 * `policy_limit_reached`, 400, and as `requireMayGrant` does.
 */
export async function createPolicy(
  context: ServiceContext,
  principal: MemberPrincipal,
  { holder, terms, idempotencyKey }: NewPolicy,
): Promise<{ readonly policy: PagePolicy; readonly created: boolean }> {
  const { organizationId, membershipId } = principal;
  const identity = { operation: `${holder.kind}.permission_policies.create`, key: idempotencyKey };
  const parametersHash = hashOf({ holder, terms });
  return await changing(context, { principal, holder }, async (trx, caller, state) => {
    const kept = await findOutcome(trx, organizationId, identity);
    if (kept && !kept.parametersHash.equals(parametersHash))
      throw new AppError('idempotency_conflict');
    if (!kept) {
      requireOpen(state);
      await requireValidTerms(trx, organizationId, {
        ...settingOf(context, holder),
        policies: [{ terms }],
      });
      requireMayGrant(caller, terms);
      await requireRoom(trx, organizationId, holder);
    }
    const grant = {
      holder,
      terms: [terms],
      actor: actorOf(caller),
      grantedByActorId: membershipId,
    };
    const id = kept?.resourceId ?? (await addPolicies(trx, organizationId, grant))[0] ?? '';
    if (!kept)
      await keepOutcome(trx, organizationId, { ...identity, parametersHash, resourceId: id });
    return { policy: await readPagePolicy(trx, principal, { holder, id, state }), created: !kept };
  });
}

/** Creating several policies at once for a new holder is limited to `MOST_POLICIES`, too. */
async function requireRoom(trx: Trx, organizationId: string, holder: PolicyHolder): Promise<void> {
  if ((await countPolicies(trx, organizationId, holder)) < MOST_POLICIES) return;
  throw new AppError('policy_limit_reached', { details: { limit: MOST_POLICIES } });
}

export function settingOf({ edition }: Runtime, { kind }: PolicyHolder): PolicySetting {
  return { edition, holder: HOLDER_KINDS[kind], mayOwn: kind === 'membership' };
}

/** Permissions and resources are sets: their order makes no other policy. */
function hashOf({ holder, terms }: Pick<NewPolicy, 'holder' | 'terms'>): Buffer {
  const sorted = {
    ...terms,
    resourceIds: [...terms.resourceIds].sort(),
    permissions: [...terms.permissions].sort(),
  };
  return createHash('sha256')
    .update(canonicalJson({ ...auditedHolder(holder), ...auditedTerms(sorted) }))
    .digest();
}

/**
 * Replaces the terms of a policy; equal terms write nothing. Throws 409 `policy_changed`
 * (details.revision) at another revision, 409 `last_owner`, and as `findChangeable` and
 * `createPolicy` do.
 */
export async function replacePolicy(
  context: ServiceContext,
  principal: MemberPrincipal,
  {
    holder,
    id,
    terms,
    revision,
  }: PolicyReference & { readonly terms: PolicyTerms; readonly revision: number },
): Promise<PagePolicy> {
  const { organizationId, membershipId } = principal;
  return await taking(context, { principal, holder }, async (trx, caller, state) => {
    const before = await findChangeable(trx, caller, { holder, id, state });
    if (before.revision !== revision)
      throw new AppError('policy_changed', { details: { revision: before.revision } });
    await requireValidTerms(trx, organizationId, {
      ...settingOf(context, holder),
      policies: [{ terms }],
    });
    requireMayGrant(caller, terms);
    if (!hashOf({ holder, terms }).equals(hashOf({ holder, terms: before }))) {
      await updatePermissionPolicy(trx, organizationId, {
        id,
        terms,
        grantedByActorId: membershipId,
      });
      if (before.isOwner && !terms.isOwner) await requireActiveOwner(trx, organizationId);
      const data = {
        ...auditedHolder(holder),
        ...auditedTerms(terms),
        revision: revision + 1,
        previous: auditedTerms(before),
      };
      await insertAuditEvents(trx, organizationId, {
        events: [
          { eventType: 'permission_policy.updated', actor: actorOf(caller), subjectId: id, data },
        ],
      });
    }
    return await readPagePolicy(trx, principal, { holder, id, state });
  });
}

/** Reads the policy again, since the change may have changed what the caller holds. */
async function readPagePolicy(
  trx: Trx,
  principal: MemberPrincipal,
  { state, ...reference }: PolicyReference & { readonly state: PolicyHolderState },
): Promise<PagePolicy> {
  const reader = await rereadMember(trx, principal);
  const policy = await readPolicy(trx, principal.organizationId, reference);
  return await toPagePolicy(trx, reader, { policy, state });
}

/** Deletes a policy. Throws 404, 409 `last_owner`, and as `findChangeable` does. */
export async function removePolicy(
  context: ServiceContext,
  principal: MemberPrincipal,
  { holder, id }: PolicyReference,
): Promise<void> {
  const { organizationId } = principal;
  await taking(context, { principal, holder }, async (trx, caller, state) => {
    const policy = await findChangeable(trx, caller, { holder, id, state });
    await deletePermissionPolicy(trx, organizationId, id);
    if (policy.isOwner) await requireActiveOwner(trx, organizationId);
    const data = { ...auditedHolder(holder), ...auditedTerms(policy), revision: policy.revision };
    await insertAuditEvents(trx, organizationId, {
      events: [
        { eventType: 'permission_policy.deleted', actor: actorOf(caller), subjectId: id, data },
      ],
    });
  });
}
