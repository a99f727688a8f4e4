/** Signing in through the identity provider: what the browser takes with it, and what it is worth when it comes back. */
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { assuranceOf } from '../../domain/sign-in/oidc.ts';
import { readClock } from '../../data/clock.ts';
import {
  IdentityProviderError,
  type OidcClient,
  type VerifiedIdentity,
  type SignInChecks,
} from '../../platform/oidc.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { recordFailedAuthentication } from './failed-authentications.ts';
import { failedSignInLink, returnLink, ssoCallbackLink } from '../links.ts';
import { openSession, type Client } from './sessions.ts';
import { admitIdentity } from './user-identities.ts';

export const SIGN_IN_MINUTES = 10;

/** The ways in that a sign-in page can offer. */
export interface SignInOptions {
  readonly passwordReset: boolean;
  /** The identity provider's name, if there is one. */
  readonly sso: string | undefined;
}

export function signInOptions({ mailer, oidc }: Runtime): SignInOptions {
  return { passwordReset: mailer !== undefined, sso: oidc?.name };
}

/** A sign-in that has begun, as the browser keeps it, sealed. */
interface PendingSignIn extends SignInChecks {
  readonly returnTo: string;
  /** The person must prove anew who he is. */
  readonly anew: boolean;
  /** Milliseconds since the epoch, by the database's clock. */
  readonly beganAt: number;
}

export interface BegunSignIn {
  /** Of the provider. */
  readonly url: string;
  /** Proves, when the browser comes back, that it is the one that left. */
  readonly cookie: string;
}

/** `returnTo` must be a return path. 501 `sso_not_configured`; 504 `identity_provider_failed`. */
export async function beginSignIn(
  context: ServiceContext,
  options: { returnTo: string; anew: boolean },
): Promise<BegunSignIn> {
  const oidc = requireOidc(context);
  const { returnTo, anew } = options;
  try {
    const { url, checks } = await oidc.begin({ redirectUri: ssoCallbackLink(context), anew });
    const pending: PendingSignIn = {
      ...checks,
      returnTo,
      anew,
      beganAt: (await readClock(context.db)).getTime(),
    };
    return { url, cookie: oidc.seal(JSON.stringify(pending)) };
  } catch (error) {
    if (!(error instanceof IdentityProviderError)) throw error;
    context.logger.warn({ reason: error.message }, 'the identity provider cannot be asked');
    throw new AppError('identity_provider_failed', { cause: error });
  }
}

function requireOidc({ oidc }: Runtime): OidcClient {
  if (!oidc) throw new AppError('sso_not_configured');
  return oidc;
}

export interface ReturnedBrowser {
  /** The answer of the provider. */
  readonly query: Readonly<Record<string, string>>;
  readonly cookies: { readonly sso: string | undefined; readonly session: string | undefined };
  readonly client: Client;
}

/** Where the browser goes next; `sessionToken` when it is signed in. */
export interface FinishedSignIn {
  readonly url: string;
  readonly sessionToken?: string;
}

/** What the sign-in page is told. Stable: it stands in links. */
type FailureCode =
  | 'sso_denied'
  | 'sso_failed'
  | 'sso_expired'
  | 'sign_in_not_admitted'
  | 'membership_inactive'
  | 'seat_limit_reached';

/**
 * Ends at the page the person wanted, with a new session in place of the one the browser had, or at the sign-in page with a
 * code. 501 `sso_not_configured`.
 */
export async function finishSignIn(
  context: ServiceContext,
  browser: ReturnedBrowser,
): Promise<FinishedSignIn> {
  const oidc = requireOidc(context);
  try {
    const pending = await openPending(context, oidc, browser.cookies.sso);
    if (!pending)
      return failed(context, 'sso_expired', 'no sign-in that began in this browser lately');
    const identity = await oidc.finish(callbackUrl(context, browser.query), {
      checks: pending,
      provenWithinSeconds: pending.anew ? Math.ceil(pending.ageMs / 1_000) : undefined,
    });
    const sessionToken = await enter(context, oidc, { identity, browser });
    return { url: returnLink(context, pending.returnTo), sessionToken };
  } catch (error) {
    const code = failureCode(error);
    if (code === undefined) throw error;
    return failed(context, code, (error as Error).message);
  }
}

async function openPending(
  context: ServiceContext,
  oidc: OidcClient,
  cookie: string | undefined,
): Promise<(PendingSignIn & { readonly ageMs: number }) | undefined> {
  const text = cookie === undefined ? undefined : oidc.open(cookie);
  if (text === undefined) return undefined;
  // Nobody but this service can have sealed it.
  const pending = JSON.parse(text) as PendingSignIn;
  const ageMs = (await readClock(context.db)).getTime() - pending.beganAt;
  return ageMs <= SIGN_IN_MINUTES * 60_000 ? { ...pending, ageMs } : undefined;
}

function callbackUrl(context: ServiceContext, query: ReturnedBrowser['query']): URL {
  const url = new URL(ssoCallbackLink(context));
  url.search = new URLSearchParams(query).toString();
  return url;
}

async function enter(
  context: ServiceContext,
  { emailDomains }: OidcClient,
  { identity, browser }: { readonly identity: VerifiedIdentity; readonly browser: ReturnedBrowser },
): Promise<string> {
  const { client, cookies } = browser;
  const { member, issued } = await context.db.transaction(async (trx) => {
    const recognized = await admitIdentity(trx, identity, { emailDomains, limits: context.limits });
    if (recognized.isSuspended) return { member: recognized };
    const { methods, authenticatedAt = await longAgo(trx) } = identity;
    const proof = {
      method: 'sso',
      assurance: assuranceOf(methods),
      client,
      authenticatedAt,
      presented: cookies.session,
    } as const;
    return { member: recognized, issued: await openSession(trx, recognized, proof) };
  });
  if (issued) return issued.token;
  const { organizationId, membershipId } = member;
  recordFailedAuthentication(context, {
    at: 'sign_in',
    organizationId,
    membershipId,
    subjectId: membershipId,
    reason: 'membership_inactive',
    client,
  });
  throw new AppError('membership_inactive');
}

/** For who does not know when: longer ago than any proof is fresh, so that it opens a session and nothing that matters. */
async function longAgo(trx: Db): Promise<Date> {
  return new Date((await readClock(trx)).getTime() - 24 * 3_600_000);
}

const REFUSALS: Partial<Record<ErrorCode, FailureCode>> = {
  sign_in_not_admitted: 'sign_in_not_admitted',
  membership_inactive: 'membership_inactive',
  seat_limit_reached: 'seat_limit_reached',
  identity_provider_failed: 'sso_failed',
};

function failureCode(error: unknown): FailureCode | undefined {
  if (error instanceof IdentityProviderError)
    return error.failure === 'denied' ? 'sso_denied' : 'sso_failed';
  return error instanceof AppError ? REFUSALS[error.code] : undefined;
}

function failed(context: ServiceContext, code: FailureCode, reason: string): FinishedSignIn {
  context.logger.info({ code, reason }, 'a sign-in through the identity provider failed');
  return { url: failedSignInLink(context, code) };
}
