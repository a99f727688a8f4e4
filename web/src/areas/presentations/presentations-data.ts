/** What the pages of presentations read and send. */
import { queryOptions } from '@tanstack/react-query';
import { JsonText, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import type { HiddenNames } from '../../../../src/domain/shown/hidden-names.ts';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { Base } from '../../shared/editor/document-state.ts';
import { printedJson } from '../../shared/editor/printed-json.ts';

export type Listed = components['schemas']['ToolPresentation'];
type Entry = Pick<Listed, 'tool' | 'server' | 'title' | 'fields'>;

const PAGE = 200;

/** All of them: an organization has at most 500, and the service knows some two hundred. */
export const presentationsQuery = queryOptions({
  queryKey: ['presentations', 'all'],
  queryFn: async ({ signal }): Promise<readonly Listed[]> => {
    const found: Listed[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
      const { body } = await call('get', '/api/v1/tool_presentations', {
        params: { query },
        signal,
      });
      found.push(...body.tool_presentations);
      cursor = body.next_cursor;
    } while (cursor !== undefined);
    return found;
  },
  staleTime: 30_000,
});

/** What is edited of an entry. */
export const entryText = ({ tool, server, title, fields }: Entry): string =>
  printedJson(stringifyExact({ tool, ...(server !== undefined && { server }), title, fields }));

const revisionIn = (headers: Headers): number => Number(headers.get('ETag')?.replaceAll('"', ''));

export const presentationQuery = (id: string) =>
  queryOptions({
    queryKey: ['presentations', 'one', id],
    queryFn: async ({ signal }): Promise<Base> => {
      const { body, headers } = await call('get', '/api/v1/tool_presentations/{id}', {
        params: { path: { id } },
        signal,
      });
      return { revision: revisionIn(headers), text: entryText(body) };
    },
    refetchOnWindowFocus: 'always',
  });

/** The text goes to the service as it is. */
const asText = (text: string) => ({
  body: new JsonText(text) as never,
  bodySerializer: stringifyExact,
});

export interface Saved extends Base {
  readonly id: string;
}

export async function createPresentation(text: string): Promise<Saved> {
  const { body, headers } = await call('post', '/api/v1/tool_presentations', asText(text));
  return { id: body.id ?? '', revision: revisionIn(headers), text };
}

interface Replacement {
  readonly id: string;
  readonly text: string;
  /** The revision that is replaced. Another one is left as it is. */
  readonly over: number;
}

export async function replacePresentation({ id, text, over }: Replacement): Promise<Saved> {
  const { headers } = await call('put', '/api/v1/tool_presentations/{id}', {
    ...asText(text),
    params: { path: { id }, header: { 'If-Match': `"${over}"` } },
  });
  return { id, revision: revisionIn(headers), text };
}

export async function removePresentation(id: string): Promise<void> {
  await call('delete', '/api/v1/tool_presentations/{id}', { params: { path: { id } } });
}

interface RecentCall {
  readonly id: string;
  readonly agent: string;
  readonly at: string;
}

const RECENT = 20;

/** The search of requests takes no longer one. */
const MOST_CHARACTERS = 200;

/** Real calls of a tool, newest first. Without a server, those to any. */
export const recentCallsQuery = (tool: string, server: string) =>
  queryOptions({
    queryKey: ['presentations', 'calls', tool, server],
    queryFn: async ({ signal }): Promise<readonly RecentCall[]> => {
      // The search finds the server, and more than it.
      const q = server.trim().slice(0, MOST_CHARACTERS);
      const query = { tool, limit: RECENT, view: 'summary' as const, ...(q !== '' && { q }) };
      const { body } = await call('get', '/api/v1/requests', { params: { query }, signal });
      return body.requests
        .filter((request) => server === '' || request.server === server)
        .map(({ id, agent_name: agent, created_at: at }) => ({ id, agent, at }));
    },
    staleTime: 30_000,
  });

export interface Sample {
  readonly text: string;
  readonly hiddenNames: HiddenNames;
}

export const sampleQuery = (id: string) =>
  queryOptions({
    queryKey: ['presentations', 'sample', id],
    queryFn: async ({ signal }): Promise<Sample> => {
      const { body } = await call(
        'get',
        '/api/v1/requests/{id}',
        { params: { path: { id } }, signal },
        ['arguments', 'context'],
      );
      const given = body.arguments as unknown as JsonText;
      return { text: given.text, hiddenNames: body.hidden_names };
    },
  });
