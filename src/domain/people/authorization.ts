/**
 * Who may do what. Every check goes through `authorize`, every list through `scopeOf`; both read the same grants, so what
 * a list shows is what a check allows.
 */
import { isPermission, isValidScope, mayHold, permissions } from './permissions.ts';
import type { Grant, Permission, PermissionHolder, ScopeKind } from './permissions.ts';

export type AuthMethod =
  | 'local_password'
  | 'local_password_totp'
  | 'sso'
  | 'api_key'
  | 'slack'
  | 'agent_credential'
  | 'system';

/** How the caller proved who it is; `session_id` when a person acted, `credential_id` when an agent did. */
export interface AuthContext {
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly authenticated_at: Date;
  readonly session_id?: string;
  readonly credential_id?: string;
}

/** `fresh`: proven again within the organization's re-authentication window, when the call came in. */
export interface SessionCredential {
  readonly kind: 'session';
  readonly sessionId: string;
  readonly fresh: boolean;
}

/** A personal key; `narrowed` lists the only permissions it may carry, null when it carries all its member's. */
export interface PersonalKeyCredential {
  readonly kind: 'api_key';
  readonly keyId: string;
  readonly narrowed: readonly Permission[] | null;
}

/** Somebody pressed a button in Slack, whose Slack user the member has linked from a session. */
export interface SlackCredential {
  readonly kind: 'slack';
  readonly slackUserId: string;
}

/** A person, by session, by a personal key or through Slack. `grants` are the member's own and the inherited ones, before any narrowing. */
export interface MemberPrincipal {
  readonly kind: 'member';
  readonly organizationId: string;
  readonly membershipId: string;
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  readonly isOwner: boolean;
  readonly grants: readonly Grant[];
  readonly teamIds: readonly string[];
  /** The organization demands a second factor for what matters. */
  readonly requiresMfa: boolean;
  readonly via: SessionCredential | PersonalKeyCredential | SlackCredential;
  readonly auth: AuthContext;
}

/** An integration, by an organization key: no person, with grants of its own. */
export interface OrganizationKeyPrincipal {
  readonly kind: 'organization_key';
  readonly organizationId: string;
  readonly keyId: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly auth: AuthContext;
}

/** Everybody the product API serves. */
export type ProductPrincipal = MemberPrincipal | OrganizationKeyPrincipal;

/** One instance of an agent, by its credential. */
export interface AgentPrincipal {
  readonly kind: 'agent';
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly instanceId: string;
  readonly instanceName: string;
  readonly credentialId: string;
  readonly auth: AuthContext;
}

/** Everybody who can call the service; a further credential kind is one more member here and one more case below. */
export type Principal = ProductPrincipal | AgentPrincipal;

/** What an operation touches. `any` asks whether the permission is held at some scope, as lists do. */
export type AuthorizationTarget =
  | { readonly kind: 'organization' }
  | { readonly kind: 'agent'; readonly slug: string }
  | { readonly kind: 'team'; readonly id: string }
  | { readonly kind: 'any' };

/**
 * Why a check refused. `credential_kind`: this kind of credential can never hold the permission; `missing_permission`: no
 * grant at any scope; `outside_scope`: granted, but not for this target; `key_narrowed`: the member may, this key may not.
 */
export type ForbiddenReason =
  'missing_permission' | 'outside_scope' | 'key_narrowed' | 'credential_kind';

/** The `details` of a 403 from a permission check; `scope_id` is absent at organization scope. */
export interface ForbiddenDetails {
  readonly permission: Permission;
  readonly scope_kind: ScopeKind;
  readonly scope_id?: string;
  readonly reason: ForbiddenReason;
}

export type Authorization =
  { readonly allowed: true } | { readonly allowed: false; readonly forbidden: ForbiddenDetails };

/** Where a permission is held: everywhere in the organization, or for these agents and teams only. */
export type PermissionScope =
  | { readonly all: true }
  | {
      readonly all: false;
      readonly agentSlugs: readonly string[];
      readonly teamIds: readonly string[];
    };

/** The part of a permission policy that grants: `resource_ids` are team ids or agent slugs, empty at organization scope. */
export interface PolicyGrants {
  readonly scope_kind: ScopeKind;
  readonly resource_ids: readonly string[];
  readonly permissions: readonly string[];
}

const ALLOWED: Authorization = { allowed: true };

const ownerGrants: readonly Grant[] = permissions
  .filter((entry) => entry.holders.includes('human'))
  .map((entry) => ({ permission: entry.key, scope_kind: 'organization' }));

/** The grants an agent's credential carries: what an agent can hold, for itself. */
function agentGrants(slug: string): readonly Grant[] {
  return permissions
    .filter((entry) => entry.holders.includes('agent'))
    .map((entry) => ({ permission: entry.key, scope_kind: 'agent', scope_id: slug }));
}

/**
 * The grants a member's policies add up to, sorted and without duplicates. An owner holds every permission a person can
 * hold, everywhere. Keys this version does not know, and scopes a permission does not have, grant nothing.
 */
