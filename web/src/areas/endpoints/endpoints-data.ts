/** What the pages of webhook endpoints read and send. All queries begin with one name, and are read again after a change. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { ApiError, call } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { Base } from '../../shared/editor/document-state.ts';
import { printedJson } from '../../shared/editor/printed-json.ts';
import {
  asText,
  commented,
  editedRevisions,
  HISTORY_PAGE,
  type EditedRevisions,
} from '../../shared/editor/revisions.ts';
import type { ListSearch } from '../../shared/routes/list-search.ts';

type Schemas = components['schemas'];
export type Summary = Schemas['WebhookEndpointSummary'];
export type Revision = Schemas['WebhookEndpointRevision'];
export type Use = Schemas['WebhookEndpointUse'];
export type Delivery = Schemas['WebhookDelivery'];
export type TestResult = Schemas['WebhookEndpointTest'];

const NAME = 'webhook-endpoints';

export const readEndpointsAgain = async (queries: QueryClient): Promise<void> => {
  await queries.invalidateQueries({ queryKey: [NAME] });
};

export const isWithoutKey = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'secrets_key_missing';

const LIST_PAGE = 50;

export const endpointListQuery = ({ q, show }: ListSearch<'archived'>) =>
  listPages({
    name: [NAME, 'list'],
    filter: { q, show },
    read: async (page, signal) => {
      const query = {
        status: show ?? ('live' as const),
        limit: LIST_PAGE,
        ...(q !== undefined && { q }),
        ...page,
      };
      return (await call('get', '/api/v1/webhook_endpoints', { params: { query }, signal })).body;
    },
  });

const pathOf = (endpointKey: string) => ({ path: { endpoint_key: endpointKey } });

/** A revision as it is edited. */
export const baseOf = ({ revision, name, url }: Revision): Base => ({
  revision,
  text: printedJson(stringifyExact({ name, url })),
});

interface ReadEndpoint {
  readonly summary: Summary;
  readonly active: Revision | undefined;
  readonly newest: Revision;
}

/** The endpoint with the revisions that its page begins with. */
export const endpointQuery = (endpointKey: string) =>
  queryOptions({
    queryKey: [NAME, 'one', endpointKey],
    queryFn: async ({ signal }): Promise<ReadEndpoint> => {
      const params = pathOf(endpointKey);
      const path = '/api/v1/webhook_endpoints/{endpoint_key}/summary';
      const { body: summary } = await call('get', path, { params, signal });
      const { active_revision: number, latest_revision: latest } = summary;
      const [newest, active] = await Promise.all([
        oneRevision(endpointKey, latest, signal),
        number === undefined || number === latest
          ? undefined
          : oneRevision(endpointKey, number, signal),
      ]);
      return { summary, newest, active: number === latest ? newest : active };
    },
  });

async function oneRevision(
  endpointKey: string,
  revision: number,
  signal: AbortSignal,
): Promise<Revision> {
  const params = { path: { endpoint_key: endpointKey, revision } };
  const path = '/api/v1/webhook_endpoints/{endpoint_key}/revisions/{revision}';
  return (await call('get', path, { params, signal })).body;
}

interface NewRevision {
  readonly endpointKey: string;
  /** JSON. */
  readonly text: string;
}

async function saveRevision({ endpointKey, text }: NewRevision): Promise<Revision> {
  const path = '/api/v1/webhook_endpoints/{endpoint_key}/revisions';
  return (await call('post', path, { ...asText(text), params: pathOf(endpointKey) })).body;
}

interface NewEndpoint {
  readonly endpointKey: string;
  readonly name: string;
  readonly url: string;
}

/** The secret is apart from what any cache may keep. Without one, someone else made the endpoint just before. */
export async function createEndpoint({ endpointKey, name, url }: NewEndpoint) {
  if (await exists(endpointKey))
    throw new ApiError({
      ...{ status: 409, code: TAKEN, message: '', details: {}, requestId: undefined },
    });
  const text = stringifyExact({ name, url });
  const { signing_secret: secret, ...result } = await saveRevision({ endpointKey, text });
  return { secret, result };
}

export const TAKEN = 'endpoint_exists';

/** A further revision of an endpoint needs nothing else, so the service does not refuse a key that is taken. */
async function exists(endpointKey: string): Promise<boolean> {
  const path = '/api/v1/webhook_endpoints/{endpoint_key}/summary';
  try {
    await call('get', path, { params: pathOf(endpointKey) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

interface Activation {
  readonly revision: number;
  /** The revision that is expected to be active. */
  readonly over: number;
}

export async function activateEndpoint(
  endpointKey: string,
  { revision, over }: Activation,
): Promise<Revision> {
  const params = {
    path: { endpoint_key: endpointKey, revision },
    header: { 'If-Match': `"${over}"` },
  };
  const path = '/api/v1/webhook_endpoints/{endpoint_key}/revisions/{revision}/activate';
  return (await call('post', path, { params })).body;
}

export async function archiveEndpoint(endpointKey: string, over: number): Promise<void> {
  const params = { ...pathOf(endpointKey), header: { 'If-Match': `"${over}"` } };
  await call('delete', '/api/v1/webhook_endpoints/{endpoint_key}/active', { params });
}

/** `overlap`: how long the old secret signs, too; empty for no time. */
/** Without an overlap, the old secret stops at once. */
export async function replaceSecret(endpointKey: string, overlap: string | undefined) {
  const path = '/api/v1/webhook_endpoints/{endpoint_key}/rotate_secret';
  const body = overlap === undefined ? {} : { overlap };
  const { body: made } = await call('post', path, { params: pathOf(endpointKey), body });
  const { signing_secret: secret, ...result } = made;
  return { secret, result };
}

export async function testEndpoint(endpointKey: string, revision: number): Promise<TestResult> {
  const params = { path: { endpoint_key: endpointKey, revision } };
  const path = '/api/v1/webhook_endpoints/{endpoint_key}/revisions/{revision}/test';
  return (await call('post', path, { params })).body;
}

const DELIVERIES_PAGE = 20;

export const deliveriesQuery = (endpointKey: string, result: 'all' | 'failed') =>
  ({
    ...listPages({
      name: [NAME, 'deliveries', endpointKey],
      filter: result,
      read: async (page, signal) => {
        const params = {
          ...pathOf(endpointKey),
          query: { result, limit: DELIVERIES_PAGE, ...page },
        };
        const path = '/api/v1/webhook_endpoints/{endpoint_key}/deliveries';
        return (await call('get', path, { params, signal })).body;
      },
    }),
    refetchOnWindowFocus: 'always',
  }) as const;

export const endpointRevisions = (endpointKey: string): EditedRevisions =>
  editedRevisions([NAME, 'revisions', endpointKey], {
    save: async (given) => baseOf(await saveRevision({ endpointKey, text: commented(given) })),
    activate: async (given) => baseOf(await activateEndpoint(endpointKey, given)),
    page: async (page, signal) => {
      const query = { limit: HISTORY_PAGE, ...page };
      const params = { ...pathOf(endpointKey), query };
      const path = '/api/v1/webhook_endpoints/{endpoint_key}/revisions';
      return (await call('get', path, { params, signal })).body;
    },
    one: async (revision, signal) => baseOf(await oneRevision(endpointKey, revision, signal)),
  });
