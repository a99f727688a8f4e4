/**
 * Clients of OAuth: registered ones, and those whose id is the URL of their metadata document. A document is read
 * through the egress guard, and kept for as long as its host allows.
 */
import { v7, validate as isUuid } from 'uuid';
import {
  isMetadataUrl,
  metadataUrlProblem,
  readClientMetadata,
  readMetadataDocument,
  type ClientMetadata,
  type OAuthClient,
  type ReadMetadata,
} from '../../domain/oauth/clients.ts';
import { MOST_METADATA_SECONDS, MOST_UNUSED_CLIENTS } from '../../domain/oauth/lifetimes.ts';
import { AppError } from '../../domain/errors.ts';
import {
  deleteOldestUnused,
  findByMetadataUrl,
  findOAuthClient,
  insertOAuthClient,
  keepMetadataDocument,
} from '../../data/oauth/oauth-clients.ts';
import { parseExact } from '../../platform/json/exact-json.ts';
import { freshSeconds } from '../../platform/network/freshness.ts';
import type { EgressResponse } from '../../platform/network/egress.ts';
import { countClientSeen, type OAuthCaller } from '../access/sign-in-attempts.ts';
import type { ServiceContext } from '../context.ts';

const DOCUMENT_BYTES = 5 * 1024;
const DOCUMENT_TIMEOUT_MS = 5_000;

export interface RegisteredClient extends ClientMetadata {
  readonly id: string;
  readonly createdAt: Date;
}

/** Throws 400 `invalid_client_metadata` or `invalid_redirect_uri`, and 429. */
export async function registerClient(
  context: ServiceContext,
  sent: Readonly<Record<string, unknown>>,
  caller: OAuthCaller,
): Promise<RegisteredClient> {
  await countClientSeen(context, caller);
  const metadata = accepted(readClientMetadata(sent));
  // Networks of many addresses could fill the table.
  await deleteOldestUnused(context.db, MOST_UNUSED_CLIENTS - 1);
  const id = v7();
  return { ...metadata, id, createdAt: await insertOAuthClient(context.db, id, metadata) };
}

function accepted(read: ReadMetadata): ClientMetadata {
  if (read.ok) return read.metadata;
  throw new AppError(
    read.about === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    { detail: read.problem },
  );
}

/**
 * The client of a new authorization request. Throws 404 for an unknown one, and 400 `invalid_client_metadata` for a document that
 * cannot be read or is not valid.
 */
export async function findAskingClient(
  context: ServiceContext,
  clientId: string,
  { caller, signal }: { readonly caller: OAuthCaller; readonly signal: AbortSignal },
): Promise<OAuthClient> {
  if (!isMetadataUrl(clientId)) return required(await findKnownClient(context, clientId));
  const problem = metadataUrlProblem(clientId);
  if (problem !== undefined)
    throw new AppError('invalid_client_metadata', { detail: `client_id ${problem}.` });
  const known = await findByMetadataUrl(context.db, clientId);
  if (known?.isFresh) return known.client;
  await countClientSeen(context, caller);
  const document = await fetchDocument(context, clientId, signal);
  return await keepMetadataDocument(context.db, v7(), {
    ...accepted(readMetadataDocument(clientId, parsed(document))),
    metadataUrl: clientId,
    freshSeconds: freshSeconds(document.headers, MOST_METADATA_SECONDS),
  });
}

function required(client: OAuthClient | undefined): OAuthClient {
  if (client) return client;
  throw new AppError('not_found', {
    detail: 'No client has this client_id. Register it, or use the URL of its metadata document.',
  });
}

/** A client that was known when a person let it in. Its document is not read again. */
export async function findKnownClient(
  { db }: Pick<ServiceContext, 'db'>,
  clientId: string,
): Promise<OAuthClient | undefined> {
  if (isMetadataUrl(clientId)) return (await findByMetadataUrl(db, clientId))?.client;
  return isUuid(clientId) ? await findOAuthClient(db, clientId.toLowerCase()) : undefined;
}

const UNREADABLE =
  'The metadata document at client_id could not be read. It must be a public https URL that returns JSON of at most 5 KiB.';

/** The caller learns nothing of why a host could not be reached. */
async function fetchDocument(
  { egress, logger }: ServiceContext,
  url: string,
  signal: AbortSignal,
): Promise<EgressResponse> {
  try {
    const response = await egress.get(url, {
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'Countersign',
      },
      maxBytes: DOCUMENT_BYTES,
      timeoutMs: DOCUMENT_TIMEOUT_MS,
      signal,
    });
    if (response.status === 200) return response;
    throw new Error(`status ${response.status}`);
  } catch (cause) {
    logger.info({ host: new URL(url).host, err: cause }, 'a client metadata document was not read');
    throw new AppError('invalid_client_metadata', { detail: UNREADABLE, cause });
  }
}

function parsed({ body, headers }: EgressResponse): unknown {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  if (!/^application\/([\w.+-]+\+)?json$/i.test(type.trim()))
    throw new AppError('invalid_client_metadata', { detail: UNREADABLE });
  try {
    return parseExact(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new AppError('invalid_client_metadata', { detail: UNREADABLE, cause });
  }
}
