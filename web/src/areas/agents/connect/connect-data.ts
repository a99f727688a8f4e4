/** What connecting an agent sends. */
import { queryOptions } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../../shared/api/api.ts';
import type { components } from '../../../shared/api/openapi.d.ts';

const POLL_MS = 2_000;

interface NewInstance {
  readonly slug: string;
  readonly name: string;
}

export async function issueCredential({ slug, name }: NewInstance) {
  const { body } = await call('post', '/api/v1/agents/{slug}/instances', {
    params: { path: { slug } },
    body: { name },
  });
  const { token, ...credential } = body.credential;
  return { secret: token, result: { instance: body.agent_instance.name, credential } };
}

interface NewProvisioner {
  readonly slug: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

export async function issueProvisioner({ slug, expiresAt }: NewProvisioner) {
  const { body } = await call('post', '/api/v1/agents/{slug}/provisioners', {
    params: { path: { slug } },
    body: { expires_at: expiresAt },
  });
  return { secret: body.token, result: body.provisioner };
}

export type Call = Pick<components['schemas']['AgentCredential'], 'id'> & {
  readonly instance: string;
  readonly at: string | undefined;
};

interface Watched {
  readonly slug: string;
  /** Only this instance. Without it, those that were made later than `since`. */
  readonly instance?: string;
  readonly since?: string;
}

/** Asks until the agent's newest instance has called. An open page is no use of the session. */
export const firstCallQuery = ({ slug, instance, since = '' }: Watched) =>
  queryOptions({
    queryKey: ['agents', 'first-call', slug, instance, since],
    queryFn: async ({ signal }): Promise<Call | null> => {
      const query = { instance_limit: 25, ...(instance !== undefined && { instance_q: instance }) };
      const { body } = await call('get', '/api/v1/agents/{slug}', {
        params: { path: { slug }, query },
        headers: BACKGROUND,
        signal,
      });
      const found = body.instances.find(({ name, created_at: at }) =>
        instance === undefined ? at > since : name === instance,
      );
      const used = found?.credentials.find(({ last_used_at: at }) => at !== undefined);
      return found ? { id: found.id, instance: found.name, at: used?.last_used_at } : null;
    },
    refetchInterval: ({ state }) => (state.data?.at === undefined ? POLL_MS : false),
  });

/** The first request since then, for the page to open. */
export const testRequestQuery = (slug: string, since: string) =>
  queryOptions({
    queryKey: ['agents', 'test-request', slug, since],
    queryFn: async ({ signal }) => {
      const { body } = await call('get', '/api/v1/requests', {
        signal,
        headers: BACKGROUND,
        params: { query: { agent_slug: slug, limit: 1, view: 'summary' } },
      });
      const newest = body.requests[0];
      if (!newest || newest.created_at <= since) return null;
      return { id: newest.id, tool: newest.tool, status: newest.status };
    },
    refetchInterval: ({ state }) =>
      (state.data?.status ?? 'pending') === 'pending' ? POLL_MS : false,
  });
