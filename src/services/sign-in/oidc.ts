/**
 * Sign-in through the identity provider: the start, the state the browser carries, and the return.
 */
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Edition } from '../../domain/people/permissions.ts';
import { assuranceOf } from '../../domain/sign-in/oidc.ts';
import { SESSION_SECONDS } from '../../domain/sign-in/sessions.ts';
import { readClock } from '../../data/clock.ts';
import { useSsoState } from '../../data/sign-in/used-sso-states.ts';
import { hasOrganization } from '../../data/organization/organizations.ts';
import { createHash } from 'node:crypto';
import {
  IdentityProviderError,
  type OidcClient,
  type VerifiedIdentity,
  type SignInChecks,
} from '../../platform/oidc.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { SignInContext, SignInPorts } from '../context.ts';
import { tellOfNewNetwork } from '../account-mails.ts';
import { recordFailedAuthentication } from './failed-authentications.ts';
import { failedSignInLink, returnLink, ssoCallbackLink } from '../links.ts';
import { openSession, type Client } from './sessions.ts';
import { recognizeOrJoin } from './user-identities.ts';

export const SIGN_IN_MINUTES = 10;

/** What a sign-in page can offer. */
export interface SignInOptions {
  readonly passwordReset: boolean;
  /** The name of the identity provider, if there is one. */
  readonly sso: string | undefined;
  /** There is no organization yet, so the first owner has to be created. */
  readonly bootstrapRequired: boolean;
  readonly edition: Edition;
}

export async function readSignInOptions({
  db,
  mailer,
  oidc,
  edition,
}: SignInContext): Promise<SignInOptions> {
  const bootstrapRequired = !(await hasOrganization(db));
  return { passwordReset: mailer !== undefined, sso: oidc?.name, bootstrapRequired, edition };
}

/** A started sign-in, sealed and stored in the browser. */
interface PendingSignIn extends SignInChecks {
  readonly returnTo: string;
  /** The person must authenticate again. Cookies under way hold this name, so it cannot change. */
  // cspell:ignore anew
  readonly anew: boolean;
  /** Milliseconds since the epoch, by the database's clock. */
  readonly beganAt: number;
}

export interface BegunSignIn {
  /** The URL at the provider. */
  readonly url: string;
  /** Binds the return to the browser that started the sign-in. */
  readonly cookie: PendingCookie;
  /** Ids of cookies for the browser to forget: those that are over, and the oldest of too many. */
  readonly forgotten: readonly string[];
}

/** One begun sign-in of a browser, as its cookie holds it. */
export interface PendingCookie {
  /** Derived from the state of the sign-in, so that each tab finds its own. */
  readonly id: string;
  readonly sealed: string;
}

/** The sign-ins that one browser may have begun, such as in tabs that were restored together. */
const MOST_PENDING = 6;

function cookieIdOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url').slice(0, 16);
}

/** `returnTo` must be a return path. 501 `sso_not_configured`; 504 `identity_provider_failed`. */
export async function beginSignIn(
  context: SignInContext,
  options: {
    readonly returnTo: string;
    readonly reauthenticate: boolean;
    /** The sign-ins that the browser began before. */
    readonly cookies: readonly PendingCookie[];
  },
): Promise<BegunSignIn> {
  const oidc = requireOidc(context);
  const { returnTo, reauthenticate } = options;
  try {
    const { url, checks } = await oidc.begin({
      redirectUri: ssoCallbackLink(context),
      // No session of ours lasts longer than the authentication it begins with.
      maxAuthenticationAgeSeconds: reauthenticate ? 0 : SESSION_SECONDS,
    });
    const beganAt = (await readClock(context.db)).getTime();
    const pending: PendingSignIn = { ...checks, returnTo, anew: reauthenticate, beganAt };
    return {
      url,
      cookie: { id: cookieIdOf(checks.state), sealed: oidc.seal(JSON.stringify(pending)) },
      forgotten: superfluous(oidc, options.cookies, beganAt),
    };
  } catch (error) {
    if (!(error instanceof IdentityProviderError)) throw error;
    context.logger.warn({ reason: error.message }, 'the identity provider cannot be asked');
    throw new AppError('identity_provider_failed', {
      cause: error,
      ...(error.advice !== undefined && { detail: error.advice }),
    });
  }
}

/** What must go so that the browser keeps a bounded number of cookies, with the next one. */
function superfluous(
  oidc: OidcClient,
  cookies: readonly PendingCookie[],
  now: number,
): readonly string[] {
  const live = cookies
    .map(({ id, sealed }) => ({ id, beganAt: openSealed(oidc, sealed)?.beganAt ?? 0 }))
    .filter(({ beganAt }) => now - beganAt <= SIGN_IN_MINUTES * 60_000)
    .sort((a, b) => b.beganAt - a.beganAt)
    .slice(0, MOST_PENDING - 1)
    .map(({ id }) => id);
  return cookies.map(({ id }) => id).filter((id) => !live.includes(id));
}

function requireOidc({ oidc }: SignInPorts): OidcClient {
  if (!oidc) throw new AppError('sso_not_configured');
  return oidc;
}

export interface ReturnedBrowser {
  /** The provider's response. */
  readonly query: Readonly<Record<string, string>>;
  readonly cookies: {
    readonly sso: readonly PendingCookie[];
    readonly session: string | undefined;
  };
  readonly client: Client;
}

/** The next page of the browser. `sessionToken` is present after a successful sign-in. */
export interface FinishedSignIn {
  readonly url: string;
  readonly sessionToken?: string;
  /** The cookie that is used up. Absent when the browser has none for this response. */
  readonly usedCookie?: string;
}

