/** What a condition can test here, as the catalog of tools and earlier calls say. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { JsonText, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { call } from '../api/api.ts';
import type { ExactValue } from '../../../../src/platform/json/exact-values.ts';
import { FIXED_FIELDS, joinedFields, schemaFields, type FieldChoice } from './field-choices.ts';

const MOST_TOOLS = 200;
const STALE_MS = 60_000;

export const toolsQuery = (agent: string | undefined) =>
  queryOptions({
    queryKey: ['tool-catalog', agent ?? ''],
    queryFn: async ({ signal }) => {
      const query = { limit: MOST_TOOLS, ...(agent !== undefined && { agent_slug: agent }) };
      const { body } = await call('get', '/api/v1/tool_catalog', { signal, params: { query } });
      return body.tools.map(({ agent_slug: slug, name, server, input_schema: schema }) => ({
        ...{ slug, name, server },
        schema: schema as ExactValue | undefined,
      }));
    },
    staleTime: STALE_MS,
  });

async function readSeen(slug: string, tool: string): Promise<readonly FieldChoice[]> {
  const { body } = await call('get', '/api/v1/agents/{slug}/seen_arguments', {
    params: { path: { slug }, query: { tool } },
  });
  return body.fields.map(({ pointer, lists = [], types, count, examples, hidden }) => ({
    ...{ pointer, lists, types, seen: { count, requests: body.requests } },
    examples: examples.map(({ value, excerpt }) =>
      value === undefined ? (excerpt ?? '') : textOf(value),
    ),
    ...(hidden && { isHidden: true }),
  }));
}

const seenQuery = (agents: readonly string[], tool: string) =>
  queryOptions({
    queryKey: ['seen-arguments', agents, tool],
    queryFn: async () => {
      const read = await Promise.allSettled(agents.map((slug) => readSeen(slug, tool)));
      // A reader without the permission still has the catalog.
      return read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    },
    staleTime: STALE_MS,
  });

const textOf = (value: unknown): string =>
  value instanceof JsonText ? value.text : stringifyExact(value);

/** The calls of how many agents are looked at. */
const MOST_AGENTS = 3;

export interface KnownFields {
  readonly fields: readonly FieldChoice[];
  readonly tools: readonly string[];
  readonly servers: readonly string[];
}

interface KnownFieldsOf {
  /** Absent: of any agent. */
  readonly agent?: string | undefined;
  /** The one that the condition is about, if it names one. */
  readonly tool?: string | undefined;
}

export function useKnownFields({ agent, tool }: KnownFieldsOf): KnownFields {
  const { data: tools = [] } = useQuery(toolsQuery(agent));
  const about = tool === undefined ? [] : tools.filter(({ name }) => name === tool);
  const agents =
    agent === undefined
      ? [...new Set(about.map(({ slug }) => slug))].slice(0, MOST_AGENTS)
      : [agent];
  const { data: seen = [] } = useQuery({
    ...seenQuery(agents, tool ?? ''),
    enabled: tool !== undefined && agents.length > 0,
  });
  const schemas = (tool === undefined ? tools : about).flatMap(({ schema }) =>
    schemaFields(schema),
  );
  return {
    fields: [...FIXED_FIELDS, ...joinedFields(seen, schemas)],
    tools: [...new Set(tools.map(({ name }) => name))],
    servers: [...new Set(tools.flatMap(({ server }) => server ?? []))],
  };
}
