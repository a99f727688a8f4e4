/** Browser sessions: resolve a presented cookie, open, renew and end a session. */
import type { SessionRecord } from '../../domain/sign-in/sessions.ts';
import { AppError } from '../../domain/errors.ts';
import { actorOf, personOf, type AuditActor } from '../../domain/audit/events.ts';
import type {
  AuthContext,
  AuthMethod,
  MemberPrincipal,
} from '../../domain/people/authorization.ts';
import type { SecondFactor } from '../../domain/sign-in/second-factors.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { movePushSubscriptions } from '../../data/notifications/push-subscriptions.ts';
import { lockMembershipStatus } from '../../data/people/memberships.ts';
import {
  findSessionHolder,
  findSessionOf,
  insertSession,
  listLiveSessions,
  renewSession,
  revokeSession,
  revokeSessionsOf,
  touchSession,
  type SessionHolder,
  type SessionPage,
} from '../../data/sign-in/sessions.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import {
  findByToken,
  hashSecret,
  issueToken,
  parseToken,
  type IssuedToken,
  type PresentedToken,
} from '../../platform/crypto/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { readAccount, type Account } from './me.ts';
import { sessionPrincipal } from '../access/principals.ts';
import { readPage } from '../pages.ts';

/**
 * The member of a session. `background`: the call is no use of it. 401 when it is unknown, tampered with, expired, idle or revoked; 403
 * `membership_inactive`.
 */
export async function authenticateSession(
  context: ServiceContext,
  token: PresentedToken,
  { background = false }: { readonly background?: boolean } = {},
): Promise<MemberPrincipal> {
  const session = await findValidSession(context.db, token);
  if (!session) throw new AppError('authentication_required');
  const principal = sessionPrincipal(session);
  if (session.useIsStale && !background) {
    touchSession(context.db, session.organizationId, session.sessionId).catch((error: unknown) => {
      context.logger.warn({ err: error }, 'could not record the use of a session');
    });
  }
  return principal;
}

async function findValidSession(
  db: Db,
  token: PresentedToken | undefined,
): Promise<SessionHolder | undefined> {
  const session = await findByToken(token, TOKEN_PREFIX.session, (id) => findSessionHolder(db, id));
  return session?.valid ? session : undefined;
}

export interface SignedIn {
  /** The value of the cookie, sent only to this browser. */
  readonly token: string;
  readonly account: Account;
}

/** The origin of a call, as the list of sessions shows it. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

/** How a member has just authenticated. */
export interface SignInMethod {
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly client: Client;
  /** When an external identity provider authenticated the person; now when absent. */
  readonly authenticatedAt?: Date | undefined;
  /** The second factor used, for the audit log. */
  readonly secondFactor?: SecondFactor;
  /**
   * The session cookie that came with the call. Its live session ends, so that none survives its
   * successor.
   */
  readonly presented?: string | undefined;
  /**
   * Only that session authenticates the caller, so it must still be live when its successor begins.
   */
  readonly bySession?: true;
}

export const PASSWORD_METHOD = { method: 'local_password', assurance: 'single_factor' } as const;

/**
 * Opens a session for a member who has just authenticated, with its audit event. 403
 * `membership_inactive`; 401 when the authenticating session has ended meanwhile.
 */
export async function openSession(
  trx: Trx,
  member: {
    readonly organizationId: string;
    readonly membershipId: string;
    readonly displayName: string;
  },
  { method, assurance, client, authenticatedAt, secondFactor, presented, bySession }: SignInMethod,
): Promise<IssuedToken> {
  const status = await lockMembershipStatus(trx, member.organizationId, member.membershipId);
  if (status !== 'active') throw new AppError('membership_inactive');
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
  const data = { method, assurance, ...(secondFactor && { second_factor: secondFactor }) };
  await insertAuditEvents(trx, member.organizationId, {
    events: [{ eventType: 'session.created', actor: personOf(member), subjectId: issued.id, data }],
  });
  const former = parseToken(presented ?? '')?.id;
  if (former !== undefined) await movePushSubscriptions(trx, { from: former, to: issued.id });
  const superseded = await endPresented(trx, presented, 'superseded');
  if (bySession && !superseded) throw new AppError('authentication_required');
  return issued;
}

/** The result of a sign-in. */
export async function signedIn(context: ServiceContext, issued: IssuedToken): Promise<SignedIn> {
  const session = await findSessionHolder(context.db, issued.id);
  if (!session) throw new Error('a session is gone right after its commit');
  return { token: issued.token, account: await readAccount(context, sessionPrincipal(session)) };
}

export interface Renewal {
  /** The new value of the cookie. */
  readonly token: string;
  readonly auth: AuthContext;
}

/**
 * Renews the session after re-authentication: it becomes recent, gets a new secret, and the old
 * cookie stops working. A second factor also makes it strong. 401 when the session ended or another
 * call renewed it meanwhile.
 */
