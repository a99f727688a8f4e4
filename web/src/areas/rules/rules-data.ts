/** What the pages of rules read and send. */
import { queryOptions } from '@tanstack/react-query';
import type { HttpMethod } from 'openapi-typescript-helpers';
import type { JsonText, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { call, type BodyOf } from '../../shared/api/api.ts';
import type { components, paths } from '../../shared/api/openapi.d.ts';
import type { Base } from '../../shared/editor/document-state.ts';
import {
  asText,
  commented,
  editedRevisions,
  HISTORY_PAGE,
  type EditedRevisions,
} from '../../shared/editor/revisions.ts';
import { pipelineText } from './document/pipeline-text.ts';

type Sent = components['schemas']['PipelineRevision'];
export type PipelineSummary = components['schemas']['PipelineSummary'];

/** The search parameters of an agent's page. */
export interface RulesSearch {
  /** A request to make a rule from. */
  readonly from?: string;
  /** Rules to put into the draft. */
  readonly start?: 'coding-agent';
}

/** Whose rules: an agent's, or those of the organization. */
export type Scope = { readonly agent: string } | { readonly agent?: never };

/** A name of the scope for keys and drafts. */
export const scopeName = ({ agent }: Scope): string =>
  agent === undefined ? 'organization' : `agent:${agent}`;

/** A revision with the text that people edit. */
export type Revision = Omit<Sent, 'blocks'> & { readonly text: string };

const EXACT = ['blocks'];

function revisionOf(body: Sent): Revision {
  const { blocks, ...rest } = body as unknown as Sent & { readonly blocks: JsonText };
  return {
    ...rest,
    text: pipelineText((blocks as unknown as JsonText).text, body.default_escalation_path),
  };
}

export const baseOf = ({ revision, text }: Revision): Base => ({ revision, text });

type Of<Part extends string> = `/api/v1/request-approval-pipelines/organization${Part}` &
  keyof paths;

interface PipelineInit {
  readonly keep?: readonly string[];
  readonly body?: never;
  readonly bodySerializer?: typeof stringifyExact;
  readonly signal?: AbortSignal | undefined;
  readonly params?: {
    readonly path?: object;
    readonly query?: object;
    readonly header?: object;
  };
}

/** An agent's rules have the same calls as those of the organization. `keep`: members that stay JSON text. */
export async function callPipeline<Method extends HttpMethod, Part extends string>(
  { agent }: Scope,
  [method, part]: readonly [Method, Part],
  { keep, ...init }: PipelineInit,
): Promise<BodyOf<Of<Part>, Method>> {
  const of = agent === undefined ? 'organization' : 'agents/{agent_slug}';
  const path = { ...init.params?.path, ...(agent !== undefined && { agent_slug: agent }) };
  const given = { ...init, params: { ...init.params, path } };
  const { body } = await (call as unknown as AnyCall)(
    ...[method, `/api/v1/request-approval-pipelines/${of}${part}`, given, keep],
  );
  return body as BodyOf<Of<Part>, Method>;
}

type AnyCall = (...given: readonly unknown[]) => Promise<{ readonly body: unknown }>;

export const activeQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['pipelines', scopeName(scope), 'active'],
    queryFn: async ({ signal }) =>
      revisionOf(await callPipeline(scope, ['get', ''], { signal, keep: EXACT })),
    refetchOnWindowFocus: 'always',
  });

export const pipelineRevisions = (scope: Scope): EditedRevisions =>
  editedRevisions(['pipelines', 'revisions', scopeName(scope)], {
    save: async (given) => {
      const sent = { ...asText(commented(given)), keep: EXACT };
      return baseOf(revisionOf(await callPipeline(scope, ['post', '/revisions'], sent)));
    },
    activate: async ({ revision, over }) => {
      const params = { path: { revision }, header: { 'If-Match': `"${over}"` } };
      const act = ['post', '/revisions/{revision}/activate'] as const;
      return baseOf(revisionOf(await callPipeline(scope, act, { params, keep: EXACT })));
    },
    page: async (page, signal) => {
      const query = { limit: HISTORY_PAGE, ...page };
      const given = { signal, params: { query }, keep: EXACT };
      return await callPipeline(scope, ['get', '/revisions'], given);
    },
    one: async (revision, signal) => {
      const given = { signal, params: { path: { revision } }, keep: EXACT };
      const read = ['get', '/revisions/{revision}'] as const;
      return revisionOf(await callPipeline(scope, read, given));
    },
  });

/** The first pages of what rules can name. */
const MOST = 200;

export const pathsQuery = queryOptions({
  queryKey: ['escalation-paths', 'names'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MOST, status: 'live' as const } };
    const { body } = await call('get', '/api/v1/escalation-paths', { signal, params });
    return body.escalation_paths.map(({ path_key: key, name, active_revision: active }) => ({
      ...{ key, name },
      isActive: active !== undefined,
    }));
  },
  staleTime: 30_000,
});

export const endpointsQuery = queryOptions({
  queryKey: ['webhook-endpoints', 'names'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MOST, status: 'live' as const } };
    const { body } = await call('get', '/api/v1/webhook_endpoints', { signal, params });
    return body.webhook_endpoints.map(({ endpoint_key: key, name, active_revision: active }) => ({
      ...{ key, name },
      isActive: active !== undefined,
    }));
  },
  staleTime: 30_000,
  retry: false,
});

export const pipelinesQuery = queryOptions({
  queryKey: ['pipelines', 'names'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MOST } };
    const { body } = await call('get', '/api/v1/request-approval-pipelines', { signal, params });
    return body.request_approval_pipelines;
  },
  staleTime: 30_000,
});

export const agentNamesQuery = queryOptions({
  queryKey: ['agents', 'names'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MOST } };
    const { body } = await call('get', '/api/v1/agents', { signal, params });
    return body.agents.map(({ slug, name }) => ({ slug, name }));
  },
  staleTime: 30_000,
});
