/**
 * Personal API keys: a script acts as its member, with what the member holds at the time of each
 * call.
 */
import {
  bearablePermissions,
  expiryIssues,
  latestExpiry,
  longestLife,
  keyScopeIssues,
  requireBearable,
  type ApiKeyRecord,
  type ApiKeyRules,
  type ApiKeyStatus,
} from '../../domain/people/api-keys.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { actorOf, type AuditActor } from '../../domain/audit/events.ts';
import {
  effectiveGrants,
  effectivePermissions,
  grantsFromPolicies,
  type MemberPrincipal,
  type ProductPrincipal,
} from '../../domain/people/authorization.ts';
import {
  isPermission,
  permissionEntry,
  type Grant,
  type Permission,
  type PermissionEntry,
} from '../../domain/people/permissions.ts';
import {
  isSensitive,
  requireRecentAuthentication,
} from '../../domain/people/recent-authentication.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  findApiKey,
  findApiKeyHolder,
  findApiKeyRules,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  touchApiKey,
} from '../../data/people/api-keys.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { issueToken, secretMatches, type PresentedToken } from '../../platform/crypto/tokens.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { tellAccountHolder } from '../account-mails.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';
import { apiKeyPrincipal } from '../access/principals.ts';
import { readPage } from '../pages.ts';

const SENSITIVE_KEY =
  'The key could decide requests or use a dangerous permission: authenticate again first.';

/**
 * The member of a personal key. 401 when it is unknown, expired or revoked; 403 `membership_inactive`, and
 * `api_keys_disabled` while the organization does not allow personal keys.
 */
export async function authenticateApiKey(
  context: ServiceContext,
  token: PresentedToken,
): Promise<MemberPrincipal> {
  const key = await findApiKeyHolder(context.db, token.id);
  if (!key?.valid || !secretMatches(token.secret, key.tokenHash))
    throw new AppError('authentication_required');
  const principal = apiKeyPrincipal(key);
  noteUse(context, key);
  return principal;
}

/** Records the use of a key, at most once a minute, without delaying the call. */
export function noteUse(
  context: ServiceContext,
  {
    organizationId,
    keyId,
    useIsStale,
  }: { readonly organizationId: string; readonly keyId: string; readonly useIsStale: boolean },
): void {
  if (!useIsStale) return;
  touchApiKey(context.db, organizationId, keyId).catch((error: unknown) => {
    context.logger.warn({ err: error }, 'could not record the use of an API key');
  });
}

/** A key as people see it. */
export interface ApiKey extends ApiKeyRecord {
  /** The scope of the key, without permissions that this version does not know. */
  readonly permissions: readonly Permission[] | null;
  /** Active and not blocked. */
  readonly usable: boolean;
  /** Its own grants; empty for a personal key. */
  readonly grants: readonly Grant[];
}

export function apiKey(runtime: Runtime, record: ApiKeyRecord): ApiKey {
  const served = record.kind === 'personal' || runtime.edition === 'hosted';
  return {
    ...record,
    permissions: record.permissions?.filter(isPermission) ?? null,
    usable:
      served && record.status === 'active' && record.blockedReason === null && record.holderActive,
    grants: grantsFromPolicies(record.policies, false),
  };
}

export interface OwnApiKeys {
  readonly keys: readonly ApiKey[];
  /** Id of the last key, when more follow. */
  readonly next: string | undefined;
  readonly personalApiKeysAllowed: boolean;
  readonly scopingEnabled: boolean;
  readonly bearable: readonly PermissionEntry[];
  /** The latest expiry of a key created now. */
  readonly latestExpiry: Date | undefined;
}

interface OwnApiKeyPage {
  readonly status: ApiKeyStatus | undefined;
  /** Part of the key's name. */
  readonly q: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
}

