/**
 * A client asks a person for a key. The service validates what it asks before anything is shown; the person approves
 * or declines in the web app, and the browser returns to the client with a code or with the refusal.
 */
import { bearablePermissions } from '../../domain/people/api-keys.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { permissionEntry, type PermissionEntry } from '../../domain/people/permissions.ts';
import { AppError, invalid, type ErrorCode } from '../../domain/errors.ts';
import {
  readTerms,
  type AuthorizationIssue,
  type AuthorizationParameters,
  type AuthorizationTerms,
} from '../../domain/oauth/authorization-requests.ts';
import { resembledName } from '../../domain/oauth/client-names.ts';
import { clientIdOf, verifiedHostOf, type OAuthClient } from '../../domain/oauth/clients.ts';
import { REFRESH_TOKEN_SECONDS } from '../../domain/oauth/lifetimes.ts';
import { isRegistered, withParameters } from '../../domain/oauth/redirect-uris.ts';
import { issuerOf, type OAuthResource } from '../../domain/people/key-resources.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { findApiKeyRules } from '../../data/people/api-keys.ts';
import { hasBeenLetIn } from '../../data/oauth/oauth-clients.ts';
import { bindKey, insertGrant } from '../../data/oauth/oauth-grants.ts';
import { issueToken } from '../../platform/crypto/tokens.ts';
import type { Trx } from '../../platform/postgres.ts';
import { forgiveOAuthAttempt, type OAuthCaller } from '../access/sign-in-attempts.ts';
import { insertWithToken, latestExpiryUnder, permitPersonalKey } from '../people/api-keys.ts';
import type { ServiceContext } from '../context.ts';
import { consentLink } from '../links.ts';
import { findAskingClient } from './oauth-clients.ts';

export interface Asking {
  readonly caller: OAuthCaller;
  readonly signal: AbortSignal;
}

/** The client, once its redirect URI is known to be its own. Throws 404, 400 `invalid_redirect_uri`. */
async function requireClient(
  context: ServiceContext,
  sent: AuthorizationParameters,
  asking: Asking,
): Promise<OAuthClient> {
  const client = await findAskingClient(context, sent.client_id, asking);
  if (isRegistered(sent.redirect_uri, client.redirectUris)) return client;
  throw new AppError('invalid_redirect_uri');
}

/** Why there is no one to redirect to. The consent page meets the same problem, and says so. */
const SAID_ON_PAGE: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'invalid_redirect_uri',
  'invalid_client_metadata',
]);

/**
 * Where the browser goes next: to the consent page, or back to the client when it asks for what there is not. For an unknown client or
 * an unregistered redirect URI, a person gets the page, which says so; a program gets 404 or 400. So it is for what a client asks
 * wrongly before a person has let it in: anyone can register an address, and would have a link of ours that leads there.
 */
export async function beginAuthorization(
  context: ServiceContext,
  sent: AuthorizationParameters,
  { isPage, ...asking }: Asking & { readonly isPage: boolean },
): Promise<string> {
  let client;
  try {
    client = await requireClient(context, sent, asking);
  } catch (error) {
    if (isPage && error instanceof AppError && SAID_ON_PAGE.has(error.code))
      return consentLink(context, { ...sent });
    throw error;
  }
  await forgiveOAuthAttempt(context, asking.caller);
  const read = readTerms(context.publicUrl(), sent);
  if (read.ok) return consentLink(context, { ...sent });
  if (await hasBeenLetIn(context.db, client.id)) return refusalLink(context, sent, read.issue);
  if (isPage) return consentLink(context, { ...sent });
  throw notRedirected(sent, read.issue);
}

/** Names the host, as the page does. */
function notRedirected(
  { redirect_uri: uri }: AuthorizationParameters,
  { pointer, code, message }: AuthorizationIssue,
): AppError {
  const { host, protocol } = new URL(uri);
  const target = host === '' ? protocol : host;
  const why = `No one has let this client in yet, so the browser is not sent to ${target}.`;
  return invalid([{ pointer, code, message: `${message}. ${why}` }]);
}

function refusalLink(
  { publicUrl }: Pick<ServiceContext, 'publicUrl'>,
  { redirect_uri: uri, state }: AuthorizationParameters,
  { error, pointer, message }: AuthorizationIssue,
): string {
  const description = `${pointer.slice(1)} ${message}`;
  const iss = issuerOf(publicUrl());
  return withParameters(uri, { error, error_description: description, state, iss });
}

