/** Proving who one is: email and password, a second factor where there is one, and both again later. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { SYSTEM } from '../domain/audit.ts';
import { AppError, invalid } from '../domain/errors.ts';
import type { MemberPrincipal } from '../domain/authorization.ts';
import { TOKEN_PREFIX } from '../domain/tokens.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import {
  countWrongCode,
  findMfaChallenge,
  insertMfaChallenge,
  lockLiveMfaChallenge,
  markMfaChallengeUsed,
  type MfaChallenge,
} from '../data/mfa-challenges.ts';
import { findTotpFactor } from '../data/totp-factors.ts';
import { findPasswordHash, findSignIn, lockPasswordHash, type SignIn } from '../data/users.ts';
import { verifyPassword } from '../platform/passwords.ts';
import type { Db } from '../platform/postgres.ts';
import { issueToken, parseToken, secretMatches } from '../platform/tokens.ts';
import type { ServiceContext } from './context.ts';
import { acceptCode, requirePasswordEnough, tryCode } from './second-factors.ts';
import { openSession, PASSWORD_PROOF, renewProof, signedIn, type Client, type Renewal, type SignedIn } from './sessions.ts';
import { admitSignInAttempt } from './sign-in-attempts.ts';

/** Where a sign-in comes from: who sends it, and the session cookie that came with it. */
interface Origin {
  readonly client: Client;
  readonly presented: string | undefined;
}

/** The password was right and a second factor is awaited. */
export interface Challenge {
  /** The `whm_` token. */
  readonly token: string;
  readonly expiresAt: Date;
}

export type SignInOutcome = { readonly kind: 'signed_in'; readonly as: SignedIn } | { readonly kind: 'challenged'; readonly by: Challenge };

/**
 * A new session, or a challenge where there is a second factor, for the right email and password. 401 `invalid_credentials`
 * is the same, in words and in time, for an unknown email and a wrong password; 403 `membership_inactive`; 429 `rate_limited`.
 */
export async function signIn(
  context: ServiceContext,
  input: Origin & { readonly email: string; readonly password: string },
): Promise<SignInOutcome> {
  const { client, presented } = input;
  await admitSignInAttempt(context, { email: input.email, clientAddress: client.address });
  const person = await findSignIn(context.db, input.email);
  const correct = await verifyPassword(input.password, person?.passwordHash ?? undefined);
  if (!person?.passwordHash || !correct) {
    if (person) recordFailure(context, person, { reason: 'wrong_password', client });
    throw new AppError('invalid_credentials');
  }
  if (person.membershipStatus !== 'active') {
    recordFailure(context, person, { reason: 'membership_inactive', client });
    throw new AppError('membership_inactive');
  }
  const { passwordHash } = person;
  const issued = await context.db.transaction(async (trx) => {
    await requirePasswordStill(trx, person.userId, passwordHash);
    // Looked at under the lock: an app that was confirmed meanwhile counts.
    if ((await findTotpFactor(trx, person.userId))?.confirmedAt) return undefined;
    return await openSession(trx, person, { ...PASSWORD_PROOF, client, presented });
  });
  if (!issued) return { kind: 'challenged', by: await challenge(context, person.membershipId, passwordHash) };
  return { kind: 'signed_in', as: await signedIn(context, issued) };
}

async function challenge(context: ServiceContext, membershipId: string, passwordHash: string): Promise<Challenge> {
  const { id, hash, token } = issueToken(TOKEN_PREFIX.mfaChallenge);
  const passwordDigest = digestOf(passwordHash);
  return { token, expiresAt: await insertMfaChallenge(context.db, { id, membershipId, tokenHash: hash, passwordDigest }) };
}

/** Hashing takes long enough for the password to be changed meanwhile, and a change ends what the old one opened. */
async function requirePasswordStill(trx: Db, userId: string, verified: string): Promise<void> {
  if ((await lockPasswordHash(trx, userId)) !== verified) throw new AppError('invalid_credentials');
}

function digestOf(passwordHash: string): Buffer {
  return createHash('sha256').update(passwordHash).digest();
}

