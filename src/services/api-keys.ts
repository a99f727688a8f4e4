/** Personal API keys: a script acts as its member, with what the member holds at that moment. */
import { AppError, invalid } from '../domain/errors.ts';
import { actorOf } from '../domain/audit.ts';
import { effectiveGrants, effectivePermissions, type MemberPrincipal, type ProductPrincipal } from '../domain/authorization.ts';
import { isPermission, mayHold, permissionEntry, type Grant, type Permission, type PermissionEntry } from '../domain/permissions.ts';
import { isSensitive, requireFreshProof } from '../domain/proof.ts';
import { TOKEN_PREFIX } from '../domain/tokens.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import { findApiKey, findApiKeyHolder, insertApiKey, listApiKeys, revokeApiKey, touchApiKey, type ApiKeyRecord } from '../data/api-keys.ts';
import { findApiKeyRules } from '../data/organizations.ts';
import { issueToken, secretMatches, type PresentedToken } from '../platform/tokens.ts';
import type { ServiceContext } from './context.ts';
import { memberPrincipal } from './member-principals.ts';
import { cutPage } from './pages.ts';

const SENSITIVE_KEY = 'The key could decide requests or do what is dangerous: prove again who you are first.';

/**
 * The member behind a personal key. 401 when it is unknown, expired or revoked; 403 `membership_inactive`, and
 * `api_keys_disabled` while the organization does not allow personal keys.
 */
export async function authenticateApiKey(context: ServiceContext, token: PresentedToken): Promise<MemberPrincipal> {
  const key = await findApiKeyHolder(context.db, token.id);
  if (!key?.valid || !secretMatches(token.secret, key.tokenHash)) throw new AppError('authentication_required');
  const principal = memberPrincipal(key, {
    via: { kind: 'api_key', keyId: key.keyId, narrowed: key.permissions?.filter(isPermission) ?? null },
    auth: { method: 'api_key', assurance: key.assurance, authenticated_at: key.createdAt },
  });
  if (!key.personalApiKeysAllowed) throw new AppError('api_keys_disabled');
  if (key.useIsStale) {
    touchApiKey(context.db, key.organizationId, key.keyId).catch((error: unknown) => {
      context.logger.warn({ err: error }, 'could not record the use of an API key');
    });
  }
  return principal;
}

export interface OwnApiKeys {
  readonly keys: readonly ApiKeyRecord[];
  /** Id of the last key, when more follow. */
  readonly next: string | undefined;
  readonly personalApiKeysAllowed: boolean;
  readonly bearable: readonly PermissionEntry[];
}

/** The caller's own keys, newest first, and what a new one would carry. */
export async function listOwnApiKeys(
  context: ServiceContext,
  principal: MemberPrincipal,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<OwnApiKeys> {
  const { organizationId, membershipId } = principal;
  const [rules, found] = await Promise.all([
    findApiKeyRules(context.db, organizationId),
    listApiKeys(context.db, organizationId, { membershipId, limit: limit + 1, after }),
  ]);
  const { items: keys, last } = cutPage(found, limit);
  return {
    keys,
    next: last?.id,
    personalApiKeysAllowed: rules.personalApiKeysAllowed,
    bearable: bearablePermissions(principal).map(permissionEntry),
  };
}

/** What a key of this member carries: all he holds that a key can hold. */
function bearablePermissions(principal: MemberPrincipal): readonly Permission[] {
  const held = principal.grants.map((grant) => grant.permission).filter((permission) => mayHold('api_key', permission));
  return [...new Set(held)].sort();
}

export interface MintedApiKey {
  readonly key: ApiKeyRecord;
  /** Shown once. */
  readonly token: string;
}

/**
 * Mints a personal key. 403 `api_keys_disabled`, `api_key_scoping_unavailable` when `permissions` would narrow it, and
 * `reauthentication_required` when the key could decide or do what is dangerous and the session is not fresh.
 */
export async function mintApiKey(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: { readonly name: string; readonly expiresAt: Date | undefined; readonly permissions: readonly string[] | undefined },
): Promise<MintedApiKey> {
  const { organizationId, membershipId } = principal;
  return await context.db.transaction(async (trx) => {
    const { personalApiKeysAllowed, now } = await findApiKeyRules(trx, organizationId);
    if (!personalApiKeysAllowed) throw new AppError('api_keys_disabled');
    if (input.permissions) throw new AppError('api_key_scoping_unavailable');
    if (input.expiresAt && input.expiresAt <= now) {
      throw invalid([{ pointer: '/expires_at', code: 'invalid_value', message: 'must be in the future' }]);
    }
    if (isSensitive(bearablePermissions(principal))) requireFreshProof(principal, SENSITIVE_KEY);
    const { id, hash, token } = issueToken(TOKEN_PREFIX.apiKey);
    await insertApiKey(trx, organizationId, {
      id,
      membershipId,
      name: input.name,
      tokenHash: hash,
      assurance: principal.auth.assurance,
      createdAt: now,
      expiresAt: input.expiresAt,
    });
    const data = { name: input.name, ...(input.expiresAt && { expires_at: input.expiresAt }) };
    await insertAuditEvents(trx, organizationId, {
      events: [{ eventType: 'api_key.created', actor: actorOf(principal), subjectId: id, data }],
      occurredAt: now,
    });
    return { key: await ownKey(trx, principal, id), token };
  });
}

async function ownKey(db: ServiceContext['db'], { organizationId, membershipId }: MemberPrincipal, id: string): Promise<ApiKeyRecord> {
  const key = await findApiKey(db, organizationId, { id, membershipId });
  if (!key) throw new AppError('not_found');
  return key;
}

/** Revokes one of the caller's own keys for good; again, nothing more happens. */
export async function revokeOwnApiKey(context: ServiceContext, principal: MemberPrincipal, id: string): Promise<void> {
  await context.db.transaction(async (trx) => {
    await ownKey(trx, principal, id);
    if (!(await revokeApiKey(trx, principal.organizationId, { id, reason: 'manual' }))) return;
    await insertAuditEvents(trx, principal.organizationId, {
      events: [{ eventType: 'api_key.revoked', actor: actorOf(principal), subjectId: id, data: { reason: 'manual' } }],
    });
  });
}

export interface VerifiedApiKey {
  readonly key: ApiKeyRecord;
  readonly permissions: readonly Permission[];
  readonly grants: readonly Grant[];
}

/** The key the call presents and what it may do now. 400 `api_key_required` for a session. */
export async function verifyApiKey(context: ServiceContext, principal: ProductPrincipal): Promise<VerifiedApiKey> {
  if (principal.kind !== 'member' || principal.via.kind !== 'api_key') throw new AppError('api_key_required');
  return {
    key: await ownKey(context.db, principal, principal.via.keyId),
    permissions: effectivePermissions(principal),
    grants: effectiveGrants(principal),
  };
}
