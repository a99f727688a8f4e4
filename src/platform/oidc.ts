/**
 * Sign-in through an OpenID provider: authorization code with PKCE, state and nonce. The provider's
 * metadata is loaded at first use, so that the service starts and runs while the provider is down.
 */
import { hkdfSync } from 'node:crypto';
import * as client from 'openid-client';
import { openSecretBox } from './crypto/secret-box.ts';
import { connectionFault } from './network/connection-faults.ts';
import { fetchAtMost } from './network/http-call.ts';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The label of the sign-in button. */
  readonly name: string;
  /** In lower case. */
  readonly emailDomains: readonly string[];
  /** `issuer`: an email counts as verified where the provider does not say whether it is. */
  readonly trustEmail: 'verified' | 'issuer';
}

/**
 * What the provider's response is checked against; only the browser that started the sign-in keeps
 * it.
 */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The identity the provider vouches for. The claims are its own, checked only for their type. */
export interface VerifiedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
  /** How the person authenticated, such as `pwd` and `mfa`. */
  readonly methods: readonly string[];
  /**
   * When the person authenticated, if the provider reports it; otherwise it may have been weeks
   * ago.
   */
  readonly authenticatedAt: Date | undefined;
}

/**
 * `denied`: the person or the provider said no. `away`: the provider's metadata are not available.
 * `refused`: everything else.
 */
export type ProviderFailure = 'denied' | 'away' | 'refused';

/** Holds no token and no claim, so it is safe to log. */
export class IdentityProviderError extends Error {
  override readonly name = 'IdentityProviderError';
  readonly failure: ProviderFailure;
  /** What an operator has to change, where that is known. */
  readonly advice: string | undefined;

  constructor(failure: ProviderFailure, message: string, advice?: string) {
    super(message);
    this.failure = failure;
    this.advice = advice;
  }
}

export interface OidcClient {
  readonly name: string;
  readonly emailDomains: readonly string[];
  /**
   * The URL for the browser, and what the response is checked against. `maxAuthenticationAgeSeconds`: an
   * older authentication must be repeated; 0: the person must authenticate again.
   */
  begin(options: {
    readonly redirectUri: string;
    readonly maxAuthenticationAgeSeconds: number;
  }): Promise<{ readonly url: string; readonly checks: SignInChecks }>;
  /**
   * Checks the response and exchanges its code for an identity. `callbackUrl`: the redirect URI with
   * the response's query. `maxAuthenticationAgeSeconds`: the greatest age of the authentication, if it
   * matters.
   */
  finish(
    callbackUrl: URL,
    options: {
      readonly checks: SignInChecks;
      readonly maxAuthenticationAgeSeconds: number | undefined;
    },
  ): Promise<VerifiedIdentity>;
  /** Encrypts text for a cookie. Only this deployment can read it. */
  seal(text: string): string;
  /** Returns undefined for text that was not sealed here, or for another provider. */
  open(sealed: string): string | undefined;
}

const TIMEOUT_S = 5;
/** A provider may move its endpoints, so its metadata are read again after this time. */
const METADATA_LIFETIME_MS = 60 * 60 * 1_000;
const SCOPE = 'openid email profile';
/** Far more than metadata, keys or tokens have. */
const RESPONSE_BYTES = 4 * 1024 * 1024;

/** `sealingKey`: a secret that all processes of the deployment share. It makes no call yet. */
export function openOidcClient(settings: OidcSettings, sealingKey: string): OidcClient {
  const configuration = cachedDiscovery(settings);
  const key = hkdfSync('sha256', sealingKey, '', 'countersign sign-in cookie', 32);
  const box = openSecretBox(Buffer.from(key).toString('base64'), []);
  const purpose = `sso:${settings.clientId}@${settings.issuer}`;
  return {
    name: settings.name,
    emailDomains: settings.emailDomains,
    begin: async (options) => await begin(await configuration(), options),
    finish: async (callbackUrl, options) =>
      await finish(await configuration(), callbackUrl, {
        ...options,
        trustEmail: settings.trustEmail,
      }),
    seal: (text) => box.seal(Buffer.from(text), purpose).sealed.toString('base64url'),
    open: (sealed) => {
      try {
        return box
          .open({ keyId: box.keyId, sealed: Buffer.from(sealed, 'base64url') }, purpose)
          .toString();
      } catch {
        return undefined;
      }
    },
  };
}

/** One attempt at a time, shared by all callers; the next caller retries a failed one. */
function cachedDiscovery(settings: OidcSettings): () => Promise<client.Configuration> {
  let cached:
    { readonly configuration: Promise<client.Configuration>; readonly since: number } | undefined;
  return () => {
    if (cached && performance.now() - cached.since < METADATA_LIFETIME_MS)
      return cached.configuration;
    const attempt = { configuration: discover(settings), since: performance.now() };
    cached = attempt;
    attempt.configuration.catch(() => {
      if (cached === attempt) cached = undefined;
    });
    return attempt.configuration;
  };
}

async function discover({
  issuer,
  clientId,
  clientSecret,
}: OidcSettings): Promise<client.Configuration> {
  const server = new URL(issuer);
  // Signatures are checked although tokens come straight from the provider: it costs one key lookup
  // now and then.
  const execute = [
    client.enableNonRepudiationChecks,
    ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
  ];
  try {
    const options = {
      timeout: TIMEOUT_S,
      execute,
      [client.customFetch]: fetchAtMost(RESPONSE_BYTES) as client.CustomFetch,
    };
    const configuration = await client.discovery(
      server,
      clientId,
      {},
      authentication(clientSecret),
      options,
    );
    // Without these, every sign-in would fail later.
    const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata();
    if (
      [authorization_endpoint, token_endpoint, jwks_uri].every(
        (url) => typeof url === 'string' && URL.canParse(url),
      )
    )
      return configuration;
  } catch (error) {
    const advice = slashAdvice(error, issuer);
    if (advice !== undefined) throw new IdentityProviderError('away', advice, advice);
    throw new IdentityProviderError('away', `metadata are not available: ${describeError(error)}`);
  }
  throw new IdentityProviderError('away', 'metadata lack usable endpoints');
}

