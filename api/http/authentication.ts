/** Finds the credential of a call, and refuses calls that another site's page may have caused. */
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../src/domain/errors.ts';
import {
  authorize,
  forbiddenAt,
  type AuthorizationTarget,
  type Principal,
} from '../../src/domain/people/authorization.ts';
import type { PresentedCredential } from '../../src/services/sign-in/authentication.ts';
import type { PendingCookie } from '../../src/services/sign-in/oidc.ts';
import { takesActingAs, takesBackground, type AuthKind, type Endpoint } from './endpoint.ts';

export const SESSION_COOKIE = 'service_session';
/** Where people use https. Browsers take such a cookie from this host alone, and never over http. */
export const HOST_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;
/** On calls that no person caused. */
export const BACKGROUND_HEADER = 'service-background';
/** On acts of a page: the membership id of the person it shows. */
export const ACTING_AS_HEADER = 'service-acting-as';
/** What follows it tells the unfinished sign-ins of a browser apart. */
export const SSO_COOKIE_PREFIX = 'service_sso_';

/**
 * The bearer token, else the session cookie where the endpoint takes one. A malformed Authorization
 * header is 401 and never falls back to the cookie.
 */
export function presentedCredential(
  headers: IncomingHttpHeaders,
  endpoint: Pick<Endpoint, 'auth' | 'method'>,
): PresentedCredential | undefined {
  if (headers.authorization !== undefined) {
    const match = /^Bearer +([^\s]+)$/i.exec(headers.authorization);
    if (!match?.[1]) throw new AppError('authentication_required');
    return { kind: 'bearer', token: match[1] };
  }
  const session = endpoint.auth === 'personal_key' ? undefined : sessionCookie(headers);
  if (session === undefined) return undefined;
  const background = takesBackground(endpoint) && headers[BACKGROUND_HEADER] === '1';
  return { kind: 'session', token: session, background };
}

/** The name without a prefix is also that of sessions from before the prefix: it is read for one release. */
export function sessionCookie(headers: IncomingHttpHeaders): string | undefined {
  return readCookie(headers, HOST_SESSION_COOKIE) ?? readCookie(headers, SESSION_COOKIE);
}

/** The first one of this name, because browsers send the one with the longest path first. */
function readCookie(headers: IncomingHttpHeaders, wanted: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, ...value] = pair.trim().split('=');
    if (name === wanted) return value.join('=');
  }
  return undefined;
}

/** All of this prefix, by what follows it in their names. */
export function ssoCookies(headers: IncomingHttpHeaders): PendingCookie[] {
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    const id = name.slice(SSO_COOKIE_PREFIX.length);
    return name.startsWith(SSO_COOKIE_PREFIX) && /^[\w-]{1,64}$/.test(id)
      ? [{ id, sealed: value.join('=') }]
      : [];
  });
}

/** The origin of this service's pages. */
export interface OwnOrigin {
  readonly origin: string;
  /** False where no public address is configured. People may then use any address that leads here. */
  readonly configured: boolean;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses a state-changing call that carries a cookie but does not come from our own pages. */
export function refuseCrossSite(
  method: string,
  headers: IncomingHttpHeaders,
  ours: OwnOrigin,
): void {
  if (SAFE_METHODS.has(method) || headers.authorization !== undefined) return;
  if (callerPage(headers, ours) !== 'own') throw new AppError('cross_site_request');
}

/**
 * Refuses a state-changing call without a credential when the browser reports a foreign page: such
 * a page could sign its visitor in or out. Scripts outside browsers send neither header.
 */
export function refuseForeignPage(
  method: string,
  headers: IncomingHttpHeaders,
  ours: OwnOrigin,
): void {
  if (SAFE_METHODS.has(method)) return;
  if (callerPage(headers, ours) === 'foreign') throw new AppError('cross_site_request');
}

/** Refuses every call that a page of another site makes, whatever credential it has. */
export function refuseOtherSites(headers: IncomingHttpHeaders, ours: OwnOrigin): void {
  if (foreignPage(headers, ours) !== undefined) throw new AppError('cross_site_request');
}

function callerPage(headers: IncomingHttpHeaders, ours: OwnOrigin): 'own' | 'foreign' | 'unknown' {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined && site === undefined) return 'unknown';
  const own =
    origin === ours.origin ||
    site === 'same-origin' ||
    (!ours.configured && origin !== undefined && isOwnHost(origin, { host, ours: ours.origin }));
  return own ? 'own' : 'foreign';
}