export function grantsFromPolicies(
  policies: readonly PolicyGrants[],
  isOwner: boolean,
): readonly Grant[] {
  if (isOwner) return sortedGrants(ownerGrants);
  const granted = policies.flatMap(({ scope_kind, resource_ids, permissions: keys }) =>
    keys
      .filter(isPermission)
      .filter((permission) => isValidScope(permission, scope_kind))
      .flatMap((permission): Grant[] =>
        scope_kind === 'organization'
          ? [{ permission, scope_kind }]
          : resource_ids.map((scope_id) => ({ permission, scope_kind, scope_id })),
      ),
  );
  return sortedGrants(granted);
}

function sortedGrants(grants: readonly Grant[]): readonly Grant[] {
  const distinct = new Map(
    grants.map((grant) => [
      `${grant.permission} ${grant.scope_kind} ${grant.scope_id ?? ''}`,
      grant,
    ]),
  );
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, grant]) => grant);
}

function holderOf(principal: Principal): PermissionHolder {
  if (principal.kind === 'agent') return 'agent';
  if (principal.kind === 'organization_key') return 'organization_api_key';
  return principal.via.kind === 'api_key' ? 'api_key' : 'human';
}

function heldGrants(principal: Principal): readonly Grant[] {
  return principal.kind === 'agent' ? agentGrants(principal.agentSlug) : principal.grants;
}

function isOutsideKeyScope(principal: Principal, permission: Permission): boolean {
  if (principal.kind !== 'member' || principal.via.kind !== 'api_key') return false;
  return principal.via.narrowed !== null && !principal.via.narrowed.includes(permission);
}

function canCarry(principal: Principal, permission: Permission): boolean {
  return mayHold(holderOf(principal), permission) && !isOutsideKeyScope(principal, permission);
}

function covers(grant: Grant, target: AuthorizationTarget): boolean {
  if (grant.scope_kind === 'organization' || target.kind === 'any') return true;
  if (target.kind === 'agent')
    return grant.scope_kind === 'agent' && grant.scope_id === target.slug;
  return target.kind === 'team' && grant.scope_kind === 'team' && grant.scope_id === target.id;
}

/** What a 403 says of the permission that would have been needed for the target. */
export function forbiddenAt(
  target: AuthorizationTarget,
  { permission, reason }: Pick<ForbiddenDetails, 'permission' | 'reason'>,
): ForbiddenDetails {
  if (target.kind === 'agent')
    return { permission, scope_kind: 'agent', scope_id: target.slug, reason };
  if (target.kind === 'team')
    return { permission, scope_kind: 'team', scope_id: target.id, reason };
  return { permission, scope_kind: 'organization', reason };
}

function refusal(
  permission: Permission,
  target: AuthorizationTarget,
  reason: ForbiddenReason,
): Authorization {
  return { allowed: false, forbidden: forbiddenAt(target, { permission, reason }) };
}

/** Whether the caller may use the permission on the target; a refusal names the reason that would have to change first. */
export function authorize(
  principal: Principal,
  permission: Permission,
  target: AuthorizationTarget,
): Authorization {
  if (!mayHold(holderOf(principal), permission))
    return refusal(permission, target, 'credential_kind');
  const grants = heldGrants(principal).filter((grant) => grant.permission === permission);
  if (grants.length === 0) return refusal(permission, target, 'missing_permission');
  if (!grants.some((grant) => covers(grant, target)))
    return refusal(permission, target, 'outside_scope');
  if (isOutsideKeyScope(principal, permission)) return refusal(permission, target, 'key_narrowed');
  return ALLOWED;
}

/** Where the caller holds the permission, as a filter for lists; undefined when nowhere, which `authorize` for `any` refuses. */
export function scopeOf(principal: Principal, permission: Permission): PermissionScope | undefined {
  if (!canCarry(principal, permission)) return undefined;
  const grants = heldGrants(principal).filter((grant) => grant.permission === permission);
  if (grants.length === 0) return undefined;
  if (grants.some((grant) => grant.scope_kind === 'organization')) return { all: true };
  return { all: false, agentSlugs: scopeIds(grants, 'agent'), teamIds: scopeIds(grants, 'team') };
}

function scopeIds(grants: readonly Grant[], kind: ScopeKind): readonly string[] {
  const ids = grants.flatMap((grant) =>
    grant.scope_kind === kind && grant.scope_id !== undefined ? [grant.scope_id] : [],
  );
  return [...new Set(ids)].sort();
}

/** What this credential can really use now: its holder's grants after the limits of its kind and its narrowing; sorted. */
export function effectiveGrants(principal: Principal): readonly Grant[] {
  return sortedGrants(
    heldGrants(principal).filter((grant) => canCarry(principal, grant.permission)),
  );
}

/** The permissions of `effectiveGrants`, sorted, each once. */
export function effectivePermissions(principal: Principal): readonly Permission[] {
  return [...new Set(effectiveGrants(principal).map((grant) => grant.permission))].sort();
}
