/** Rules by their names. The service has no search for them, so a few pipelines are read once, and searched here. */
import type { QueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';
import { palette as text } from './text.ts';
import { matching, type Item } from './items.ts';

/** Pipelines of agents that are read. More would be too many calls for a few letters. */
const MOST_AGENTS = 12;
const SHOWN = 8;
const FRESH_MS = 60_000;

interface Rule {
  readonly id: string;
  readonly name: string;
}

const isRule = (value: object): value is Rule =>
  'type' in value &&
  (['id', 'name'] as const).every((member) => typeof (value as Partial<Rule>)[member] === 'string');

/** A block, or the list of them, with those in its branches. */
function rulesIn(value: unknown): readonly Rule[] {
  if (Array.isArray(value)) return value.flatMap(rulesIn);
  if (typeof value !== 'object' || value === null) return [];
  return [...(isRule(value) ? [value] : []), ...Object.values(value).flatMap(rulesIn)];
}

interface Named {
  readonly items: readonly Item[];
  readonly note?: string;
}

async function readNames(signal: AbortSignal): Promise<Named> {
  const query = { status: 'live', limit: MOST_AGENTS + 2 } as const;
  const { body } = await call('get', '/api/v1/request-approval-pipelines', {
    ...{ signal, params: { query } },
  });
  const active = body.request_approval_pipelines.filter((each) => each.active_revision !== null);
  const agents = active.flatMap(({ agent_slug: slug }) => slug ?? []);
  const pipelines = await Promise.all([
    ...active.filter(({ scope }) => scope === 'organization').map(() => readOrganization(signal)),
    ...agents.slice(0, MOST_AGENTS).map((slug) => readAgent(slug, signal)),
  ]);
  const isShort = agents.length > MOST_AGENTS || body.next_cursor !== undefined;
  return { items: pipelines.flat(), ...(isShort && { note: text.someAgents(MOST_AGENTS) }) };
}

const itemsOf = (blocks: unknown, page: string, detail: string): readonly Item[] =>
  rulesIn(blocks).map(({ id, name }) => ({
    href: `${page}#${encodeURIComponent(id)}`,
    group: 'rules',
    label: name,
    detail,
  }));

async function readOrganization(signal: AbortSignal) {
  const path = '/api/v1/request-approval-pipelines/organization';
  const { body } = await call('get', path, { signal });
  return itemsOf(body.blocks, '/rules', text.ofOrganization);
}

async function readAgent(slug: string, signal: AbortSignal) {
  const path = '/api/v1/request-approval-pipelines/agents/{agent_slug}';
  const { body } = await call('get', path, { signal, params: { path: { agent_slug: slug } } });
  return itemsOf(body.blocks, `/agents/${slug}/rules`, text.ofAgent(slug));
}

export async function findRules(q: string, client: QueryClient): Promise<Named> {
  const { items, ...rest } = await client.fetchQuery({
    queryKey: ['palette', 'rule-names'],
    queryFn: async ({ signal }) => await readNames(signal),
    staleTime: FRESH_MS,
    gcTime: FRESH_MS,
  });
  return { items: matching(items, q).slice(0, SHOWN), ...rest };
}