/** The caller's own keys, newest first, and what a new key would carry. */
export async function listOwnApiKeys(
  context: ServiceContext,
  principal: MemberPrincipal,
  { limit, ...page }: OwnApiKeyPage,
): Promise<OwnApiKeys> {
  const { organizationId, membershipId } = principal;
  const [rules, { items, last }] = await Promise.all([
    findApiKeyRules(context.db, organizationId),
    readPage(limit, (most) =>
      listApiKeys(context.db, organizationId, { ...page, membershipId, limit: most }),
    ),
  ]);
  return {
    keys: items.map((record) => apiKey(context, record)),
    next: last?.id,
    personalApiKeysAllowed: rules.personalApiKeysAllowed,
    scopingEnabled: context.edition === 'hosted',
    bearable: bearablePermissions(principal, context.edition).map(permissionEntry),
    latestExpiry: latestExpiryUnder(context, rules),
  };
}

/**
 * The latest expiry of a key created under these rules: the sooner of the deployment's and the
 * organization's.
 */
export function latestExpiryUnder(runtime: Runtime, rules: ApiKeyRules): Date | undefined {
  return latestExpiry(
    rules.now,
    longestLife(runtime.limits.apiKeyLifetimeMs, rules.maxLifetimeSeconds),
  );
}

export interface IssuedApiKey {
  readonly key: ApiKey;
  /** Shown once. */
  readonly token: string;
}

/**
 * Creates a personal key. 403 `api_keys_disabled`; `api_key_scoping_unavailable` when `permissions`
 * would scope it in the open edition; `grant_exceeds_own` when they exceed the caller's; and what
 * `requireRecentAuthentication` throws when the key can decide or carries a dangerous permission.
 */
export async function issueApiKey(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: {
    readonly name: string;
    readonly expiresAt: Date | undefined;
    readonly permissions: readonly string[] | undefined;
  },
): Promise<IssuedApiKey> {
  return await context.db.transaction(async (trx) => {
    const wanted = await permitPersonalKey(trx, context, { principal, ...input });
    return await insertWithToken(trx, context, wanted);
  });
}

export interface WantedPersonalKey {
  readonly principal: MemberPrincipal;
  readonly name: string;
  readonly expiresAt: Date | undefined;
  readonly permissions: readonly string[] | undefined;
}

/** Checks what `issueApiKey` says, under the lock of the organization's access, and tells the member by email. */
export async function permitPersonalKey(
  trx: Trx,
  context: ServiceContext,
  { principal, ...input }: WantedPersonalKey,
): Promise<KeyToIssue> {
  const member = await lockAccessAndRereadMember(trx, principal, { permission: 'api_key.issue' });
  const rules = await findApiKeyRules(trx, member.organizationId);
  if (!rules.personalApiKeysAllowed) throw new AppError('api_keys_disabled');
  if (input.permissions && context.edition === 'open')
    throw new AppError('api_key_scoping_unavailable');
  const bearable = bearablePermissions(member, context.edition);
  const latest = latestExpiryUnder(context, rules);
  const issues = [
    ...(input.permissions ? keyScopeIssues(input.permissions) : []),
    ...expiryIssues(input.expiresAt, { now: rules.now, latest }),
  ];
  if (issues.length > 0) throw invalid(issues);
  const permissions = input.permissions?.filter(isPermission);
  if (permissions) requireBearable(permissions, bearable);
  if (isSensitive(permissions ?? bearable)) requireRecentAuthentication(member, SENSITIVE_KEY);
  const news = { kind: 'api_key_created', name: input.name } as const;
  await tellAccountHolder(trx, context, { holder: member, news });
  return {
    kind: 'personal',
    issuer: member,
    name: input.name,
    permissions,
    expiresAt: input.expiresAt ?? latest,
    now: rules.now,
  };
}

export interface KeyToIssue {
  readonly kind: 'personal' | 'organization';
  readonly issuer: MemberPrincipal;
  readonly name: string;
  readonly permissions: readonly Permission[] | undefined;
  readonly expiresAt: Date | undefined;
  readonly now: Date;
  /** The program that a person approved with the key. */
  readonly oauthClient?: {
    readonly id: string;
    readonly clientId: string;
    readonly resource: string;
  };
}

