/** What a new password must be, and replacing the one of before: everything that the old one opened ends. */
import { personOf } from '../domain/audit.ts';
import type { MemberPrincipal } from '../domain/authorization.ts';
import { AppError, invalid } from '../domain/errors.ts';
import { isGuessable } from '../domain/guessable-passwords.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import { listMembershipsOfUser, lockPassword, updatePassword, type MembershipOfUser } from '../data/passwords.ts';
import { findPasswordHash } from '../data/users.ts';
import { commonPasswords } from '../platform/common-passwords.ts';
import { hashPassword, verifyPassword } from '../platform/passwords.ts';
import type { Db } from '../platform/postgres.ts';
import type { ServiceContext } from './context.ts';
import { requirePasswordEnough } from './second-factors.ts';
import { endSessionsOf, renewProof, type Client, type Renewal } from './sessions.ts';
import { admitSignInAttempt } from './sign-in-attempts.ts';

const LEAST_CHARACTERS = 12;

export interface PasswordRules {
  /** What stands for this person to everybody: email, display name, the organization's name. Of an email the local part counts too. */
  readonly words: readonly string[];
  /** The field the password came in, such as `/password`. */
  readonly pointer: string;
}

/** 400 with the field unless the password has 12 characters and is neither common nor the person's or organization's name. */
export async function requireAcceptablePassword(password: string, { words, pointer }: PasswordRules): Promise<void> {
  const refuse = (message: string) => invalid([{ pointer, code: 'invalid_value', message }]);
  // A character outside the basic plane counts as one.
  if ([...password].length < LEAST_CHARACTERS) throw refuse(`must be at least ${LEAST_CHARACTERS} characters long`);
  const common = await commonPasswords();
  const known = [...words, ...words.filter((word) => word.includes('@')).map((word) => word.slice(0, word.lastIndexOf('@')))];
  if (isGuessable(password, { words: known, isCommon: (text) => common.has(text) })) {
    throw refuse('is one of the first somebody would guess: a common password, or a name of yours or your organization');
  }
}

/** A person whose password is replaced. */
export interface PasswordOwner {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly memberships: readonly MembershipOfUser[];
}

/** The words that are no secret of this person. */
export function wordsOf({ email, displayName, memberships }: PasswordOwner): readonly string[] {
  return [email, displayName, ...memberships.map(({ organizationName }) => organizationName)];
}

/** Keeps the new hash, ends the sessions in every organization, and tells each. The person's row must be locked. */
export async function replacePassword(
  trx: Db,
  { userId, displayName, memberships }: PasswordOwner,
  change: { readonly passwordHash: string; readonly how: 'changed' | 'reset'; readonly client: Client; readonly exceptSessionId?: string },
): Promise<void> {
  const { how, client, exceptSessionId } = change;
  await updatePassword(trx, userId, change.passwordHash);
  for (const { organizationId, membershipId } of memberships) {
    const actor = personOf({ membershipId, displayName });
    const data = { client_address: client.address };
    await insertAuditEvents(trx, organizationId, {
      events: [{ eventType: `membership.password_${how}`, actor, subjectId: membershipId, data }],
    });
    const except = exceptSessionId === undefined ? {} : { exceptId: exceptSessionId };
    await endSessionsOf(trx, organizationId, { membershipId, ...except, actor, reason: `password_${how}` });
  }
}

/**
 * Replaces the caller's own password. His other sessions end everywhere, this one is fresh. 409 `no_password`; 403
 * `mfa_required` where a code has to renew the session first; 400 for the new one; 401 `invalid_credentials` for the
 * current one, and when somebody replaced it meanwhile; 429 `rate_limited`.
 */
export async function changePassword(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: { readonly current: string; readonly next: string; readonly client: Client; readonly presented: string | undefined },
): Promise<Renewal> {
  const { db } = context;
  const { userId, email, displayName, via } = principal;
  if (via.kind !== 'session') throw new AppError('session_required');
  const [verified, memberships] = [await findPasswordHash(db, userId), await listMembershipsOfUser(db, userId)];
  if (verified === null) throw new AppError('no_password');
  await requirePasswordEnough(db, principal);
  const owner = { userId, email, displayName, memberships };
  await requireAcceptablePassword(input.next, { words: wordsOf(owner), pointer: '/new_password' });
  await admitSignInAttempt(context, { email, clientAddress: input.client.address });
  if (!(await verifyPassword(input.current, verified))) throw wrongCurrentPassword();
  if (await verifyPassword(input.next, verified)) {
    throw invalid([{ pointer: '/new_password', code: 'invalid_value', message: 'must differ from the current password' }]);
  }
  const passwordHash = await hashPassword(input.next);
  return await db.transaction(async (trx) => {
    // Hashing takes long enough for somebody else to have replaced it.
    if ((await lockPassword(trx, userId)) !== verified) throw wrongCurrentPassword();
    const change = { passwordHash, how: 'changed', client: input.client, exceptSessionId: via.sessionId } as const;
    await replacePassword(trx, owner, change);
    return await renewProof(trx, principal, { presented: input.presented });
  });
}

function wrongCurrentPassword(): AppError {
  return new AppError('invalid_credentials', { detail: 'The current password is wrong.' });
}
