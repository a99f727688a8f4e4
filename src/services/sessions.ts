/** Signing in and out, and what a presented session cookie is worth. */
import { AppError } from '../domain/errors.ts';
import { personOf } from '../domain/audit.ts';
import type { AuthMethod, MemberPrincipal } from '../domain/authorization.ts';
import { TOKEN_PREFIX } from '../domain/tokens.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import { findSessionHolder, insertSession, revokeSession, touchSession, type SessionHolder } from '../data/sessions.ts';
import { findSignIn } from '../data/users.ts';
import { verifyPassword } from '../platform/passwords.ts';
import type { Db } from '../platform/postgres.ts';
import { issueToken, parseToken, secretMatches, type IssuedToken, type PresentedToken } from '../platform/tokens.ts';
import type { ServiceContext } from './context.ts';
import { readAccount, type Account } from './me.ts';
import { memberPrincipal } from './member-principals.ts';
import { admitSignInAttempt } from './sign-in-attempts.ts';

/** The member behind a session. 401 when it is unknown, tampered with, expired, idle or revoked; 403 `membership_inactive`. */
export async function authenticateSession(context: ServiceContext, token: PresentedToken): Promise<MemberPrincipal> {
  const session = await findValidSession(context, token);
  if (!session) throw new AppError('authentication_required');
  const principal = sessionPrincipal(session);
  if (session.useIsStale) {
    touchSession(context.db, session.organizationId, session.sessionId).catch((error: unknown) => {
      context.logger.warn({ err: error }, 'could not record the use of a session');
    });
  }
  return principal;
}

async function findValidSession(context: ServiceContext, token: PresentedToken): Promise<SessionHolder | undefined> {
  if (token.prefix !== TOKEN_PREFIX.session) return undefined;
  const session = await findSessionHolder(context.db, token.id);
  return session?.valid && secretMatches(token.secret, session.tokenHash) ? session : undefined;
}

function sessionPrincipal(session: SessionHolder): MemberPrincipal {
  return memberPrincipal(session, {
    via: { kind: 'session', sessionId: session.sessionId, fresh: session.fresh },
    auth: {
      method: session.method,
      assurance: session.assurance,
      authenticated_at: session.authenticatedAt,
      session_id: session.sessionId,
    },
  });
}

export interface SignedIn {
  /** The cookie's value, shown to nobody else. */
  readonly token: string;
  readonly account: Account;
}

/**
 * A new session for the right email and password. 401 `invalid_credentials` is the same, in words and in time, for an
 * unknown email and a wrong password; 403 `membership_inactive`; 429 `rate_limited`.
 */
export async function signIn(
  context: ServiceContext,
  input: { readonly email: string; readonly password: string; readonly client: Client },
): Promise<SignedIn> {
  await admitSignInAttempt(context, { email: input.email, clientAddress: input.client.address });
  const person = await findSignIn(context.db, input.email);
  const correct = await verifyPassword(input.password, person?.passwordHash ?? undefined);
  if (!person || !correct) throw new AppError('invalid_credentials');
  if (person.membershipStatus !== 'active') throw new AppError('membership_inactive');
  const issued = await context.db.transaction(async (trx) => await openSession(trx, person, { ...PASSWORD_PROOF, client: input.client }));
  return await signedIn(context, issued);
}

/** Where a call comes from, as the person will recognize it in the list of his sessions. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

/** How a member has just proven who he is. */
export interface SignInProof {
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly client: Client;
  /** When that was, where it was not just now; never taken for later than now. */
  readonly authenticatedAt?: Date | undefined;
}

export const PASSWORD_PROOF = { method: 'local_password', assurance: 'single_factor' } as const;

/** Opens a session for a member who has just proven who he is, with its audit event. */
export async function openSession(
  trx: Db,
  member: { readonly organizationId: string; readonly membershipId: string; readonly displayName: string },
  { method, assurance, client, authenticatedAt }: SignInProof,
): Promise<IssuedToken> {
  const issued = issueToken(TOKEN_PREFIX.session);
  await insertSession(trx, member.organizationId, {
    id: issued.id,
    membershipId: member.membershipId,
    tokenHash: issued.hash,
    method,
    assurance,
    clientAddress: client.address,
    userAgent: client.userAgent,
    authenticatedAt,
  });
  await insertAuditEvents(trx, member.organizationId, {
    events: [{ eventType: 'session.created', actor: personOf(member), subjectId: issued.id, data: { method } }],
  });
  return issued;
}

/** What a person gets who has just signed in. */
export async function signedIn(context: ServiceContext, issued: IssuedToken): Promise<SignedIn> {
  const session = await findSessionHolder(context.db, issued.id);
  if (!session) throw new Error('a session is gone right after its commit');
  return { token: issued.token, account: await readAccount(context, sessionPrincipal(session)) };
}

/** Ends the session of the cookie; one that is unknown or has ended already is not an error. */
export async function signOut(context: ServiceContext, cookie: string | undefined): Promise<void> {
  const token = cookie === undefined ? undefined : parseToken(cookie);
  const session = token && (await findValidSession(context, token));
  if (!session) return;
  await context.db.transaction(async (trx) => {
    if (!(await revokeSession(trx, session.organizationId, session.sessionId))) return;
    const event = { eventType: 'session.revoked', actor: personOf(session), subjectId: session.sessionId };
    await insertAuditEvents(trx, session.organizationId, { events: [event] });
  });
}