/** Error codes for the sign-in page. They are stable, since links contain them. */
type FailureCode =
  | 'sso_denied'
  | 'sso_failed'
  | 'sso_expired'
  | 'sign_in_not_admitted'
  | 'email_not_verified'
  | 'membership_inactive'
  | 'seat_limit_reached';

/**
 * Ends at the requested page with a new session that replaces the browser's old one, or at the
 * sign-in page with an error code and the requested page. 501 `sso_not_configured`.
 */
export async function finishSignIn(
  context: SignInContext,
  browser: ReturnedBrowser,
): Promise<FinishedSignIn> {
  const oidc = requireOidc(context);
  const wanted = cookieIdOf(browser.query['state'] ?? '');
  const cookie = browser.cookies.sso.find(({ id }) => id === wanted);
  const finished = await finishPending(context, oidc, { browser, cookie });
  return { ...finished, ...(cookie && { usedCookie: cookie.id }) };
}

async function finishPending(
  context: SignInContext,
  oidc: OidcClient,
  {
    browser,
    cookie,
  }: { readonly browser: ReturnedBrowser; readonly cookie: PendingCookie | undefined },
): Promise<FinishedSignIn> {
  const pending = await openPending(context, oidc, cookie?.sealed);
  if (!pending || pending.ageMs > SIGN_IN_MINUTES * 60_000) {
    const reason = 'no recent sign-in started in this browser';
    return failed(context, { code: 'sso_expired', reason, returnTo: pending?.returnTo });
  }
  // The browser forgets its cookie, but a copy of cookie and address must not work again.
  if (!(await useSsoState(context.db, createHash('sha256').update(pending.state).digest()))) {
    const reason = 'the response to this sign-in was used before';
    return failed(context, { code: 'sso_expired', reason, returnTo: pending.returnTo });
  }
  try {
    const identity = await oidc.finish(callbackUrl(context, browser.query), {
      checks: pending,
      maxAuthenticationAgeSeconds: pending.anew ? Math.ceil(pending.ageMs / 1_000) : undefined,
    });
    const sessionToken = await enter(context, oidc, { identity, browser });
    return { url: returnLink(context, pending.returnTo), sessionToken };
  } catch (error) {
    const code = failureCode(error);
    if (code === undefined) throw error;
    const reason = (error as Error).message;
    return failed(context, { code, reason, returnTo: pending.returnTo });
  }
}

/** The sign-in that this browser started, however long ago. */
async function openPending(
  context: SignInContext,
  oidc: OidcClient,
  cookie: string | undefined,
): Promise<(PendingSignIn & { readonly ageMs: number }) | undefined> {
  const pending = cookie === undefined ? undefined : openSealed(oidc, cookie);
  if (!pending) return undefined;
  const ageMs = (await readClock(context.db)).getTime() - pending.beganAt;
  return { ...pending, ageMs };
}

function openSealed(oidc: OidcClient, sealed: string): PendingSignIn | undefined {
  const text = oidc.open(sealed);
  // Only this service can have sealed it.
  return text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
}

function callbackUrl(context: SignInContext, query: ReturnedBrowser['query']): URL {
  const url = new URL(ssoCallbackLink(context));
  url.search = new URLSearchParams(query).toString();
  return url;
}

async function enter(
  context: SignInContext,
  { emailDomains }: OidcClient,
  { identity, browser }: { readonly identity: VerifiedIdentity; readonly browser: ReturnedBrowser },
): Promise<string> {
  const { client, cookies } = browser;
  const { member, issued } = await context.db.transaction(async (trx) => {
    const recognized = await recognizeOrJoin(trx, identity, {
      emailDomains,
      limits: context.limits,
    });
    if (recognized.refusal) return { member: recognized };
    const { methods, authenticatedAt = await longAgo(trx) } = identity;
    const authentication = {
      method: 'sso',
      assurance: assuranceOf(methods),
      client,
      authenticatedAt,
      presented: cookies.session,
    } as const;
    return { member: recognized, issued: await openSession(trx, recognized, authentication) };
  });
  if (issued) {
    tellOfNewNetwork(context, issued.id);
    return issued.token;
  }
  const { organizationId, membershipId, refusal = 'membership_inactive' } = member;
  recordFailedAuthentication(context, {
    at: 'sign_in',
    organizationId,
    membershipId,
    subjectId: membershipId,
    reason: refusal,
    client,
    ...(refusal === 'another_identity' && { identity }),
  });
  throw new AppError(
    refusal === 'another_identity' ? 'sign_in_not_admitted' : 'membership_inactive',
  );
}

/**
 * For a provider that reports no time: too old to count as recent, so the session opens but cannot
 * do sensitive operations.
 */
async function longAgo(trx: Trx): Promise<Date> {
  return new Date((await readClock(trx)).getTime() - 24 * 3_600_000);
}

const REFUSALS: Partial<Record<ErrorCode, FailureCode>> = {
  sign_in_not_admitted: 'sign_in_not_admitted',
  email_not_verified: 'email_not_verified',
  membership_inactive: 'membership_inactive',
  seat_limit_reached: 'seat_limit_reached',
  identity_provider_failed: 'sso_failed',
};

function failureCode(error: unknown): FailureCode | undefined {
  if (error instanceof IdentityProviderError)
    return error.failure === 'denied' ? 'sso_denied' : 'sso_failed';
  return error instanceof AppError ? REFUSALS[error.code] : undefined;
}

interface Failure {
  readonly code: FailureCode;
  readonly reason: string;
  readonly returnTo: string | undefined;
}

function failed(context: SignInContext, { code, reason, returnTo }: Failure): FinishedSignIn {
  context.logger.info({ code, reason }, 'a sign-in through the identity provider failed');
  return { url: failedSignInLink(context, { code, returnTo }) };
}