export async function renewAuthentication(
  trx: Trx,
  principal: MemberPrincipal,
  credentials: {
    readonly presented: string | undefined;
    readonly secondFactor?: SecondFactor | undefined;
  },
): Promise<Renewal> {
  const cookie = parseToken(credentials.presented ?? '');
  if (principal.via.kind !== 'session' || cookie?.id !== principal.via.sessionId)
    throw new AppError('session_required');
  const { id, hash, token } = issueToken(TOKEN_PREFIX.session, principal.via.sessionId);
  const { method, assurance } = authenticatedBy(principal.auth, credentials.secondFactor);
  const presentedHash = hashSecret(cookie.secret);
  const authenticatedAt = await renewSession(trx, principal.organizationId, {
    id,
    presentedHash,
    tokenHash: hash,
    method,
    assurance,
  });
  if (!authenticatedAt) throw new AppError('authentication_required');
  const data = {
    method,
    assurance,
    ...(credentials.secondFactor && { second_factor: credentials.secondFactor }),
  };
  await insertAuditEvents(trx, principal.organizationId, {
    events: [
      { eventType: 'session.reauthenticated', actor: actorOf(principal), subjectId: id, data },
    ],
  });
  return { token, auth: { method, assurance, authenticated_at: authenticatedAt, session_id: id } };
}

/** A second factor adds to the method that opened the session; a repeated password adds nothing. */
function authenticatedBy(
  { method, assurance }: AuthContext,
  secondFactor: SecondFactor | undefined,
): Pick<AuthContext, 'method' | 'assurance'> {
  if (!secondFactor) return { method, assurance };
  return {
    method: method === 'local_password' ? 'local_password_totp' : method,
    assurance: 'strong',
  };
}

/** Ends the session of the cookie. An unknown or ended session is not an error. */
export async function signOut(context: ServiceContext, cookie: string | undefined): Promise<void> {
  await context.db.transaction(async (trx) => {
    await endPresented(trx, cookie, 'signed_out');
  });
}

type EndReason =
  | 'signed_out'
  | 'superseded'
  | 'identity_unlinked'
  | 'manual'
  | 'mfa_enrolled'
  | 'mfa_removed'
  | 'password_changed'
  | 'password_reset';

/** True when there was a live session and this call ended it. */
async function endPresented(
  trx: Trx,
  cookie: string | undefined,
  reason: EndReason,
): Promise<boolean> {
  const session = await findValidSession(
    trx,
    cookie === undefined ? undefined : parseToken(cookie),
  );
  if (!session || !(await revokeSession(trx, session.organizationId, session.sessionId)))
    return false;
  await recordEnds(trx, session.organizationId, {
    ids: [session.sessionId],
    actor: personOf(session),
    reason,
  });
  return true;
}

async function recordEnds(
  trx: Trx,
  organizationId: string,
  {
    ids,
    actor,
    reason,
  }: { readonly ids: readonly string[]; readonly actor: AuditActor; readonly reason: EndReason },
): Promise<void> {
  const events = ids.map((subjectId) => ({
    eventType: 'session.revoked' as const,
    actor,
    subjectId,
    data: { reason },
  }));
  await insertAuditEvents(trx, organizationId, { events });
}

/** Ends the live sessions of a member except `exceptId`, with their audit events. */
export async function endSessionsOf(
  trx: Trx,
  organizationId: string,
  ends: {
    readonly membershipId: string;
    readonly exceptId?: string;
    readonly actor: AuditActor;
    readonly reason: EndReason;
  },
): Promise<void> {
  const ids = await revokeSessionsOf(trx, organizationId, ends);
  await recordEnds(trx, organizationId, { ids, actor: ends.actor, reason: ends.reason });
}

export interface OwnSessions {
  readonly sessions: readonly (SessionRecord & { readonly current: boolean })[];
  /** The last session, when more follow. */
  readonly next: SessionPage['after'];
}

/** The caller's sessions, most recently used first. */
export async function listOwnSessions(
  context: ServiceContext,
  principal: MemberPrincipal,
  { limit, after }: { readonly limit: number; readonly after: SessionPage['after'] },
): Promise<OwnSessions> {
  const { organizationId, membershipId } = principal;
  const { items, last } = await readPage(limit, (most) =>
    listLiveSessions(context.db, organizationId, { membershipId, limit: most, after }),
  );
  return {
    sessions: items.map((session) => ({
      ...session,
      current: session.id === currentId(principal),
    })),
    next: last,
  };
}

/**
 * Ends one of the caller's own sessions. A repeat changes nothing. 404 for another person's. True
 * when it was the current one.
 */
export async function endOwnSession(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<boolean> {
  const { organizationId, membershipId } = principal;
  return await context.db.transaction(async (trx) => {
    // Compare in the stored form, however the id was written.
    const sessionId = await findSessionOf(trx, organizationId, { id, membershipId });
    if (sessionId === undefined) throw new AppError('not_found');
    if (await revokeSession(trx, organizationId, sessionId)) {
      await recordEnds(trx, organizationId, {
        ids: [sessionId],
        actor: actorOf(principal),
        reason: 'manual',
      });
    }
    return sessionId === currentId(principal);
  });
}

/** Ends all sessions of the caller except the current one. */
export async function endOtherSessions(
  context: ServiceContext,
  principal: MemberPrincipal,
): Promise<void> {
  const { organizationId, membershipId } = principal;
  const exceptId = currentId(principal);
  if (exceptId === undefined) throw new AppError('session_required');
  await context.db.transaction(async (trx) => {
    await endSessionsOf(trx, organizationId, {
      membershipId,
      exceptId,
      actor: actorOf(principal),
      reason: 'manual',
    });
  });
}

function currentId({ via }: MemberPrincipal): string | undefined {
  return via.kind === 'session' ? via.sessionId : undefined;
}