/** Completes a sign-in with a code. 401 `invalid_credentials` also for a challenge that was used or has ended; 429. */
export async function completeSignIn(
  context: ServiceContext,
  input: Origin & { readonly token: string; readonly code: string },
): Promise<SignedIn> {
  const { client, presented } = input;
  const pending = await findPresentedChallenge(context.db, input.token);
  if (!pending) throw new AppError('invalid_credentials', WRONG_CODE);
  await admitSignInAttempt(context, { email: pending.email, clientAddress: client.address });
  const tried = { userId: pending.userId, typed: input.code };
  const issued = await tryCode(
    context,
    tried,
    async () =>
      await context.db.transaction(async (trx) => {
        if (!(await lockLiveMfaChallenge(trx, pending.id)) || !(await isPasswordStill(trx, pending))) return undefined;
        const secondFactor = await acceptCode(context, trx, tried);
        if (!secondFactor) {
          await countWrongCode(trx, pending.id);
          return undefined;
        }
        await markMfaChallengeUsed(trx, pending.id);
        const proof = { method: 'local_password_totp', assurance: 'strong', client, presented, secondFactor } as const;
        return await openSession(trx, pending, proof);
      }),
  );
  if (!issued) {
    recordFailure(context, pending, { reason: 'wrong_code', client });
    throw new AppError('invalid_credentials', WRONG_CODE);
  }
  return await signedIn(context, issued);
}

const WRONG_CODE = { detail: 'The code is wrong or has served before, or the sign-in has to begin again.' };

async function findPresentedChallenge(db: Db, presented: string): Promise<MfaChallenge | undefined> {
  const token = parseToken(presented);
  if (token?.prefix !== TOKEN_PREFIX.mfaChallenge) return undefined;
  const found = await findMfaChallenge(db, token.id);
  return found && secretMatches(token.secret, found.tokenHash) ? found : undefined;
}

async function isPasswordStill(trx: Db, { userId, passwordDigest }: MfaChallenge): Promise<boolean> {
  const hash = await lockPasswordHash(trx, userId);
  return hash !== null && timingSafeEqual(digestOf(hash), passwordDigest);
}

/**
 * Written after the answer has gone: neither its time nor its failure tells the client that the email is known. Who tried
 * is not known either, so the service itself is the actor.
 */
function recordFailure(
  { db, logger }: ServiceContext,
  person: Pick<SignIn, 'organizationId' | 'membershipId'>,
  { reason, client }: { readonly reason: 'wrong_password' | 'wrong_code' | 'membership_inactive'; readonly client: Client },
): void {
  const data = { membership_id: person.membershipId, reason, client_address: client.address, user_agent: client.userAgent };
  const event = { eventType: 'session.sign_in_failed', actor: SYSTEM, subjectId: person.membershipId, data };
  setImmediate(() => {
    insertAuditEvents(db, person.organizationId, { events: [event] }).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not record a failed sign-in');
    });
  });
}

/**
 * Renews the caller's session by his password, a code of his second factor, or both: all that is given must be right. 400
 * without either; 403 `mfa_required` where a password alone is not enough; 401 `invalid_credentials`; 429 `rate_limited`.
 */
export async function reauthenticate(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: Origin & { readonly password?: string | undefined; readonly code?: string | undefined },
): Promise<Renewal> {
  const { password, code, client, presented } = input;
  if (password === undefined && code === undefined) {
    throw invalid([{ pointer: '', code: 'required', message: 'must hold a password, a code or both' }]);
  }
  await admitSignInAttempt(context, { email: principal.email, clientAddress: client.address });
  const { userId } = principal;
  if (code === undefined) await requirePasswordEnough(context.db, principal);
  const verified = password === undefined ? undefined : await verifiedHash(context, userId, password);
  const renew = async (typed: string | undefined) =>
    await context.db.transaction(async (trx) => {
      if (verified !== undefined) await requirePasswordStill(trx, userId, verified);
      const secondFactor = typed === undefined ? undefined : await acceptCode(context, trx, { userId, typed });
      if (typed !== undefined && !secondFactor) return undefined;
      return await renewProof(trx, principal, { presented, secondFactor });
    });
  const renewal = code === undefined ? await renew(code) : await tryCode(context, { userId, typed: code }, async () => await renew(code));
  if (!renewal) throw new AppError('invalid_credentials', WRONG_CODE);
  return renewal;
}

/** The hash the password is of. 401 when it is of none. */
async function verifiedHash(context: ServiceContext, userId: string, password: string): Promise<string> {
  const hash = await findPasswordHash(context.db, userId);
  const correct = await verifyPassword(password, hash ?? undefined);
  if (hash === null || !correct) throw new AppError('invalid_credentials');
  return hash;
}
