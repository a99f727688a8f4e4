/**
 * Rules for new passwords, and the replacement of a password, which ends everything the old one
 * opened.
 */
import { actorOf, personOf } from '../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { isGuessable } from '../../domain/sign-in/guessable-passwords.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  listMembershipsOfUser,
  lockPassword,
  updatePassword,
} from '../../data/sign-in/passwords.ts';
import { findPasswordHash } from '../../data/people/users.ts';
import { commonPasswords } from '../../platform/crypto/common-passwords.ts';
import { hashPassword, verifyPassword } from '../../platform/crypto/passwords.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { recordFailedAuthentication, type FailedAuthentication } from './failed-authentications.ts';
import { requirePasswordEnough } from './second-factors.ts';
import { endSessionsOf, renewAuthentication, type Client, type Renewal } from './sessions.ts';
import { countRenewal } from '../access/sign-in-attempts.ts';
import { verifiedHash } from './verified-passwords.ts';

const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 128;

export interface PasswordRules {
  /**
   * Public names of this person: email, display name, organization. The local part of an email
   * counts too.
   */
  readonly words: readonly string[];
  /** The field that holds the password, such as `/password`. */
  readonly pointer: string;
}

/**
 * 400 with the field unless the password has 12 characters and is neither common nor a name of the
 * person or organization.
 */
export async function requireAcceptablePassword(
  password: string,
  { words, pointer }: PasswordRules,
): Promise<void> {
  const refuse = (message: string) => invalid([{ pointer, code: 'invalid_value', message }]);
  // A character outside the basic plane counts as one.
  if ([...password].length < LEAST_CHARACTERS)
    throw refuse(`must be at least ${LEAST_CHARACTERS} characters long`);
  if (password.length > MOST_CHARACTERS)
    throw refuse(`must be at most ${MOST_CHARACTERS} characters long`);
  const common = await commonPasswords();
  const known = [
    ...words,
    ...words
      .filter((word) => word.includes('@'))
      .map((word) => word.slice(0, word.lastIndexOf('@'))),
  ];
  if (isGuessable(password, { words: known, isCommon: (text) => common.has(text) })) {
    throw refuse(
      'is too easy to guess: a common password, or a name of yours or of your organization',
    );
  }
}

/** The person whose password is replaced. */
export interface PasswordOwner {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
}

/** The public names of this person. */
export async function wordsOf(
  db: Db,
  { userId, email, displayName }: PasswordOwner,
): Promise<readonly string[]> {
  const memberships = await listMembershipsOfUser(db, userId);
  return [email, displayName, ...memberships.map(({ organizationName }) => organizationName)];
}

/**
 * Stores the new hash and ends the person's sessions in every organization, with audit events. The
 * person's row must be locked.
 */
export async function replacePassword(
  trx: Trx,
  { userId, displayName }: Pick<PasswordOwner, 'userId' | 'displayName'>,
  change: {
    readonly passwordHash: string;
    readonly how: 'changed' | 'reset';
    readonly client: Client;
    readonly exceptSessionId?: string;
  },
): Promise<void> {
  const { how, client, exceptSessionId } = change;
  await updatePassword(trx, userId, change.passwordHash);
  for (const { organizationId, membershipId } of await listMembershipsOfUser(trx, userId)) {
    const actor = personOf({ membershipId, displayName });
    const data = { client_address: client.address };
    await insertAuditEvents(trx, organizationId, {
      events: [{ eventType: `membership.password_${how}`, actor, subjectId: membershipId, data }],
    });
    const except = exceptSessionId === undefined ? {} : { exceptId: exceptSessionId };
    await endSessionsOf(trx, organizationId, {
      membershipId,
      ...except,
      actor,
      reason: `password_${how}`,
    });
  }
}

/**
 * Replaces the caller's own password. Their other sessions end everywhere; this one becomes recent.
 * 409 `no_password`; 403 `mfa_required` when a code must renew the session first; 400 for the new
 * password; 401 `invalid_credentials` for a wrong current one or after a concurrent change; 429
 * `rate_limited`.
 */
export async function changePassword(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: {
    readonly current: string;
    readonly next: string;
    readonly client: Client;
    readonly presented: string | undefined;
  },
): Promise<Renewal> {
  const { db } = context;
  const { userId, via } = principal;
  const { client, presented } = input;
  if (via.kind !== 'session') throw new AppError('session_required');
  const current = await findPasswordHash(db, userId);
  if (current === null) throw new AppError('no_password');
  await requirePasswordEnough(db, principal);
  await requireAcceptablePassword(input.next, {
    words: await wordsOf(db, principal),
    pointer: '/new_password',
  });
  await countRenewal(context, via.sessionId);
  const verified = await verifiedHash(input.current, current, via.sessionId);
  if (verified === undefined) {
    recordFailedAuthentication(context, {
      ...changeOf(principal),
      reason: 'wrong_password',
      client,
    });
    throw wrongCurrentPassword();
  }
  if (await verifyPassword(input.next, verified, via.sessionId)) {
    throw invalid([
      {
        pointer: '/new_password',
        code: 'invalid_value',
        message: 'must differ from the current password',
      },
    ]);
  }
  const passwordHash = await hashPassword(input.next, via.sessionId);
  return await db.transaction(async (trx) => {
    // Hashing takes long enough for a concurrent change.
    if ((await lockPassword(trx, userId, 'change')) !== verified) throw wrongCurrentPassword();
    await replacePassword(trx, principal, {
      passwordHash,
      how: 'changed',
      client,
      exceptSessionId: via.sessionId,
    });
    return await renewAuthentication(trx, principal, { presented });
  });
}

function changeOf(principal: MemberPrincipal): Omit<FailedAuthentication, 'reason' | 'client'> {
  const { organizationId, membershipId } = principal;
  return {
    at: 'password_change',
    organizationId,
    membershipId,
    subjectId: membershipId,
    actor: actorOf(principal),
  };
}

function wrongCurrentPassword(): AppError {
  return new AppError('invalid_credentials', { detail: 'The current password is wrong.' });
}