/** Inserts a permitted key with its audit event. */
export async function insertWithToken(
  trx: Trx,
  runtime: Runtime,
  wanted: KeyToIssue,
): Promise<IssuedApiKey> {
  const { kind, issuer, name, permissions, expiresAt, now, oauthClient } = wanted;
  const { organizationId, membershipId } = issuer;
  const { id, hash, token } = issueToken(
    kind === 'personal' ? TOKEN_PREFIX.apiKey : TOKEN_PREFIX.organizationKey,
  );
  await insertApiKey(trx, organizationId, {
    id,
    kind,
    createdByMembershipId: membershipId,
    name,
    tokenHash: hash,
    permissions,
    assurance: issuer.auth.assurance,
    createdAt: now,
    expiresAt,
  });
  const data = {
    name,
    kind,
    ...(permissions && { permissions: [...permissions] }),
    ...(expiresAt && { expires_at: expiresAt }),
    ...(oauthClient && {
      oauth_client: {
        id: oauthClient.id,
        client_id: oauthClient.clientId,
        resource: oauthClient.resource,
      },
    }),
  };
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType: 'api_key.created', actor: actorOf(issuer), subjectId: id, data }],
    occurredAt: now,
  });
  return { key: await readApiKey(trx, runtime, { organizationId, id }), token };
}

/** A key of the organization. Throws 404. */
export async function readApiKey(
  db: Db,
  runtime: Runtime,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<ApiKey> {
  const record = await findApiKey(db, organizationId, id);
  if (!record) throw new AppError('not_found');
  return apiKey(runtime, record);
}

/** Revokes one of the caller's own keys. A repeat changes nothing. */
export async function revokeOwnApiKey(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  const { organizationId, membershipId } = principal;
  await context.db.transaction(async (trx) => {
    const key = await readApiKey(trx, context, { organizationId, id });
    if (key.membershipId !== membershipId) throw new AppError('not_found');
    await revokeWithAudit(trx, organizationId, { id, actor: actorOf(principal) });
  });
}

/**
 * Why a key ended that no person revoked: what happened to the code or a refresh token of its client, its client wished it, or
 * the organization or the deployment lowered how long keys may live.
 */
export type OAuthRevocation =
  | 'code_not_exchanged'
  | 'code_used_again'
  | 'refresh_token_used_again'
  | 'revoked_by_client'
  | 'lifetime_limit_lowered';

/** Of two concurrent calls, one revokes and writes the event. */
export async function revokeWithAudit(
  trx: Trx,
  organizationId: string,
  {
    id,
    actor,
    reason = 'manual',
  }: {
    readonly id: string;
    readonly actor: AuditActor;
    readonly reason?: 'manual' | OAuthRevocation;
  },
): Promise<void> {
  const shown = reason === 'manual' ? reason : null;
  if (!(await revokeApiKey(trx, organizationId, { id, reason: shown }))) return;
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType: 'api_key.revoked', actor, subjectId: id, data: { reason } }],
  });
}

export interface VerifiedApiKey {
  readonly key: ApiKey;
  readonly permissions: readonly Permission[];
  readonly grants: readonly Grant[];
}

/** The presented key and its current permissions. 400 `api_key_required` for a session. */
export async function verifyApiKey(
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<VerifiedApiKey> {
  const id = presentedKey(principal);
  if (id === undefined) throw new AppError('api_key_required');
  return {
    key: await readApiKey(context.db, context, { organizationId: principal.organizationId, id }),
    permissions: effectivePermissions(principal, context.edition),
    grants: effectiveGrants(principal, context.edition),
  };
}

function presentedKey(principal: ProductPrincipal): string | undefined {
  if (principal.kind === 'organization_key') return principal.keyId;
  return principal.via.kind === 'api_key' ? principal.via.keyId : undefined;
}
