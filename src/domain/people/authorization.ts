/**
 * Who may do what. Every check uses `authorize` and every list uses `scopeOf`. Both read the same grants, so a list
 * shows exactly what a check allows.
 */
import type { ResumeMode } from '../agents/agents.ts';
import { isPermission, isServedBy, isValidScope, mayHold, permissions } from './permissions.ts';
import type { Grant, Permission, Edition, PermissionHolder, ScopeKind } from './permissions.ts';

export type AuthMethod =
  | 'local_password'
  | 'local_password_totp'
  | 'sso'
  | 'api_key'
  | 'slack'
  | 'agent_credential'
  | 'system';

/** How the caller authenticated. `session_id` is present for a person, `credential_id` for an agent. */
export interface AuthContext {
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly authenticated_at: Date;
  readonly session_id?: string;
  readonly credential_id?: string;
}

/** `isRecent`: the person authenticated within the organization's re-authentication window before this call. */
export interface SessionCredential {
  readonly kind: 'session';
  readonly sessionId: string;
  readonly isRecent: boolean;
}

/** A personal key. `scopedTo` lists the permissions of a scoped key; null when the key carries all its member holds. */
export interface PersonalKeyCredential {
  readonly kind: 'api_key';
  readonly keyId: string;
  readonly scopedTo: readonly Permission[] | null;
  /** Of a key of an OAuth client: what it opens, and nothing else. Absent for a key that opens the whole API. */
  readonly boundTo?: 'mcp' | 'api';
}

/** A Slack user that the member linked from a session. */
export interface SlackCredential {
  readonly kind: 'slack';
  readonly slackUserId: string;
}

/** A person, through a session, a personal key or Slack. `grants`: their own and inherited grants, before key scoping. */
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
  /** The organization requires a second factor for sensitive operations. */
  readonly requiresMfa: boolean;
  /** The version of the organization's access that all of this was read at. */
  readonly accessVersion: number;
  readonly via: SessionCredential | PersonalKeyCredential | SlackCredential;
  readonly auth: AuthContext;
}

/** An integration that uses an organization key. It has its own grants and is not a person. */
export interface OrganizationKeyPrincipal {
  readonly kind: 'organization_key';
  readonly organizationId: string;
  readonly keyId: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly auth: AuthContext;
}

/** Callers of the product API. */
export type ProductPrincipal = MemberPrincipal | OrganizationKeyPrincipal;

/** One instance of an agent, authenticated by its credential. */
export interface AgentPrincipal {
  readonly kind: 'agent';
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly instanceId: string;
  readonly instanceName: string;
  /** `agent`: it may also act on the requests of the agent's other instances. */
  readonly resume: ResumeMode;
  /** For how long an approved call of the agent may start, in seconds. */
  readonly approvalWindow: number;
  readonly credentialId: string;
  readonly auth: AuthContext;
}

/** A fleet that makes instances of its agent. It holds no permission: its token opens separate operations. */
export interface ProvisionerPrincipal {
  readonly kind: 'provisioner';
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly provisionerId: string;
  readonly suffix: string;
  /** Derived from the presented token. It opens the responses that the token got before. */
  readonly responseKey: Buffer;
}

/** Every authenticated caller. A new credential kind is one more member here and one more case below. */
export type Principal = ProductPrincipal | AgentPrincipal | ProvisionerPrincipal;

/** Identifies the credential of a call. A call from Slack presents none of ours: it counts as the Slack user's. */
export function credentialIdOf(principal: Principal): string {
  if (principal.kind === 'agent') return principal.credentialId;
  if (principal.kind === 'provisioner') return principal.provisionerId;
  if (principal.kind === 'organization_key') return principal.keyId;
  switch (principal.via.kind) {
    case 'session':
      return principal.via.sessionId;
    case 'api_key':
      return principal.via.keyId;
    case 'slack':
      return principal.via.slackUserId;
  }
}

/** Identifies the caller for fair shares: a member is one caller, with all their sessions and keys. */
export function callerIdOf(principal: Principal): string {
  return principal.kind === 'member' ? principal.membershipId : credentialIdOf(principal);
}

/** The object of an operation. `any` asks whether the caller holds the permission at some scope, as lists do. */
export type AuthorizationTarget =
  | { readonly kind: 'organization' }
  | { readonly kind: 'agent'; readonly slug: string }
  | { readonly kind: 'team'; readonly id: string }
  | { readonly kind: 'any' };

/**
 * Why a check refused. `credential_kind`: this kind of credential can never hold the permission. `missing_permission`: no
 * grant at any scope. `outside_scope`: granted, but not for this target. `key_narrowed`: the member may, the key may not.
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

/** The reach of a permission: the whole organization, or only these agents and teams. */
export type PermissionScope =
  | { readonly all: true }
  | {
      readonly all: false;
      readonly agentSlugs: readonly string[];
      readonly teamIds: readonly string[];
    };

