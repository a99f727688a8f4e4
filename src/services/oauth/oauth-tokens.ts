/**
 * Exchanges a code or a refresh token for tokens. `@node-oauth/oauth2-server` reads the request and checks the client, the
 * verifier and the redirect URI. What is used up, and what a token opens, is decided here, under the lock of the key.
 */
import OAuth2Server from '@node-oauth/oauth2-server';
import { AppError, invalid, type ErrorCode } from '../../domain/errors.ts';
import { GRANT_TYPES } from '../../domain/oauth/clients.ts';
import { readResource } from '../../domain/people/key-resources.ts';
import { forgiveOAuthAttempt, type OAuthCaller } from '../access/sign-in-attempts.ts';
import type { ServiceContext } from '../context.ts';
import { findKnownClient } from './oauth-clients.ts';
import { exchangeCode, revokeUnused, takeCode } from './oauth-codes.ts';
import { findForRefresh, refreshTokens, type ForRefresh } from './oauth-refreshes.ts';
import type { Grant } from '../../data/oauth/oauth-grants.ts';
import type { IssuedTokens } from './issued-tokens.ts';

/** A form as it was posted. */
export type TokenForm = Readonly<Record<string, string>>;

/**
 * Throws 400 `invalid_grant`, `invalid_target` and the other errors of RFC 6749, and 401 `invalid_client`. A call that
 * succeeds does not count as an attempt.
 */
export async function issueTokens(
  context: ServiceContext,
  form: TokenForm,
  caller: OAuthCaller,
): Promise<IssuedTokens> {
  requireGrantType(form);
  const issued = await askLibrary(context, form);
  await forgiveOAuthAttempt(context, caller);
  return issued;
}

async function askLibrary(context: ServiceContext, form: TokenForm): Promise<IssuedTokens> {
  const call: TokenCall = {};
  const server = new OAuth2Server({
    model: modelFor(context, form, call),
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  });
  const request = new OAuth2Server.Request({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    query: {},
    // The key has the permissions that the person chose: a refresh cannot change them.
    body: { ...form, scope: undefined },
  });
  try {
    await server.token(request, new OAuth2Server.Response());
    if (!call.issued) throw new Error('a token request ended without tokens');
    return call.issued;
  } catch (error) {
    // The caller had the code and could not use it, so no one may.
    if (call.taken && !call.issued) await revokeUnused(context, call.taken);
    throw asOurs(error, call);
  }
}

/** The library would take a client of another grant type for one that needs a secret. */
function requireGrantType({ grant_type: grantType, client_id: clientId }: TokenForm): void {
  const missing = [!grantType && 'grant_type', !clientId && 'client_id'].filter((name) => !!name);
  if (missing.length > 0)
    throw invalid(
      missing.map((name) => ({ pointer: `/${name}`, code: 'required', message: 'must be given' })),
    );
  if (!GRANT_TYPES.some((each) => each === grantType)) throw new AppError('unsupported_grant_type');
}

/** What one call has done so far. */
interface TokenCall {
  /** The grant whose code this call used up. */
  taken?: Grant;
  issued?: IssuedTokens;
}

type Model = OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel;

/** What the library asks for. */
function modelFor(context: ServiceContext, form: TokenForm, call: TokenCall): Model {
  return {
    getClient: async (clientId, secret) => {
      // No client here has a secret. One that presents a secret takes itself for another.
      const client = secret ? undefined : await findKnownClient(context, clientId);
      if (!client) throw new AppError('invalid_client');
      return { id: client.id, grants: [...GRANT_TYPES] };
    },
    ...codesFor(context, form, call),
    ...refreshesFor(context, form),
    generateAccessToken: unused,
    generateRefreshToken: unused,
    validateScope: (_user, _client, scope) => Promise.resolve(scope ?? []),
    saveToken: async (_token, client, user) => {
      const { grant, refresh } = user as Holder;
      const issued = refresh
        ? await refreshTokens(context, refresh)
        : await exchangeCode(context, grant);
      call.issued = issued;
      return { accessToken: issued.accessToken, client, user };
    },
    getAccessToken: () => Promise.resolve(undefined),
    saveAuthorizationCode: () => Promise.resolve(undefined),
  };
}

/** What the library carries from the code or the refresh token to `saveToken`, as the user. */
type Holder =
  | { readonly grant: Grant; readonly refresh?: undefined }
  | { readonly grant?: undefined; readonly refresh: ForRefresh };

/** `saveToken` makes the tokens. */
const unused = (): Promise<string> => Promise.resolve('unused');

function codesFor(
  context: ServiceContext,
  form: TokenForm,
  call: TokenCall,
): Pick<Model, 'getAuthorizationCode' | 'revokeAuthorizationCode'> {
  return {
    getAuthorizationCode: async (code) => {
      const grant = await takeCode(context, code);
      if (!grant) return undefined;
      call.taken = grant;
      requireResource(context, form, grant);
      return {
        authorizationCode: code,
        // The database has said that it is not over.
        expiresAt: new Date(Date.now() + 60_000),
        redirectUri: grant.redirectUri,
        codeChallenge: grant.codeChallenge,
        codeChallengeMethod: 'S256',
        client: { id: grant.clientId, grants: [...GRANT_TYPES] },
        user: { grant } satisfies Holder,
      };
    },
    // `getAuthorizationCode` has used it up.
    revokeAuthorizationCode: () => Promise.resolve(true),
  };
}

function refreshesFor(
  context: ServiceContext,
  form: TokenForm,
): Pick<Model, 'getRefreshToken' | 'revokeToken'> {
  return {
    getRefreshToken: async (refreshToken) => {
      const refresh = await findForRefresh(context, refreshToken);
      if (!refresh) return undefined;
      requireResource(context, form, refresh);
      const client = { id: refresh.clientId, grants: [...GRANT_TYPES] };
      return { refreshToken, client, user: { refresh } satisfies Holder };
    },
    // `saveToken` uses it up, with what it gives.
    revokeToken: () => Promise.resolve(true),
  };
}

/** A token is for the resource that the person saw. */
function requireResource(
  { publicUrl }: ServiceContext,
  { resource }: TokenForm,
  grant: Pick<Grant, 'resource'>,
): void {
  if (resource !== undefined && readResource(publicUrl(), resource) !== grant.resource)
    throw new AppError('invalid_target');
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  invalid_client: 'invalid_client',
  invalid_grant: 'invalid_grant',
  unsupported_grant_type: 'unsupported_grant_type',
  invalid_request: 'validation_failed',
};

/** The library wraps what the model throws. A request that does not fit its code is an invalid grant. */
function asOurs(error: unknown, { taken }: TokenCall): unknown {
  if (!(error instanceof Error)) return error;
  const { inner } = error as { inner?: unknown };
  if (inner instanceof Error && !(inner.name in CODES)) return inner;
  const named = CODES[error.name];
  const code = taken && named === 'validation_failed' ? 'invalid_grant' : named;
  return code === undefined ? error : new AppError(code, { detail: `${error.message}.` });
}
