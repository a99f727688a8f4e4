/** What a person can grant: what they hold themselves, at the same scope or wider. */
import { hasPermission, type Account } from '../session/session.ts';
import type { Policy, PolicyPage, Terms } from './access-data.ts';

/** Either permission shows access. */
export const mayReadAccess = (account: Account): boolean =>
  hasPermission(account, 'permission_policy.read') ||
  hasPermission(account, 'permission_policy.write');

export type ScopeKind = Terms['scope_kind'];

/** The scope of a policy that is being written. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly ids: readonly string[];
}

/**
 * Where the person lacks the permission: nowhere (undefined), everywhere (an empty list), or only for these agents or
 * teams. The service decides: this says beforehand what it would refuse.
 */
export function lacking(
  { principal: { grants } }: Pick<Account, 'principal'>,
  permission: string,
  { kind, ids }: Scope,
): readonly string[] | undefined {
  const held = grants.filter((grant) => grant.permission === permission);
  if (held.some(({ scope_kind: scope }) => scope === 'organization')) return undefined;
  if (kind === 'organization') return [];
  const here = held.filter(({ scope_kind: scope }) => scope === kind);
  const missing = ids.filter((id) => here.every(({ scope_id: each }) => each !== id));
  if (ids.length === 0) return here.length === 0 ? [] : undefined;
  if (missing.length === 0) return undefined;
  return missing.length === ids.length ? [] : missing;
}

/** The permissions of the page that fit a kind of scope, by area in its order. */
export function areasOf(
  { permissions }: Pick<PolicyPage, 'permissions'>,
  kind: ScopeKind,
): readonly (readonly [area: string, permissions: PolicyPage['permissions']])[] {
  const fitting = permissions.filter(({ scopes }) => scopes.includes(kind));
  const areas = [...new Set(fitting.map(({ area }) => area))];
  return areas.map((area) => [area, fitting.filter((each) => each.area === area)]);
}

/** The terms that the editor would send: only permissions that fit the scope. */
export function termsOf(
  page: Pick<PolicyPage, 'permissions'>,
  draft: {
    readonly scope: Scope;
    readonly permissions: readonly string[];
    readonly isOwner: boolean;
  },
): Terms {
  const { scope, isOwner } = draft;
  if (isOwner)
    return { scope_kind: 'organization', resource_ids: [], permissions: [], is_owner: true };
  const fitting = page.permissions.flatMap(({ key, scopes }) =>
    scopes.includes(scope.kind) && draft.permissions.includes(key) ? [key] : [],
  );
  const ids = scope.kind === 'organization' ? [] : [...scope.ids];
  return { scope_kind: scope.kind, resource_ids: ids, permissions: fitting, is_owner: false };
}

/** Whether terms say enough to be saved. */
export const isComplete = ({ scope_kind: kind, resource_ids: ids, ...terms }: Terms): boolean =>
  terms.is_owner || (terms.permissions.length > 0 && (kind === 'organization' || ids.length > 0));

export const termsIn = ({ scope_kind, resource_ids, permissions, is_owner }: Policy): Terms => ({
  scope_kind,
  resource_ids,
  permissions,
  is_owner,
});