async function requireTerms(
  context: ServiceContext,
  sent: AuthorizationParameters,
  asking: Asking,
): Promise<{ readonly client: OAuthClient; readonly terms: AuthorizationTerms }> {
  const client = await requireClient(context, sent, asking);
  const read = readTerms(context.publicUrl(), sent);
  if (!read.ok) {
    const { pointer, code, message } = read.issue;
    throw invalid([{ pointer, code, message }]);
  }
  return { client, terms: read.terms };
}

export interface AuthorizationPreview {
  readonly client: OAuthClient;
  readonly verifiedHost: string | undefined;
  /** A known name that the client's name looks like, while nothing shows that it comes from there. */
  readonly resembles: string | undefined;
  readonly resource: OAuthResource;
  readonly requested: readonly PermissionEntry[];
  readonly bearable: readonly PermissionEntry[];
  readonly scopingEnabled: boolean;
  readonly personalApiKeysAllowed: boolean;
  readonly latestExpiry: Date | undefined;
}

/** What the consent page shows. Throws what `beginAuthorization` throws, and 400 for everything else that is wrong. */
export async function previewAuthorization(
  context: ServiceContext,
  principal: MemberPrincipal,
  { sent, ...asking }: Asking & { readonly sent: AuthorizationParameters },
): Promise<AuthorizationPreview> {
  const { client, terms } = await requireTerms(context, sent, asking);
  const rules = await findApiKeyRules(context.db, principal.organizationId);
  return {
    client,
    verifiedHost: verifiedHostOf(client),
    resembles: resembledName(client.name, verifiedHostOf(client)),
    resource: terms.resource,
    requested: terms.requested.map(permissionEntry),
    bearable: bearablePermissions(principal, context.edition).map(permissionEntry),
    scopingEnabled: context.edition === 'hosted',
    personalApiKeysAllowed: rules.personalApiKeysAllowed,
    latestExpiry: latestExpiryUnder(context, rules),
  };
}

export interface AuthorizationDecision {
  readonly sent: AuthorizationParameters;
  readonly approve: boolean;
  readonly permissions: readonly string[] | undefined;
  readonly expiresAt: Date | undefined;
}

/**
 * Where the browser returns to the client, with a code or with `access_denied`. Throws what `previewAuthorization` and `issueApiKey`
 * throw.
 */
export async function decideAuthorization(
  context: ServiceContext,
  principal: MemberPrincipal,
  { sent, approve, permissions, expiresAt, ...asking }: Asking & AuthorizationDecision,
): Promise<string> {
  const { client, terms } = await requireTerms(context, sent, asking);
  const { redirect_uri: uri, state } = sent;
  const iss = issuerOf(context.publicUrl());
  if (!approve) return withParameters(uri, { error: 'access_denied', state, iss });
  const code = await context.db.transaction(
    async (trx) =>
      await mintKey(trx, context, {
        client,
        terms,
        redirectUri: uri,
        wanted: { principal, name: client.name, permissions, expiresAt },
      }),
  );
  return withParameters(uri, { code, state, iss });
}

interface Approved {
  readonly client: OAuthClient;
  readonly terms: AuthorizationTerms;
  readonly redirectUri: string;
  readonly wanted: Parameters<typeof permitPersonalKey>[2];
}

/** The key of the client, whose token no one knows before the code is exchanged. Returns the code. */
async function mintKey(
  trx: Trx,
  context: ServiceContext,
  { client, terms, redirectUri, wanted }: Approved,
): Promise<string> {
  const { expiresAt: endsAt, ...permitted } = await permitPersonalKey(trx, context, wanted);
  const { organizationId } = permitted.issuer;
  const unrefreshed = new Date(permitted.now.getTime() + REFRESH_TOKEN_SECONDS * 1_000);
  const { key } = await insertWithToken(trx, context, {
    ...permitted,
    expiresAt: endsAt && endsAt < unrefreshed ? endsAt : unrefreshed,
    oauthClient: { id: client.id, clientId: clientIdOf(client), resource: terms.resource },
  });
  await bindKey(trx, organizationId, { apiKeyId: key.id, resource: terms.resource });
  const code = issueToken(TOKEN_PREFIX.oauthCode);
  await insertGrant(trx, organizationId, {
    id: code.id,
    clientId: client.id,
    apiKeyId: key.id,
    redirectUri,
    codeChallenge: terms.codeChallenge,
    codeHash: code.hash,
    endsAt,
  });
  return code.token;
}
