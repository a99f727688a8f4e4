/** Sign-in by email and password, the second factor, and re-authentication. */
import type { MfaChallenge } from '../../domain/sign-in/mfa-challenges.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import { actorOf } from '../../domain/audit/events.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import {
  countWrongCode,
  findMfaChallenge,
  insertMfaChallenge,
  lockLiveMfaChallenge,
  markMfaChallengeUsed,
} from '../../data/sign-in/mfa-challenges.ts';
import { lockPassword } from '../../data/sign-in/passwords.ts';
import { findTotpFactor } from '../../data/sign-in/totp-factors.ts';
import { findPasswordHash, findSignIn, type SignIn } from '../../data/people/users.ts';
import { networkOf } from '../../platform/network/client-address.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { findByToken, issueToken, parseToken } from '../../platform/crypto/tokens.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { tellOfNewNetwork } from '../account-mails.ts';
import { recordFailedAuthentication, type FailedAuthentication } from './failed-authentications.ts';
import { acceptCode, requirePasswordEnough, tryCode } from './second-factors.ts';
import {
  openSession,
  PASSWORD_METHOD,
  renewAuthentication,
  signedIn,
  type Client,
  type Renewal,
  type SignedIn,
} from './sessions.ts';
import {
  countRenewal,
  countSignInAttempt,
  forgiveRenewal,
  forgiveSignInAttempts,
} from '../access/sign-in-attempts.ts';
import { requirePasswordStill, verifiedHash } from './verified-passwords.ts';

/** The origin of a sign-in: the client, and the session cookie that came with it. */
interface Origin {
  readonly client: Client;
  readonly presented: string | undefined;
}

/** The password was correct; a second factor is required. */
export interface Challenge {
  /** The `whm_` token. */
  readonly token: string;
  readonly expiresAt: Date;
}

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly as: SignedIn }
  | { readonly kind: 'challenged'; readonly by: Challenge };

/**
 * A new session for the correct email and password, or a challenge where a second factor is
 * enrolled. 401 `invalid_credentials` has the same text and timing for an unknown email and a wrong
 * password; 403 `membership_inactive`; 429 `rate_limited`.
 */
export async function signIn(
  context: ServiceContext,
  input: Origin & { readonly email: string; readonly password: string },
): Promise<SignInOutcome> {
  const { client, presented } = input;
  const attempt = { email: input.email, clientAddress: client.address };
  await countSignInAttempt(context, attempt);
  const person = await findSignIn(context.db, input.email);
  const passwordHash = await verifiedHash(
    input.password,
    person?.passwordHash,
    networkOf(client.address),
  );
  if (!person || passwordHash === undefined) {
    if (person)
      recordFailedAuthentication(context, {
        ...signInOf(person),
        reason: 'wrong_password',
        client,
      });
    throw new AppError('invalid_credentials');
  }
  if (person.membershipStatus !== 'active') {
    recordFailedAuthentication(context, {
      ...signInOf(person),
      reason: 'membership_inactive',
      client,
    });
    throw new AppError('membership_inactive');
  }
  const issued = await context.db.transaction(async (trx) => {
    await requirePasswordStill(trx, person.userId, passwordHash);
    // Read under the lock, so that an app confirmed meanwhile counts.
    if ((await findTotpFactor(trx, person.userId))?.confirmedAt) return undefined;
    return await openSession(trx, person, { ...PASSWORD_METHOD, client, presented });
  });
  if (!issued)
    return { kind: 'challenged', by: await challenge(context, person.membershipId, passwordHash) };
  await forgiveSignInAttempts(context, attempt);
  tellOfNewNetwork(context, issued.id);
  return { kind: 'signed_in', as: await signedIn(context, issued) };
}

async function challenge(
  context: ServiceContext,
  membershipId: string,
  passwordHash: string,
): Promise<Challenge> {
  const { id, hash, token } = issueToken(TOKEN_PREFIX.mfaChallenge);
  const passwordDigest = digestOf(passwordHash);
  return {
    token,
    expiresAt: await insertMfaChallenge(context.db, {
      id,
      membershipId,
      tokenHash: hash,
      passwordDigest,
    }),
  };
}

function signInOf({
  organizationId,
  membershipId,
}: Pick<SignIn, 'organizationId' | 'membershipId'>): Omit<
  FailedAuthentication,
  'reason' | 'client'
> {
  return { at: 'sign_in', organizationId, membershipId, subjectId: membershipId };
}

function digestOf(passwordHash: string): Buffer {
  return createHash('sha256').update(passwordHash).digest();
}

/**
 * Completes a sign-in with a code. 401 `invalid_credentials` also for a used or ended challenge;
 * 429.
 */
