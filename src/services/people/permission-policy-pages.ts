/** The page of a holder's permission policies, with what the reader may change there. */
import {
  pageReadOnlyReason,
  policyReadOnlyReason,
  type PermissionPolicy,
  type PolicyHolder,
  type PolicyHolderState,
  type PolicyResource,
  type PageReadOnlyReason,
  type ReadOnlyReason,
} from '../../domain/people/permission-policies.ts';
import { effectiveGrants, type MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  isServedBy,
  isValidScope,
  mayHold,
  permissions,
  type Grant,
  type Edition,
  type PermissionEntry,
  type PermissionHolder,
} from '../../domain/people/permissions.ts';
import {
  countOwnerships,
  findPolicyHolder,
  LISTED_RESOURCES,
  listPolicies,
  listPolicyResources,
  type ResourceChoice,
} from '../../data/people/permission-policies.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

/** The kind of credential holder for each kind of policy holder. */
export const HOLDER_KINDS = {
  membership: 'human',
  team: 'human',
  organization_api_key: 'organization_api_key',
} as const satisfies Record<PolicyHolder['kind'], PermissionHolder>;

export interface PagePolicy extends PermissionPolicy {
  /** The existing teams and agents that the policy names. */
  readonly resources: readonly PolicyResource[];
  readonly readOnlyReason?: ReadOnlyReason;
}

export interface PolicyPage {
  /** The holder's name. */
  readonly name: string;
  readonly policies: readonly PagePolicy[];
  /** What the policies name, and what the caller can name in a new one. */
  readonly resources: readonly PolicyResource[];
  readonly resourcesTruncated: boolean;
  /** The permissions that this kind of holder can be granted. */
  readonly permissions: readonly PermissionEntry[];
  readonly isOwner: boolean;
  /** Why the caller cannot add a policy. */
  readonly readOnlyReason?: PageReadOnlyReason;
}

/** The vocabulary of this edition, limited to what the given kind of holder can carry. */
export function servedPermissions(
  edition: Edition,
  holder?: PermissionHolder,
): readonly PermissionEntry[] {
  return permissions.filter(
    ({ key }) => isServedBy(edition, key) && (holder === undefined || mayHold(holder, key)),
  );
}

/** All policies of the holder, and what the caller may change. Throws 404. */
export async function readPolicyPage(
  { db, edition }: ServiceContext,
  principal: MemberPrincipal,
  holder: PolicyHolder,
): Promise<PolicyPage> {
  const { organizationId } = principal;
  const state = await findPolicyHolder(db, organizationId, holder);
  if (!state) throw new AppError('not_found');
  const policies = await listPolicies(db, organizationId, holder);
  const readOnlyReason = pageReadOnlyReason(principal, state.closed ?? undefined);
  const grants = effectiveGrants(principal, edition).filter(({ permission }) =>
    mayHold(HOLDER_KINDS[holder.kind], permission),
  );
  const { resources, truncated } = await offerResources(db, organizationId, { grants, policies });
  return {
    name: state.name,
    policies: await toPagePolicies(db, principal, { policies, state, resources }),
    resources,
    resourcesTruncated: truncated,
    permissions: servedPermissions(edition, HOLDER_KINDS[holder.kind]),
    isOwner: policies.some((policy) => policy.isOwner),
    ...(readOnlyReason && { readOnlyReason }),
  };
}

export interface OfferedResources {
  readonly resources: readonly PolicyResource[];
  /** More agents or teams could be named than the list holds. */
  readonly truncated: boolean;
}

/**
 * The resources that a caller with these grants can name in a policy, and those the policies name.
 */
export async function offerResources(
  db: Db,
  organizationId: string,
  {
    grants,
    policies = [],
  }: { readonly grants: readonly Grant[]; readonly policies?: readonly PermissionPolicy[] },
): Promise<OfferedResources> {
  const choice = (kind: 'agent' | 'team') => ({
    live: reachOf(grants, kind),
    named: namedIn(policies, kind),
  });
  const [agents, teams] = [choice('agent'), choice('team')];
  const found = await listPolicyResources(db, organizationId, { agents, teams });
  const beyond = (kind: 'agent' | 'team', { live, named }: ResourceChoice) =>
    live === 'all'
      ? found
          .filter((each) => each.kind === kind && !named.includes(each.id))
          .slice(LISTED_RESOURCES)
      : [];
  const left = new Set([...beyond('agent', agents), ...beyond('team', teams)]);
  return { resources: found.filter((each) => !left.has(each)), truncated: left.size > 0 };
}

/** The live resources of a kind for which the caller can grant something. */
function reachOf(grants: readonly Grant[], kind: 'agent' | 'team'): ResourceChoice['live'] {
  const fitting = grants.filter(({ permission }) => isValidScope(permission, kind));
  if (fitting.some(({ scope_kind }) => scope_kind === 'organization')) return 'all';
  return fitting.flatMap(({ scope_kind, scope_id }) =>
    scope_kind === kind && scope_id !== undefined ? [scope_id] : [],
  );
}

function namedIn(policies: readonly PermissionPolicy[], kind: 'agent' | 'team'): readonly string[] {
  return policies.flatMap(({ scopeKind, resourceIds }) => (scopeKind === kind ? resourceIds : []));
}

/** One policy as its page shows it. */
export async function toPagePolicy(
  db: Db,
  principal: MemberPrincipal,
  { policy, state }: { readonly policy: PermissionPolicy; readonly state: PolicyHolderState },
): Promise<PagePolicy> {
  const resources = await listPolicyResources(db, principal.organizationId, {
    agents: { live: [], named: namedIn([policy], 'agent') },
    teams: { live: [], named: namedIn([policy], 'team') },
  });
  const [only] = await toPagePolicies(db, principal, { policies: [policy], state, resources });
  if (!only) throw new Error('one policy makes one');
  return only;
}

interface PagePolicyInput {
  readonly policies: readonly PermissionPolicy[];
  readonly state: PolicyHolderState;
  readonly resources: readonly PolicyResource[];
}

async function toPagePolicies(
  db: Db,
  principal: MemberPrincipal,
  { policies, state, resources }: PagePolicyInput,
): Promise<PagePolicy[]> {
  const ownsActively = state.active && policies.some((policy) => policy.isOwner);
  const isLastOwner = ownsActively && (await countOwnerships(db, principal.organizationId)) === 1;
  return policies.map((policy) => {
    const readOnlyReason = policyReadOnlyReason(principal, {
      terms: policy,
      source: policy.source,
      inherited: policy.viaTeamId !== null,
      closed: state.closed ?? undefined,
      keepsLastOwner: policy.isOwner && isLastOwner,
    });
    const named = resources.filter(
      ({ kind, id }) => kind === policy.scopeKind && policy.resourceIds.includes(id),
    );
    return { ...policy, resources: named, ...(readOnlyReason && { readOnlyReason }) };
  });
}
