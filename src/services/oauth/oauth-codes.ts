/** A code is used up by the first call that presents it, whatever else is wrong with the call. */
import { AppError } from '../../domain/errors.ts';
import { SYSTEM } from '../../domain/audit/events.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import {
  findCode,
  lockUnused,
  useCode,
  type Grant,
  type PresentedCode,
} from '../../data/oauth/oauth-grants.ts';
import { findByToken, parseToken } from '../../platform/crypto/tokens.ts';
import type { Db } from '../../platform/postgres.ts';
import { revokeWithAudit, type OAuthRevocation } from '../people/api-keys.ts';
import type { ServiceContext } from '../context.ts';
import { issueTokensOf, lockKeyOf, type IssuedTokens } from './issued-tokens.ts';

/**
 * Uses the code up. Undefined for an unknown or expired one. A code that was used before is in two hands, so what it gave ends, and it is
 * as good as unknown.
 */
export async function takeCode(
  context: ServiceContext,
  code: string,
): Promise<PresentedCode | undefined> {
  const { db } = context;
  const grant = await findByToken(
    parseToken(code),
    TOKEN_PREFIX.oauthCode,
    async (id) => await findCode(db, id),
  );
  if (!grant) return undefined;
  if (!(await useCode(db, grant.id))) {
    await revokeGrant(db, grant, 'code_used_again');
    return undefined;
  }
  if (!grant.isExpired) return grant;
  await revokeUnused(context, grant);
  return undefined;
}

/** Ends the key of a grant, and with it all of its tokens. */
export async function revokeGrant(
  db: Db,
  { organizationId, apiKeyId: id }: Pick<Grant, 'organizationId' | 'apiKeyId'>,
  reason: OAuthRevocation,
): Promise<void> {
  await db.transaction(async (trx) => {
    await revokeWithAudit(trx, organizationId, { id, actor: SYSTEM, reason });
  });
}

export async function revokeUnused(
  { db }: Pick<ServiceContext, 'db'>,
  grant: Grant,
): Promise<void> {
  await revokeGrant(db, grant, 'code_not_exchanged');
}

/** The first tokens of a grant. Throws `invalid_grant` when another call has ended it meanwhile. */
export async function exchangeCode(context: ServiceContext, grant: Grant): Promise<IssuedTokens> {
  return await context.db.transaction(async (trx) => {
    if (!(await lockKeyOf(trx, context, grant))) throw new AppError('invalid_grant');
    return await issueTokensOf(trx, context, grant);
  });
}

/** One batch of the purge: revokes keys whose code was not exchanged in time. */
export async function purgeUnusedCodes(db: Db, limit: number): Promise<number> {
  return await db.transaction(async (trx) => {
    const grants = await lockUnused(trx, limit);
    for (const { organizationId, apiKeyId: id } of grants)
      await revokeWithAudit(trx, organizationId, {
        id,
        actor: SYSTEM,
        reason: 'code_not_exchanged',
      });
    return grants.length;
  });
}
