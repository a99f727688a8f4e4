/** Programs that ask people for a key: registered ones, and those whose id is the URL of their metadata. */
import { labelProblem, withoutUnseen } from '../labels.ts';
import { clientNameProblem } from './client-names.ts';
import { redirectUriProblem, URI_LENGTH } from './redirect-uris.ts';

export const CLIENT_NAME_LENGTH = 100;
export const MOST_REDIRECT_URIS = 10;

/** What every client here may exchange, and what it may ask for. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;
export const RESPONSE_TYPES = ['code'] as const;

/** What a client says about itself. Nothing of it is checked but the host of a metadata document. */
export interface ClientMetadata {
  readonly name: string;
  readonly clientUri: string | undefined;
  readonly redirectUris: readonly string[];
}

export interface OAuthClient extends ClientMetadata {
  readonly id: string;
  /** Where its metadata document is; undefined for a registered client. */
  readonly metadataUrl: string | undefined;
}

/** What the client calls itself in requests. */
export const clientIdOf = ({ id, metadataUrl }: OAuthClient): string => metadataUrl ?? id;

/** Whose client it is, as far as anyone has checked: the host of its metadata document. Undefined for a registered one. */
export const verifiedHostOf = ({
  metadataUrl,
}: Pick<OAuthClient, 'metadataUrl'>): string | undefined =>
  metadataUrl === undefined ? undefined : new URL(metadataUrl).host;

export type ReadMetadata =
  | { readonly ok: true; readonly metadata: ClientMetadata }
  | { readonly ok: false; readonly about: 'redirect_uris' | 'metadata'; readonly problem: string };

const about =
  (member: 'redirect_uris' | 'metadata') =>
  (problem: string): ReadMetadata => ({ ok: false, about: member, problem });
const badUris = about('redirect_uris');
const bad = about('metadata');

/** Some clients send every member that they know, and leave those without a value empty. */
const given = (sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== ''));

/** The members of RFC 7591 that we use. Others are ignored, as it demands. */
export function readClientMetadata(all: Readonly<Record<string, unknown>>): ReadMetadata {
  const sent = given(all);
  const { redirect_uris: uris, client_name: name, client_uri: home } = sent;
  if (!isListOfText(uris) || uris.length === 0)
    return badUris('redirect_uris must be a list of at least one URI.');
  if (uris.length > MOST_REDIRECT_URIS)
    return badUris(`redirect_uris must have at most ${MOST_REDIRECT_URIS} entries.`);
  for (const [index, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) return badUris(`redirect_uris/${index} ${problem}.`);
  }
  const unusable = flowProblem(sent);
  if (unusable !== undefined) return bad(unusable);
  if (name !== undefined && !isClientName(name))
    return bad(
      `client_name must be text of 1 to ${CLIENT_NAME_LENGTH} characters, without control or invisible characters.`,
    );
  const called = name ?? nameFrom(uris[0] ?? '');
  const problem = clientNameProblem(called);
  if (problem !== undefined)
    return bad(
      name === undefined
        ? `client_name must be given. Without it, the client is called ${called}, and a name ${problem}.`
        : `client_name ${problem}.`,
    );
  if (home !== undefined && !isWebPage(home))
    return bad('client_uri must be an http or https URL.');
  return {
    ok: true,
    metadata: {
      name: called,
      clientUri: home,
      redirectUris: [...new Set(uris)],
    },
  };
}

/** Only the flow with a code exists here. A wish for a secret is not a problem: such a client gets none. */
function flowProblem({
  grant_types: grants,
  response_types: responses,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (grants !== undefined && !(isListOfText(grants) && grants.includes('authorization_code')))
    return 'grant_types must include authorization_code.';
  if (responses !== undefined && !(isListOfText(responses) && responses.includes('code')))
    return 'response_types must include code.';
  return undefined;
}

const isListOfText = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const isClientName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= CLIENT_NAME_LENGTH &&
  labelProblem(value) === undefined;

const isWebPage = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= URI_LENGTH &&
  /^https?:\/\/[!-~]+$/.test(value) &&
  URL.canParse(value);

/** A client without a name is called by where its codes go. */
function nameFrom(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return withoutUnseen(host === '' ? protocol.slice(0, -1) : host).slice(0, CLIENT_NAME_LENGTH);
}

/** Whether a client id is the URL of a metadata document, well-formed or not. */
export const isMetadataUrl = (clientId: string): boolean => /^https?:/i.test(clientId);

/** Why a URL cannot be the id of a client, for people; undefined when it can. */
export function metadataUrlProblem(text: string): string | undefined {
  if (text.length > URI_LENGTH) return `must have at most ${URI_LENGTH} characters`;
  if (!/^https:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return 'must be an https URL';
  const url = new URL(text);
  if (text.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or a password';
  if (url.pathname === '/') return 'must have a path';
  // One client has one id: what a URL parser would change is another spelling of it.
  return url.href === text ? undefined : `must be written as ${url.href}`;
}

/** The document at `url`. It must name that URL as its own id. */
export function readMetadataDocument(url: string, document: unknown): ReadMetadata {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return bad('The metadata document is not a JSON object.');
  const sent = given(document as Readonly<Record<string, unknown>>);
  if (sent['client_id'] !== url)
    return bad('client_id of the metadata document is not the URL at which it lies.');
  if (sent['client_secret'] !== undefined)
    return bad('A metadata document is public: it must not contain a client_secret.');
  const method = sent['token_endpoint_auth_method'];
  if (method !== undefined && method !== 'none')
    return bad('token_endpoint_auth_method must be none: clients here have no secret.');
  return readClientMetadata(sent);
}