export async function completeSignIn(
  context: ServiceContext,
  input: Origin & { readonly token: string; readonly code: string },
): Promise<SignedIn> {
  const { client, presented } = input;
  const pending = await findPresentedChallenge(context.db, input.token);
  if (!pending) throw new AppError('invalid_credentials', WRONG_CODE);
  const attempt = { email: pending.email, clientAddress: client.address };
  await countSignInAttempt(context, attempt);
  const tried = { userId: pending.userId, typed: input.code };
  const issued = await tryCode(
    context,
    tried,
    async () =>
      await context.db.transaction(async (trx) => {
        if (
          !(await lockLiveMfaChallenge(trx, pending.id)) ||
          !(await isPasswordStill(trx, pending))
        )
          return undefined;
        const secondFactor = await acceptCode(trx, context, tried);
        if (!secondFactor) {
          await countWrongCode(trx, pending.id);
          return undefined;
        }
        await markMfaChallengeUsed(trx, pending.id);
        const authentication = {
          method: 'local_password_totp',
          assurance: 'strong',
          client,
          presented,
          secondFactor,
        } as const;
        return await openSession(trx, pending, authentication);
      }),
  );
  if (!issued) {
    recordFailedAuthentication(context, { ...signInOf(pending), reason: 'wrong_code', client });
    throw new AppError('invalid_credentials', WRONG_CODE);
  }
  // This attempt and the one with the password.
  await forgiveSignInAttempts(context, attempt, 2);
  tellOfNewNetwork(context, issued.id);
  return await signedIn(context, issued);
}

const WRONG_CODE = {
  detail: 'The code is wrong or was used before: send a new one. If that fails too, sign in again.',
};

async function findPresentedChallenge(
  db: Db,
  presented: string,
): Promise<MfaChallenge | undefined> {
  return await findByToken(parseToken(presented), TOKEN_PREFIX.mfaChallenge, (id) =>
    findMfaChallenge(db, id),
  );
}

async function isPasswordStill(
  trx: Trx,
  { userId, passwordDigest }: MfaChallenge,
): Promise<boolean> {
  const hash = await lockPassword(trx, userId, 'verify');
  return hash !== null && timingSafeEqual(digestOf(hash), passwordDigest);
}

/**
 * Renews the caller's session by password, by a code of the second factor, or by both; everything
 * sent must be correct. 400 without either; 403 `mfa_required` where a password alone is not
 * enough; 401 `invalid_credentials`; 429 `rate_limited`.
 */
export async function reauthenticate(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: Reauthentication,
): Promise<Renewal> {
  const { password, code, client } = input;
  if (password === undefined && code === undefined) {
    throw invalid([
      { pointer: '', code: 'required', message: 'must hold a password, a code or both' },
    ]);
  }
  const { userId, via } = principal;
  if (via.kind !== 'session') throw new AppError('session_required');
  await countRenewal(context, via.sessionId);
  if (code === undefined) await requirePasswordEnough(context.db, principal);
  const kept = await findPasswordHash(context.db, userId);
  const passwordHash =
    password === undefined ? undefined : await verifiedHash(password, kept, via.sessionId);
  if (password !== undefined && passwordHash === undefined) {
    recordFailedAuthentication(context, {
      ...reauthenticationOf(principal),
      reason: 'wrong_password',
      client,
    });
    throw new AppError('invalid_credentials');
  }
  const renew = async () =>
    await context.db.transaction(
      async (trx) => await renewBy(trx, context, { ...input, principal, passwordHash }),
    );
  const renewal =
    code === undefined ? await renew() : await tryCode(context, { userId, typed: code }, renew);
  if (!renewal) {
    recordFailedAuthentication(context, {
      ...reauthenticationOf(principal),
      reason: 'wrong_code',
      client,
    });
    throw new AppError('invalid_credentials', WRONG_CODE);
  }
  await forgiveRenewal(context, via.sessionId);
  return renewal;
}

interface Reauthentication extends Origin {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

function reauthenticationOf(
  principal: MemberPrincipal,
): Omit<FailedAuthentication, 'reason' | 'client'> {
  const { organizationId, membershipId, via } = principal;
  const subjectId = via.kind === 'session' ? via.sessionId : membershipId;
  return {
    at: 'reauthentication',
    organizationId,
    membershipId,
    subjectId,
    actor: actorOf(principal),
  };
}

/**
 * `passwordHash`: the hash that the password matched. Undefined for a wrong code; then nothing is
 * written.
 */
async function renewBy(
  trx: Trx,
  runtime: Runtime,
  {
    principal,
    passwordHash,
    code,
    presented,
  }: Reauthentication & { principal: MemberPrincipal; passwordHash: string | undefined },
): Promise<Renewal | undefined> {
  const { userId } = principal;
  if (passwordHash !== undefined) await requirePasswordStill(trx, userId, passwordHash);
  const secondFactor =
    code === undefined ? undefined : await acceptCode(trx, runtime, { userId, typed: code });
  if (code !== undefined && !secondFactor) return undefined;
  return await renewAuthentication(trx, principal, { presented, secondFactor });
}