/** Where the provider's name for itself differs from the setting by nothing but a trailing slash. */
function slashAdvice(error: unknown, issuer: string): string | undefined {
  const { cause } = (error ?? {}) as { cause?: { attribute?: unknown; body?: unknown } };
  if (cause?.attribute !== 'issuer') return undefined;
  const { issuer: named } = (cause.body ?? {}) as { issuer?: unknown };
  if (named !== `${issuer}/` && `${String(named)}/` !== issuer) return undefined;
  return `The identity provider names itself ${String(named)}, and COUNTERSIGN_OIDC_ISSUER is ${issuer}: they differ by a slash at the end. Set the variable to exactly what the provider says.`;
}

/** In the header, the default of the standard, unless the provider accepts it only in the body. */
function authentication(clientSecret: string): client.ClientAuth {
  const [basic, post] = [
    client.ClientSecretBasic(clientSecret),
    client.ClientSecretPost(clientSecret),
  ];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const inBody =
      !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    (inBody ? post : basic)(server, ...rest);
  };
}

async function begin(
  configuration: client.Configuration,
  {
    redirectUri,
    maxAuthenticationAgeSeconds,
  }: { readonly redirectUri: string; readonly maxAuthenticationAgeSeconds: number },
): Promise<{ url: string; checks: SignInChecks }> {
  const checks = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    codeVerifier: client.randomPKCECodeVerifier(),
  };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: SCOPE,
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: 'S256',
    // Asks the provider to report the time of authentication. By the standard, `max_age` alone
    // implies it.
    ...(configuration.serverMetadata().claims_parameter_supported === true && {
      claims: '{"id_token":{"auth_time":null}}',
    }),
    max_age: String(maxAuthenticationAgeSeconds),
    ...(maxAuthenticationAgeSeconds === 0 && { prompt: 'login' }),
  });
  return { url: url.href, checks };
}

async function finish(
  configuration: client.Configuration,
  callbackUrl: URL,
  {
    checks,
    maxAuthenticationAgeSeconds,
    trustEmail,
  }: {
    readonly checks: SignInChecks;
    readonly maxAuthenticationAgeSeconds: number | undefined;
    readonly trustEmail: OidcSettings['trustEmail'];
  },
): Promise<VerifiedIdentity> {
  try {
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.codeVerifier,
      idTokenExpected: true,
      ...(maxAuthenticationAgeSeconds !== undefined && { maxAge: maxAuthenticationAgeSeconds }),
    });
    const claims = tokens.claims();
    if (!claims) throw new IdentityProviderError('refused', 'the response has no id token');
    const profile = await profileOf(configuration, tokens.access_token, claims);
    return identityOf(claims, profile, trustEmail);
  } catch (error) {
    if (error instanceof IdentityProviderError) throw error;
    const denied =
      error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
    throw new IdentityProviderError(denied ? 'denied' : 'refused', describeError(error));
  }
}

type Profile = Readonly<Record<string, unknown>>;

/**
 * Many providers leave the email, or whether it is verified, out of the id token. What the token says
 * goes first. The flag of the other response counts only for the same email.
 */
async function profileOf(
  configuration: client.Configuration,
  accessToken: string,
  claims: client.IDToken,
): Promise<Profile> {
  const { email, email_verified: verified } = claims;
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
  if ((email !== undefined && isGiven(verified)) || endpoint === undefined) return claims;
  const asked = client.fetchUserInfo(configuration, accessToken, claims.sub);
  if (email === undefined) return { ...claims, ...(await asked) };
  // The person is known by the token. Without the other response, their email is only not verified.
  const info: Profile = await asked.catch(() => ({}));
  return info['email'] === undefined || info['email'] === email
    ? { ...info, ...claims, email_verified: info['email_verified'] }
    : claims;
}

function isGiven(claim: unknown): boolean {
  return claim !== undefined && claim !== null;
}

/** Some providers send it as text. */
function isVerified(claim: unknown, trustEmail: OidcSettings['trustEmail']): boolean {
  return isGiven(claim) ? claim === true || claim === 'true' : trustEmail === 'issuer';
}

function identityOf(
  claims: client.IDToken,
  profile: Profile,
  trustEmail: OidcSettings['trustEmail'],
): VerifiedIdentity {
  const { amr, auth_time: authTime } = claims;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof profile['email'] === 'string' ? profile['email'] : undefined,
    emailVerified: isVerified(profile['email_verified'], trustEmail),
    name: typeof profile['name'] === 'string' ? profile['name'] : undefined,
    methods: Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : [],
    authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1_000) : undefined,
  };
}

/**
 * Describes an error without tokens and claims: the codes of the library and of the provider, or
 * else its name.
 */
function describeError(error: unknown): string {
  const {
    code,
    error: given,
    name,
  } = (error ?? {}) as { code?: unknown; error?: unknown; name?: unknown };
  const words = [code, given].filter(
    (word) => typeof word === 'string' && /^[A-Za-z0-9_.-]{1,80}$/.test(word),
  );
  const fault = connectionFault(error);
  if (fault !== undefined) words.push(fault);
  return words.length > 0 ? words.join(' ') : String(name);
}
