/** Signing in and out, and what a presented session cookie is worth. */
import { AppError } from '../domain/errors.ts';
import type { MemberPrincipal } from '../domain/authorization.ts';
import { findSessionHolder, touchSession, type SessionHolder } from '../data/sessions.ts';
import { secretMatches, type PresentedToken } from '../platform/tokens.ts';
import type { ServiceContext } from './context.ts';
import { memberPrincipal } from './memberships.ts';

/** Sessions have a token kind of their own, so that no cookie passes for a bearer key and no key for a cookie. */
export const SESSION_TOKEN_PREFIX = 'whs';

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
  if (token.prefix !== SESSION_TOKEN_PREFIX) return undefined;
  const session = await findSessionHolder(context.db, token.id);
  return session?.valid && secretMatches(token.secret, session.tokenHash) ? session : undefined;
}

function sessionPrincipal(session: SessionHolder): MemberPrincipal {
  return memberPrincipal(session, {
    via: { kind: 'session', sessionId: session.sessionId },
    auth: {
      method: session.method,
      assurance: session.assurance,
      authenticated_at: session.authenticatedAt,
      session_id: session.sessionId,
    },
  });
}
