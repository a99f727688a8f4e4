/** What makes a permission policy valid, and who may hand it out. The same for members, teams, organization keys and invitations. */
import { authorize, type MemberPrincipal } from './authorization.ts';
import { AppError, type Issue } from '../errors.ts';
import { isPermission, isServedBy, isValidScope, mayHold, permissionEntry } from './permissions.ts';
import type { Grant, PermissionEdition, PermissionHolder, ScopeKind } from './permissions.ts';
import { requireRecentAuthentication } from '../sign-in/recent-authentication.ts';

/** `resourceIds`: team ids or agent slugs, none at organization scope. Owners hold every permission a person can: none is listed. */
export interface PolicyTerms {
  readonly scopeKind: ScopeKind;
  readonly resourceIds: readonly string[];
  readonly permissions: readonly string[];
  readonly isOwner: boolean;
}

/** How many policies of its own a member, a team or a key holds at most: what every call of it reads. */
export const MOST_POLICIES = 50;

/** For what kind of holder, and in which edition, terms are judged; `pointer` is where they stand in the body. */
export interface PolicySetting {
  readonly holder: PermissionHolder;
  /** False for a team: its members hold what it is granted as people, but nobody owns the organization through it. */
  readonly mayOwn?: boolean;
  readonly edition: PermissionEdition;
  readonly pointer?: string;
}

/** Everything wrong with the terms in that setting, each at its field. Whether resources exist is not asked. */
export function policyIssues(
  terms: PolicyTerms,
  { holder, mayOwn = holder === 'human', edition, pointer = '' }: PolicySetting,
): readonly Issue[] {
  const { scopeKind, resourceIds, permissions, isOwner } = terms;
  const issue = (field: string, code: string, message: string): Issue => ({
    pointer: `${pointer}/${field}`,
    code,
    message,
  });
  const issues: Issue[] = [];
  if (isOwner) {
    if (!mayOwn)
      issues.push(issue('is_owner', 'invalid_value', 'only a member can own the organization'));
    if (scopeKind !== 'organization')
      issues.push(issue('scope_kind', 'invalid_value', 'ownership is of the organization'));
    if (permissions.length > 0)
      issues.push(
        issue('permissions', 'invalid_value', 'must be empty: an owner holds every permission'),
      );
  } else if (permissions.length === 0)
    issues.push(issue('permissions', 'too_few', 'must name at least one permission'));
  if ((scopeKind === 'organization') !== (resourceIds.length === 0)) {
    const message =
      scopeKind === 'organization'
        ? 'must be empty at organization scope'
        : `must name at least one ${scopeKind}`;
    issues.push(
      issue('resource_ids', scopeKind === 'organization' ? 'invalid_value' : 'too_few', message),
    );
  }
  return [
    ...issues,
    ...repeated(resourceIds, `${pointer}/resource_ids`),
    ...repeated(permissions, `${pointer}/permissions`),
    ...permissions.flatMap((key, index) => {
      const wrong = permissionProblem(key, scopeKind, { holder, edition });
      return wrong === undefined ? [] : [issue(`permissions/${index}`, 'invalid_value', wrong)];
    }),
  ];
}

function repeated(values: readonly string[], pointer: string): readonly Issue[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) === index
      ? []
      : [{ pointer: `${pointer}/${index}`, code: 'invalid_value', message: 'is named twice' }],
  );
}

function permissionProblem(
  key: string,
  scopeKind: ScopeKind,
  { holder, edition }: PolicySetting,
): string | undefined {
  if (!isPermission(key)) return 'is not a key of the permission vocabulary';
  if (!isServedBy(edition, key)) return 'opens nothing in the open edition';
  if (!mayHold(holder, key)) return 'cannot be held by this kind of holder';
  if (!isValidScope(key, scopeKind))
    return `cannot be granted at ${scopeKind} scope; it can at: ${permissionEntry(key).scopes.join(', ')}`;
  return undefined;
}

/** The grants valid terms give, one for each permission and resource. Ownership is none of them. */
function grantsOf({ scopeKind, resourceIds, permissions }: PolicyTerms): readonly Grant[] {
  return permissions
    .filter(isPermission)
    .flatMap((permission): Grant[] =>
      scopeKind === 'organization'
        ? [{ permission, scope_kind: scopeKind }]
        : resourceIds.map((scope_id) => ({ permission, scope_kind: scopeKind, scope_id })),
    );
}

