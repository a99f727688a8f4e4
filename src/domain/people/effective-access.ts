/**
 * What members and organization keys may do in the end, and where each right comes from. It reads policies as permission
 * checks do, by `grantsFromPolicies`.
 */
import { grantsFromPolicies } from './authorization.ts';
import type { PermissionPolicy, PolicyTerms } from './permission-policies.ts';
import { isServedBy, type Edition, type Grant } from './permissions.ts';

/** The policy that a right comes from. `teamName`: of the team through which a member has it. */
export interface RightSource {
  readonly policyId: string;
  readonly isOwner: boolean;
  readonly teamId?: string;
  readonly teamName?: string;
}

/** Permissions at one scope that come from the same policies. */
export interface EffectiveRight {
  readonly terms: PolicyTerms;
  readonly sources: readonly RightSource[];
}

export type SourcePolicy = Pick<PermissionPolicy, 'id' | 'viaTeamId' | 'viaTeamName'> & PolicyTerms;

const GRANTED = { scopeKind: 'organization', resourceIds: [], permissions: [] } as const;
export const OWNERSHIP: PolicyTerms = { ...GRANTED, isOwner: true };

/** The grants of policies. */
export function grantsOfTerms(policies: readonly PolicyTerms[]): readonly Grant[] {
  const given = policies.map(({ scopeKind, resourceIds, permissions }) => ({
    scope_kind: scopeKind,
    resource_ids: resourceIds,
    permissions,
  }));
  return grantsFromPolicies(given, isOwnerBy(policies));
}

export const isOwnerBy = (policies: readonly PolicyTerms[]): boolean =>
  policies.some((policy) => policy.isOwner);

const keyOf = ({ permission, scope_kind: kind, scope_id: id = '' }: Grant): string =>
  `${permission} ${kind} ${id}`;

/** Whether each grant is held, at the same scope or wider. */
export function coveredBy(grants: readonly Grant[]): (grant: Grant) => boolean {
  const held = new Set(grants.map(keyOf));
  return (grant) =>
    held.has(keyOf(grant)) ||
    held.has(keyOf({ ...grant, scope_kind: 'organization', scope_id: '' }));
}

/**
 * All rights, the widest where one includes another, each with the policies that give it. An owner has one right from
 * ownership, in addition to what other policies give. Names only permissions that the edition serves.
 */
export function effectiveRights(
  policies: readonly SourcePolicy[],
  edition: Edition,
): readonly EffectiveRight[] {
  const owning = policies.filter((policy) => policy.isOwner);
  const granting = policies.filter((policy) => !policy.isOwner);
  const found = new Map<string, { readonly grant: Grant; readonly sources: RightSource[] }>();
  for (const policy of granting)
    for (const grant of grantsOfTerms([policy])) {
      const entry = found.get(keyOf(grant)) ?? { grant, sources: [] };
      entry.sources.push(sourceOf(policy));
      found.set(keyOf(grant), entry);
    }
  const isWide = new Set(
    [...found.values()].flatMap(({ grant }) =>
      grant.scope_kind === 'organization' ? [grant.permission] : [],
    ),
  );
  const rights = [...found.values()].filter(
    ({ grant: { permission, scope_kind: kind } }) =>
      isServedBy(edition, permission) && (kind === 'organization' || !isWide.has(permission)),
  );
  const bySources = grouped(rights, ({ sources }) =>
    sources.map(({ policyId }) => policyId).join(' '),
  );
  return [
    ...(owning.length === 0 ? [] : [{ terms: OWNERSHIP, sources: owning.map(sourceOf) }]),
    ...bySources
      .flatMap((same) =>
        termsOf(same.map(({ grant }) => grant)).map((terms) => ({
          terms,
          sources: same[0]?.sources ?? [],
        })),
      )
      .toSorted((a, b) => widthOf(b.terms) - widthOf(a.terms)),
  ];
}

function sourceOf({ id, isOwner, viaTeamId, viaTeamName }: SourcePolicy): RightSource {
  const team = viaTeamId === null ? {} : { teamId: viaTeamId, teamName: viaTeamName ?? '' };
  return { policyId: id, isOwner, ...team };
}

/** Grants as few policies: scopes with the same permissions are one. The whole organization comes first. */
export function termsOf(grants: readonly Grant[]): readonly PolicyTerms[] {
  const byScope = grouped(grants, ({ scope_kind: kind, scope_id: id = '' }) => `${kind} ${id}`);
  const scopes = byScope.flatMap((same) => {
    const [first] = same;
    return first
      ? [{ first, permissions: same.map(({ permission }) => permission).toSorted() }]
      : [];
  });
  const alike = grouped(
    scopes,
    ({ first, permissions }) => `${first.scope_kind} ${permissions.join(' ')}`,
  );
  const terms = alike.flatMap((same): readonly PolicyTerms[] => {
    const [one] = same;
    if (!one) return [];
    const ids = same.flatMap(({ first: { scope_id: id } }) => (id === undefined ? [] : [id]));
    const { permissions, first } = one;
    return [{ scopeKind: first.scope_kind, resourceIds: ids, permissions, isOwner: false }];
  });
  return terms.toSorted((a, b) => widthOf(b) - widthOf(a));
}

function grouped<T>(
  items: readonly T[],
  keyOfItem: (item: T) => string,
): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOfItem(item)) ?? [];
    group.push(item);
    groups.set(keyOfItem(item), group);
  }
  return [...groups.values()];
}

const widthOf = ({ scopeKind }: PolicyTerms): number => (scopeKind === 'organization' ? 1 : 0);
