/** What makes a permission policy valid and who may grant it. Members, teams, organization keys and invitations share it. */
import { authorize, type MemberPrincipal } from './authorization.ts';
import { AppError, type Issue } from '../errors.ts';
import type { IssueCode } from '../issue-codes.ts';
import {
  isPermission,
  isServedBy,
  isValidScope,
  mayHold,
  permissionEntry,
  type Grant,
  type Edition,
  type PermissionHolder,
  type ScopeKind,
} from './permissions.ts';
import { requireRecentAuthentication, requireRecentUnlessKey } from './recent-authentication.ts';

/** A policy as authorization needs it, read together with the member (see `MEMBER_COLUMNS`). */
export interface HeldPolicy {
  readonly scope_kind: ScopeKind;
  readonly resource_ids: readonly string[];
  readonly permissions: readonly string[];
  readonly is_owner: boolean;
}

/** The holder of a policy. Personal keys hold none: they carry what their member holds. */
export interface PolicyHolder {
  readonly kind: 'membership' | 'team' | 'organization_api_key';
  readonly id: string;
}

/** A policy with what managing it needs. */
export interface PermissionPolicy extends PolicyTerms {
  readonly id: string;
  readonly source: 'manual' | 'directory';
  /** The number of its changes, starting at 1. */
  readonly revision: number;
  readonly grantedByActorId: string | null;
  readonly createdAt: Date;
  /** The team through which a member inherits it. */
  readonly viaTeamId: string | null;
  readonly viaTeamName: string | null;
}

/** A holder of policies, as their page presents it. */
export interface PolicyHolderState {
  readonly name: string;
  /** Why no policy can be added any more. */
  readonly closed: ClosedReason | null;
  /** The holder is an active member, so their ownership counts. */
  readonly active: boolean;
}

/** A scope of a policy other than the whole organization. */
export interface PolicyResource {
  /** The id of the team, or the slug of the agent. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'team' | 'agent';
}

/** `resourceIds`: team ids or agent slugs, empty at organization scope. `permissions` is empty for an owner, who holds all. */
export interface PolicyTerms {
  readonly scopeKind: ScopeKind;
  readonly resourceIds: readonly string[];
  readonly permissions: readonly string[];
  readonly isOwner: boolean;
}

/** Most policies of one member, team or key. Each call reads them all, so the number is bounded. */
export const MOST_POLICIES = 50;

/** The kind of holder and the edition that terms must fit. `pointer`: the position of the terms in the body. */
export interface PolicySetting {
  readonly holder: PermissionHolder;
  /** False for a team: members inherit its permissions, but never ownership. */
  readonly mayOwn?: boolean;
  readonly edition: Edition;
  readonly pointer?: string;
}

/** Problems of the terms, each with a pointer to its field. It does not check that resources exist. */
export function policyIssues(
  terms: PolicyTerms,
  { holder, mayOwn = holder === 'human', edition, pointer = '' }: PolicySetting,
): readonly Issue[] {
  const { scopeKind, resourceIds, permissions, isOwner } = terms;
  const issue = (field: string, code: IssueCode, message: string): Issue => ({
    pointer: `${pointer}/${field}`,
    code,
    message,
  });
  const issues: Issue[] = [];
  if (isOwner) {
    if (!mayOwn)
      issues.push(issue('is_owner', 'invalid_value', 'only a member can own the organization'));
    if (scopeKind !== 'organization')
      issues.push(issue('scope_kind', 'invalid_value', 'must be organization for an owner'));
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
      : [
          {
            pointer: `${pointer}/${index}`,
            code: 'invalid_value',
            message: 'must be named only once',
          },
        ],
  );
}

function permissionProblem(
  key: string,
  scopeKind: ScopeKind,
  { holder, edition }: PolicySetting,
): string | undefined {
  if (!isPermission(key)) return 'must be a permission of the vocabulary (GET /api/v1/permissions)';
  if (!isServedBy(edition, key))
    return 'must be a permission of this edition; this one needs the hosted edition';
  if (!mayHold(holder, key)) return 'must be a permission that this kind of holder can hold';
  if (!isValidScope(key, scopeKind))
    return `must be granted at one of these scopes: ${permissionEntry(key).scopes.join(', ')}`;
  return undefined;
}

/** The grants of valid terms, one for each permission and resource. Ownership is not a grant. */
function grantsOf({ scopeKind, resourceIds, permissions }: PolicyTerms): readonly Grant[] {
  return permissions
    .filter(isPermission)
    .flatMap((permission): Grant[] =>
      scopeKind === 'organization'
        ? [{ permission, scope_kind: scopeKind }]
        : resourceIds.map((scope_id) => ({ permission, scope_kind: scopeKind, scope_id })),
    );
}

/** True when the caller holds the grant with this credential, at the same scope or wider. */
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

/** The grants of the terms that the caller does not hold. */
export function grantsBeyond(principal: MemberPrincipal, terms: PolicyTerms): readonly Grant[] {
  return beyondOf(principal, grantsOf(terms));
}

function beyondOf(principal: MemberPrincipal, grants: readonly Grant[]): readonly Grant[] {
  return grants.filter((grant) => !holdsGrant(principal, grant));
}

/** Throws 403 `grant_exceeds_own` (details.grants) when the caller lacks any of the grants. */
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
 * Throws unless the caller may grant, change or remove these terms: 403 `owner_required` for ownership, 403
 * `grant_exceeds_own` (details.grants), and for ownership or dangerous permissions whatever
 * `requireRecentAuthentication` throws. In a session, the right to decide counts as dangerous.
 */
export function requireMayGrant(principal: MemberPrincipal, terms: PolicyTerms): void {
  if (terms.isOwner && !principal.isOwner) throw new AppError('owner_required');
  requireHeld(principal, grantsOf(terms));
  if (needsRecentAuthentication(terms)) requireRecentAuthentication(principal);
  if (terms.permissions.includes('request.decide')) requireRecentUnlessKey(principal);
}

function needsRecentAuthentication({ isOwner, permissions }: PolicyTerms): boolean {
  return isOwner || permissions.some((key) => isPermission(key) && permissionEntry(key).dangerous);
}

/** Why a holder can receive no more grants. */
export type ClosedReason = 'membership_removed' | 'team_archived' | 'api_key_inactive';

/** Why the caller cannot create a policy on this page. */
export type PageReadOnlyReason = ClosedReason | 'permission_policy_write_missing';

/** Why the caller cannot change or remove a policy, whatever their authentication. */
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
  /** True when removing it would leave no active owner. */
  readonly keepsLastOwner: boolean;
}

/** Why no caller can change the policy here. */
export function fixedReason({
  inherited,
  source,
}: Pick<PlacedPolicy, 'inherited' | 'source'>): ReadOnlyReason | undefined {
  if (inherited) return 'inherited';
  return source === 'directory' ? 'directory_managed' : undefined;
}

/**
 * The first reason against changing or removing the policy, as the guards would find it. Undefined
 * when there is none, except that the caller's authentication may be too old or have one factor
 * only.
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
