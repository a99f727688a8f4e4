/** What the pages of agents read and send. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { JsonText, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import { keptRows, listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { ListSearch } from '../../shared/routes/list-search.ts';

export type ListedAgent = components['schemas']['ListedAgent'];
export type Provisioner = components['schemas']['AgentProvisioner'];
export type Credential = components['schemas']['AgentCredential'];
export type Instance = Omit<components['schemas']['ListedAgentInstance'], 'metadata'> & {
  readonly metadata: JsonText;
};
export type AgentDetail = Omit<components['schemas']['AgentDetail'], 'instances'> & {
  readonly instances: readonly Instance[];
};

/** Metadata as text, which the pages draw part by part. */
const withMetadata = (body: components['schemas']['AgentDetail']): AgentDetail => ({
  ...body,
  instances: body.instances.map(({ metadata, ...instance }) => ({
    ...instance,
    metadata: new JsonText(stringifyExact(metadata)),
  })),
});

const LIST_POLL_MS = 15_000;
const DETAIL_POLL_MS = 5_000;

export const agentListQuery = ({ q, show }: ListSearch<'archived'>) => ({
  ...listPages({
    name: ['agents', 'list'],
    filter: { q, show },
    read: async (page, signal) => {
      const query = { status: show ?? ('live' as const), ...(q !== undefined && { q }), ...page };
      const init = { params: { query }, headers: BACKGROUND, signal };
      return (await call('get', '/api/v1/agents', init)).body;
    },
  }),
  refetchInterval: LIST_POLL_MS,
});

interface PartFilter {
  readonly instance_q?: string;
  readonly instance_status?: 'active' | 'disabled';
  readonly instance_limit?: number;
  readonly instance_offset?: number;
  readonly provisioner_limit?: number;
  readonly provisioner_offset?: number;
}

/** The agent, with the page of its instances and tokens that the filter selects. */
export const agentQuery = (slug: string, filter: PartFilter = {}) =>
  queryOptions({
    queryKey: ['agents', 'one', slug, filter],
    queryFn: async ({ signal }) => {
      const params = { path: { slug }, query: filter };
      const init = { params, headers: BACKGROUND, signal };
      const { body } = await call('get', '/api/v1/agents/{slug}', init);
      return withMetadata(body);
    },
    refetchInterval: DETAIL_POLL_MS,
  });

/** Pages of instances. Replicas with one prefix are found on one page, as far as it goes. */
const INSTANCE_PAGE = 200;

export const instancesQuery = (slug: string, { q = '', show }: ListSearch<'active' | 'disabled'>) =>
  infiniteQueryOptions({
    queryKey: ['agents', 'one', slug, 'instances', q, show ?? ''],
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        instance_limit: INSTANCE_PAGE,
        instance_offset: pageParam,
        provisioner_limit: 1,
        ...(q !== '' && { instance_q: q }),
        ...(show !== undefined && { instance_status: show }),
      };
      const init = { params: { path: { slug }, query }, headers: BACKGROUND, signal };
      const { body } = await call('get', '/api/v1/agents/{slug}', init);
      return withMetadata(body);
    },
    placeholderData: keptRows(['agents', 'one', slug, 'instances']),
    initialPageParam: 0,
    getNextPageParam: ({ matching_instance_count: all }, pages) => {
      const read = pages.reduce((sum, { instances }) => sum + instances.length, 0);
      return read < all ? read : undefined;
    },
    refetchInterval: DETAIL_POLL_MS,
  });

/** All provisioner tokens, for those who ask for more than the agent's page shows. */
export const provisionersQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ['agents', 'one', slug, 'provisioners'],
    queryFn: async ({ signal, pageParam }) => {
      const query = { provisioner_offset: pageParam, instance_limit: 1 };
      const init = { params: { path: { slug }, query }, headers: BACKGROUND, signal };
      return (await call('get', '/api/v1/agents/{slug}', init)).body;
    },
    initialPageParam: 0,
    getNextPageParam: ({ matching_provisioner_count: all }, pages) => {
      const read = pages.reduce((sum, { provisioners }) => sum + provisioners.length, 0);
      return read < all ? read : undefined;
    },
    refetchInterval: DETAIL_POLL_MS,
  });

/** A further credential, next to those that work. */
export async function issueFurther(instanceId: string) {
  const { body } = await call('post', '/api/v1/agent_instances/{id}/credentials', {
    params: { path: { id: instanceId } },
  });
  const { token, ...credential } = body.credential;
  return { secret: token, result: credential };
}

export async function createAgent(body: { readonly slug: string; readonly name: string }) {
  return (await call('post', '/api/v1/agents', { body })).body;
}
