/** What the palette asks the service for. Each source is asked only of people who may read its list. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import { palette as text } from './text.ts';
import type { Group, Item } from './items.ts';
import { findRules } from './rules.ts';

interface Found {
  readonly items: readonly Item[];
  /** What was left out. */
  readonly note?: string;
}

interface Asked {
  readonly q: string;
  readonly signal: AbortSignal;
  readonly client: QueryClient;
}

export interface Source {
  readonly group: Group;
  readonly permission: string;
  readonly find: (asked: Asked) => Promise<Found>;
}

/** Of each kind. More letters find the others. */
const LIMIT = 5;

type Summary = components['schemas']['ApprovalRequestSummary'];

const requestItem = ({ id, title, excerpt, tool, ...request }: Summary): Item => ({
  href: `/requests/${id}`,
  group: 'requests',
  label: title ?? `${tool} ${excerpt}`.slice(0, 200),
  detail: `${request.agent_name}, ${text.requestStates[request.status]}`,
});

const requests: Source = {
  group: 'requests',
  permission: 'request.read',
  find: async ({ q, signal }) => {
    const query = { view: 'summary', scope: 'visible', limit: LIMIT, q } as const;
    const { body } = await call('get', '/api/v1/requests', { signal, params: { query } });
    return { items: (body.requests as Summary[]).map(requestItem) };
  },
};

const agents: Source = {
  group: 'agents',
  permission: 'agent.read',
  find: async ({ q, signal }) => {
    const query = { status: 'live', limit: LIMIT, q } as const;
    const { body } = await call('get', '/api/v1/agents', { signal, params: { query } });
    return {
      items: body.agents.map(({ slug, name }) => ({
        ...{ href: `/agents/${slug}`, group: 'agents', label: name, detail: slug },
      })),
    };
  },
};

const rules: Source = {
  group: 'rules',
  permission: 'pipeline.read',
  find: async ({ q, client }) => await findRules(q, client),
};

const paths: Source = {
  group: 'paths',
  permission: 'escalation_path.read',
  find: async ({ q, signal }) => {
    const query = { limit: LIMIT, q };
    const { body } = await call('get', '/api/v1/escalation-paths', { signal, params: { query } });
    return {
      items: body.escalation_paths.map(({ path_key: key, name }) => ({
        ...{ href: `/paths/${encodeURIComponent(key)}`, group: 'paths', label: name, detail: key },
      })),
    };
  },
};

const endpoints: Source = {
  group: 'endpoints',
  permission: 'webhook.read',
  find: async ({ q, signal }) => {
    const params = { query: { limit: LIMIT, q } };
    const { body } = await call('get', '/api/v1/webhook_endpoints', { signal, params });
    return {
      items: body.webhook_endpoints.map(({ endpoint_key: key, name }) => ({
        href: `/endpoints/${encodeURIComponent(key)}`,
        group: 'endpoints',
        label: name,
        detail: key,
      })),
    };
  },
};

const people: Source = {
  group: 'people',
  permission: 'membership.read',
  find: async ({ q, signal }) => {
    const params = { query: { limit: LIMIT, q } };
    const { body } = await call('get', '/api/v1/members', { signal, params });
    return {
      items: body.members.map(({ id, display_name: name, email }) => ({
        ...{ href: `/people/${id}`, group: 'people', label: name ?? email ?? id, detail: email },
      })),
    };
  },
};

const teams: Source = {
  group: 'teams',
  permission: 'team.read',
  find: async ({ q, signal }) => {
    const params = { query: { limit: LIMIT, q } };
    const { body } = await call('get', '/api/v1/teams', { signal, params });
    return {
      items: body.teams.map(({ id, name }) => ({
        ...{ href: `/teams/${id}`, group: 'teams', label: name },
      })),
    };
  },
};

/** In the order in which their results are shown. */
export const SOURCES: readonly Source[] = [
  requests,
  agents,
  people,
  teams,
  rules,
  paths,
  endpoints,
];

/** Nothing of it stays for long: what was found may be decided or renamed. */
export const foundQuery = ({ group, find }: Source, q: string) =>
  queryOptions({
    queryKey: ['palette', group, q],
    queryFn: async ({ signal, client }) => await find({ q, signal, client }),
    staleTime: 10_000,
    gcTime: 60_000,
  });
