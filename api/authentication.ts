/** Which credential a call presents, and whether a browser may have been tricked into presenting it. */
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../src/domain/errors.ts';
import { authorize, type AuthorizationTarget, type Principal } from '../src/domain/authorization.ts';
import type { Permission } from '../src/domain/permissions.ts';
import type { PresentedCredential } from '../src/services/authentication.ts';
import type { AuthKind } from './endpoint.ts';

export const SESSION_COOKIE = 'service_session';

/** The bearer token, else the session cookie. A malformed Authorization header is 401, never a fall back to the cookie. */
export function presentedCredential(headers: IncomingHttpHeaders): PresentedCredential | undefined {
  if (headers.authorization !== undefined) {
    const match = /^Bearer +([^\s]+)$/i.exec(headers.authorization);
    if (!match?.[1]) throw new AppError('authentication_required');
    return { kind: 'bearer', token: match[1] };
  }
  const session = sessionCookie(headers);
  return session === undefined ? undefined : { kind: 'session', token: session };
}

export function sessionCookie(headers: IncomingHttpHeaders): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, ...value] = pair.trim().split('=');
    if (name === SESSION_COOKIE) return value.join('=');
  }
  return undefined;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses a state-changing call that carries a cookie but does not come from our own pages. */
export function refuseCrossSite(method: string, headers: IncomingHttpHeaders, publicOrigin: string): void {
  if (SAFE_METHODS.has(method) || headers.authorization !== undefined) return;
  const site = headers['sec-fetch-site'];
  const trusted =
    headers.origin === publicOrigin || site === 'same-origin' || (headers.origin !== undefined && isOwnHost(headers.origin, headers.host));
  if (!trusted) throw new AppError('cross_site_request');
}

/** An origin whose host is the one the call was sent to: a browser sets neither header from a foreign page's script. */
function isOwnHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** 403 unless this kind of credential opens the endpoint and carries its permission for the target. */
export function admit(principal: Principal, needs: { auth: AuthKind; permission?: Permission; target: AuthorizationTarget }): void {
  const wrongKind = needs.auth === 'agent' ? principal.kind !== 'agent' : principal.kind !== 'member';
  if (needs.permission !== undefined) {
    const verdict = authorize(principal, needs.permission, needs.target);
    if (!verdict.allowed) {
      if (needs.auth === 'session' && isPersonalKey(principal)) throw new AppError('session_required');
      const forbidden = wrongKind ? { ...verdict.forbidden, reason: 'credential_kind' } : verdict.forbidden;
      throw new AppError('permission_denied', { details: { ...forbidden } });
    }
  }
  if (wrongKind) throw new AppError('permission_denied', { detail: 'This kind of credential does not open this operation.' });
  if (needs.auth === 'session' && isPersonalKey(principal)) throw new AppError('session_required');
}

function isPersonalKey(principal: Principal): boolean {
  return principal.kind === 'member' && principal.via.kind === 'api_key';
}