/** For those without the permission. */
export const NO_SCOPE: PermissionScope = { all: false, agentSlugs: [], teamIds: [] };

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

/** The grants of an agent credential: every permission an agent can hold, for that agent only. */
function agentGrants(slug: string): readonly Grant[] {
  return permissions
    .filter((entry) => entry.holders.includes('agent'))
    .map((entry) => ({ permission: entry.key, scope_kind: 'agent', scope_id: slug }));
}

/**
 * The grants of a member's policies, sorted and without duplicates. An owner holds every permission a person can hold, at
 * organization scope. Unknown permissions and invalid scopes grant nothing.
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

/** Whether a member with these policies may use the permission on the target, by themselves. */
export function policiesAllow(
  policies: readonly (PolicyGrants & { readonly is_owner: boolean })[],
  permission: Permission,
  target: AuthorizationTarget,
): boolean {
  const isOwner = policies.some((policy) => policy.is_owner);
  return grantsAllow(grantsFromPolicies(policies, isOwner), permission, target);
}

/** The same for their grants. */
export function grantsAllow(
  grants: readonly Grant[],
  permission: Permission,
  target: AuthorizationTarget,
): boolean {
  return grants.some((grant) => grant.permission === permission && covers(grant, target));
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

function holderOf(principal: Principal): PermissionHolder | undefined {
  if (principal.kind === 'provisioner') return undefined;
  if (principal.kind === 'agent') return 'agent';
  if (principal.kind === 'organization_key') return 'organization_api_key';
  return principal.via.kind === 'api_key' ? 'api_key' : 'human';
}

function heldGrants(principal: Principal): readonly Grant[] {
  if (principal.kind === 'provisioner') return [];
  return principal.kind === 'agent' ? agentGrants(principal.agentSlug) : principal.grants;
}

function isOutsideKeyScope(principal: Principal, permission: Permission): boolean {
  if (principal.kind !== 'member' || principal.via.kind !== 'api_key') return false;
  return principal.via.scopedTo !== null && !principal.via.scopedTo.includes(permission);
}

function mayEverHold(principal: Principal, permission: Permission): boolean {
  const holder = holderOf(principal);
  return holder !== undefined && mayHold(holder, permission);
}

function canCarry(principal: Principal, permission: Permission): boolean {
  return mayEverHold(principal, permission) && !isOutsideKeyScope(principal, permission);
}

function covers(grant: Grant, target: AuthorizationTarget): boolean {
  if (grant.scope_kind === 'organization' || target.kind === 'any') return true;
  if (target.kind === 'agent')
    return grant.scope_kind === 'agent' && grant.scope_id === target.slug;
  return target.kind === 'team' && grant.scope_kind === 'team' && grant.scope_id === target.id;
}

/** The details of a 403: the permission that the target requires. */
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

/** Whether the caller may use the permission on the target. A refusal names the first reason to fix. */
export function authorize(
  principal: Principal,
  permission: Permission,
  target: AuthorizationTarget,
): Authorization {
  if (!mayEverHold(principal, permission)) return refusal(permission, target, 'credential_kind');
  const grants = heldGrants(principal).filter((grant) => grant.permission === permission);
  if (grants.length === 0) return refusal(permission, target, 'missing_permission');
  if (!grants.some((grant) => covers(grant, target)))
    return refusal(permission, target, 'outside_scope');
  if (isOutsideKeyScope(principal, permission)) return refusal(permission, target, 'key_narrowed');
  return ALLOWED;
}

/** Whether the caller may learn of an agent or a team: it holds something there that can be granted for it alone. */
export function maySeeTarget(principal: Principal, target: AuthorizationTarget): boolean {
  if (target.kind !== 'agent' && target.kind !== 'team') return true;
  return heldGrants(principal).some(
    (grant) =>
      isValidScope(grant.permission, target.kind) &&
      canCarry(principal, grant.permission) &&
      covers(grant, target),
  );
}

/** Where the caller holds the permission, as a filter for lists; undefined where `authorize` with `any` refuses. */
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

/** What this credential can use now: its holder's grants, within its kind, its scopes and the edition; sorted. */
export function effectiveGrants(principal: Principal, edition: Edition): readonly Grant[] {
  return sortedGrants(
    heldGrants(principal).filter(
      ({ permission }) => canCarry(principal, permission) && isServedBy(edition, permission),
    ),
  );
}

/** The distinct permissions of `effectiveGrants`, sorted. */
export function effectivePermissions(
  principal: Principal,
  edition: Edition,
): readonly Permission[] {
  return [...new Set(effectiveGrants(principal, edition).map((grant) => grant.permission))].sort();
}