/**
 * What tells pages of other sites apart that make a browser call: the origin, or else what the browser loads. Undefined for our
 * own pages, for programs, and where a person opened the address.
 */
export function foreignPage(headers: IncomingHttpHeaders, ours: OwnOrigin): string | undefined {
  if (callerPage(headers, ours) !== 'foreign') return undefined;
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': loads = '' } = headers;
  if (origin === undefined && site === 'none') return undefined;
  return origin ?? loads;
}

/**
 * An origin whose host is the one of the call. A foreign page's script cannot set these headers.
 * The scheme must be the public one, or plain http could pass for an https service.
 */
function isOwnHost(
  origin: string,
  { host, ours }: { host: string | undefined; ours: string },
): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: originHost, protocol } = new URL(origin);
  return originHost !== '' && originHost === host && protocol === new URL(ours).protocol;
}

/** 401 for a key that was issued for another resource, as if it were none. */
export function refuseBoundKey(
  principal: Principal,
  { opensToMcpKeys, resourceMetadata }: Pick<Endpoint, 'opensToMcpKeys' | 'resourceMetadata'>,
): void {
  if (principal.kind !== 'member' || principal.via.kind !== 'api_key') return;
  const { boundTo } = principal.via;
  // An endpoint with its own metadata is a separate resource.
  const isElsewhere =
    boundTo === 'mcp'
      ? opensToMcpKeys !== true
      : boundTo === 'api' && resourceMetadata !== undefined;
  if (isElsewhere) throw new AppError('authentication_required');
}

/**
 * 409 for an act of a page that shows another person than the one whose session the browser has now. A key names its
 * holder by itself.
 */
export function refuseOtherPerson(
  principal: Principal,
  headers: IncomingHttpHeaders,
  endpoint: Pick<Endpoint, 'auth' | 'method'>,
): void {
  const shown = headers[ACTING_AS_HEADER];
  if (shown === undefined || !takesActingAs(endpoint)) return;
  if (principal.kind !== 'member' || principal.via.kind !== 'session') return;
  if (shown !== principal.membershipId) throw new AppError('other_person');
}

/** 403 unless this kind of credential opens the endpoint and carries its permission for the target. */
export function requireAccess(
  principal: Principal,
  needs: Pick<Endpoint, 'auth' | 'permission' | 'orPermission'> & { target: AuthorizationTarget },
): void {
  const { auth, permission, orPermission, target } = needs;
  if (auth === 'session' && isKey(principal)) throw new AppError('session_required');
  if (!opens(principal, auth)) {
    const detail = 'This kind of credential does not open this operation.';
    throw new AppError('permission_denied', {
      detail,
      ...(permission && {
        details: { ...forbiddenAt(target, { permission, reason: 'credential_kind' }) },
      }),
    });
  }
  const verdict = permission && authorize(principal, permission, target);
  if (!verdict || verdict.allowed) return;
  if (!orPermission || !authorize(principal, orPermission, target).allowed)
    throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
}

function opens(principal: Principal, auth: AuthKind): boolean {
  switch (auth) {
    case 'agent':
      return principal.kind === 'agent';
    case 'provisioner':
      return principal.kind === 'provisioner';
    case 'product':
      return principal.kind === 'member' || principal.kind === 'organization_key';
    case 'member':
      return principal.kind === 'member';
    case 'session':
      return principal.kind === 'member' && !isKey(principal);
    case 'personal_key':
      return principal.kind === 'member' && isKey(principal);
    case 'none':
      return true;
  }
}

function isKey(principal: Principal): boolean {
  return (
    principal.kind === 'organization_key' ||
    (principal.kind === 'member' && principal.via.kind === 'api_key')
  );
}