/** True when the caller, with this credential, holds the grant itself, at the same scope or wider. */
function holdsGrant(
  principal: MemberPrincipal,
  { permission, scope_kind, scope_id = '' }: Grant,
): boolean {
  const target =
    scope_kind === 'agent'
      ? ({ kind: 'agent', slug: scope_id } as const)
      : scope_kind === 'team'
        ? ({ kind: 'team', id: scope_id } as const)
        : ({ kind: 'organization' } as const);
  return authorize(principal, permission, target).allowed;
}

/** The grants of the terms the caller does not hold itself. */
export function grantsBeyond(principal: MemberPrincipal, terms: PolicyTerms): readonly Grant[] {
  return beyondOf(principal, grantsOf(terms));
}

function beyondOf(principal: MemberPrincipal, grants: readonly Grant[]): readonly Grant[] {
  return grants.filter((grant) => !holdsGrant(principal, grant));
}

/** Throws 403 `grant_exceeds_own` (details.grants) for what of the grants the caller lacks. */
export function requireHeld(
  principal: MemberPrincipal,
  grants: readonly Grant[],
  detail?: string,
): void {
  const beyond = beyondOf(principal, grants);
  if (beyond.length > 0)
    throw new AppError('grant_exceeds_own', {
      ...(detail !== undefined && { detail }),
      details: { grants: beyond },
    });
}

/**
 * Throws unless the caller may hand out, change or take away these terms: 403 `owner_required` for ownership unless an
 * owner asks, 403 `grant_exceeds_own` (details.grants) for what the caller lacks; for what is dangerous and for ownership
 * the freshness of `requireRecentAuthentication`.
 */
export function requireMayGrant(principal: MemberPrincipal, terms: PolicyTerms): void {
  if (terms.isOwner && !principal.isOwner) throw new AppError('owner_required');
  requireHeld(principal, grantsOf(terms));
  if (needsRecentAuthentication(terms)) requireRecentAuthentication(principal);
}

function needsRecentAuthentication({ isOwner, permissions }: PolicyTerms): boolean {
  return isOwner || permissions.some((key) => isPermission(key) && permissionEntry(key).dangerous);
}

/** Why nothing can be granted to somebody or something any more. */
export type ClosedReason = 'membership_removed' | 'team_archived' | 'api_key_inactive';

/** Why a page of policies takes no new one from the caller. */
export type PageReadOnlyReason = ClosedReason | 'permission_policy_write_missing';

/** Why the caller cannot change or remove a policy; proving again who he is would not help. */
export type ReadOnlyReason =
  | PageReadOnlyReason
  | 'inherited'
  | 'directory_managed'
  | 'owner_required'
  | 'exceeds_own'
  | 'session_required'
  | 'last_owner';

/** The first reason against changing or removing any policy of the holder; undefined when there is none. */
export function pageReadOnlyReason(
  principal: MemberPrincipal,
  closed: ClosedReason | undefined,
): PageReadOnlyReason | undefined {
  const mayWrite = authorize(principal, 'permission_policy.write', {
    kind: 'organization',
  }).allowed;
  return closed ?? (mayWrite ? undefined : 'permission_policy_write_missing');
}

/** A policy where it is held. */
export interface PlacedPolicy {
  readonly terms: PolicyTerms;
  readonly source: 'manual' | 'directory';
  readonly inherited: boolean;
  readonly closed: ClosedReason | undefined;
  /** Without it nobody active would own the organization. */
  readonly keepsLastOwner: boolean;
}

/** What holds against changing the policy here, whoever asks. */
export function fixedReason({
  inherited,
  source,
}: Pick<PlacedPolicy, 'inherited' | 'source'>): ReadOnlyReason | undefined {
  if (inherited) return 'inherited';
  return source === 'directory' ? 'directory_managed' : undefined;
}

/**
 * The first reason against changing or removing the policy, as the guards would find it; undefined when there is none but
 * perhaps a proof of who the caller is, too old or with one factor only.
 */
export function policyReadOnlyReason(
  principal: MemberPrincipal,
  policy: PlacedPolicy,
): ReadOnlyReason | undefined {
  const { terms, closed, keepsLastOwner } = policy;
  const before = fixedReason(policy) ?? pageReadOnlyReason(principal, closed);
  if (before !== undefined) return before;
  if (terms.isOwner && !principal.isOwner) return 'owner_required';
  if (grantsBeyond(principal, terms).length > 0) return 'exceeds_own';
  if (needsRecentAuthentication(terms) && principal.via.kind !== 'session')
    return 'session_required';
  return keepsLastOwner ? 'last_owner' : undefined;
}
