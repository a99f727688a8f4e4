/** What the page of an agent's tools reads. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { JsonText } from '../../../../../src/platform/json/exact-json.ts';
import { call } from '../../../shared/api/api.ts';
import { keptRows } from '../../../shared/api/lists.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import type { ListSearch } from '../../../shared/routes/list-search.ts';

type Sent = components['schemas']['ToolCatalogEntry'];
/** Without its schema, which is read when someone opens it. */
export type Tool = Omit<Sent, 'input_schema' | 'previous_input_schema'> & {
  readonly hasSchema: boolean;
};

const PAGE = 100;

export const toolsQuery = (
  slug: string,
  { q = '', show }: ListSearch<'available' | 'unavailable' | 'stale'>,
) =>
  infiniteQueryOptions({
    queryKey: ['agents', 'one', slug, 'tools', q, show ?? ''],
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        agent_slug: slug,
        view: 'tools' as const,
        limit: PAGE,
        offset: pageParam,
        ...(q !== '' && { q }),
        ...(show !== undefined && { status: show }),
      };
      const { body } = await call('get', '/api/v1/tool_catalog', { params: { query }, signal });
      const tools = body.tools.map(({ input_schema: schema, ...tool }): Tool => ({
        ...tool,
        hasSchema: schema !== undefined,
      }));
      return { tools, total: body.total, next: body.next_offset };
    },
    placeholderData: keptRows(['agents', 'one', slug, 'tools']),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

export interface Schemas {
  readonly now: string | undefined;
  readonly before: string | undefined;
}

/** The schema of a tool, and the one before it, as their texts. */
export const schemasQuery = (id: string, changedAt: string | undefined) =>
  queryOptions({
    queryKey: ['agents', 'tool', id, changedAt ?? ''],
    queryFn: async ({ signal }): Promise<Schemas> => {
      const { body } = await call(
        'get',
        '/api/v1/tool_catalog/{id}',
        { params: { path: { id } }, signal },
        ['input_schema', 'previous_input_schema'],
      );
      const { input_schema: now, previous_input_schema: before } = body as unknown as {
        readonly input_schema?: JsonText;
        readonly previous_input_schema?: JsonText;
      };
      return { now: now?.text, before: before?.text };
    },
  });
