/** Reads of the tool catalog. */
import type {
  ToolCatalogEntry,
  ToolCatalogSource,
  ToolSource,
  ToolStatus,
} from '../../domain/agents/tool-catalog.ts';
import type { LongList } from '../../platform/long-list.ts';
import { JsonText } from '../../platform/json/exact-json.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';
import { bytesOf, documentAtOnce, longPage, type SizedRow } from '../long-pages.ts';
import { anyContains, containsPattern } from '../text-search.ts';

export interface ToolCatalogFilter {
  /** Only tools of these agents; all of the organization when absent. */
  readonly agentSlugs?: readonly string[] | undefined;
  readonly agentSlug?: string | undefined;
  readonly source?: ToolSource | undefined;
  readonly status?: ToolStatus | undefined;
  /** Case-insensitive substring of name, display name or server. */
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

interface Selection {
  readonly clauses: readonly string[];
  readonly bindings: Record<string, string | number | readonly string[]>;
}

const SOURCES = `tool_catalog_contexts c join tool_catalog_sources s on s.context_id = c.id and s.removed_at is null`;
const TOOLS = `${SOURCES} join tool_catalog_tools t on t.source_id = s.id and t.removed_at is null`;

/** A source that fails leaves its tools as they were, unless the failing report named them. */
const AVAILABLE = '(s.error is null or t.last_seen_at = s.last_attempt_at)';
const STALE = `t.last_seen_at < clock_timestamp() - interval '7 days'`;

const STATUS_CLAUSES: Readonly<Record<ToolStatus, string>> = {
  available: `${AVAILABLE} and not (${STALE})`,
  unavailable: `not ${AVAILABLE}`,
  stale: STALE,
};

function sourcesOf(organizationId: string, filter: ToolCatalogFilter): Selection {
  const { agentSlugs, agentSlug, source } = filter;
  return {
    clauses: [
      'c.organization_id = :organizationId',
      ...(agentSlugs ? ['c.agent_slug = any(:agentSlugs)'] : []),
      ...(agentSlug === undefined ? [] : ['c.agent_slug = :agentSlug']),
      ...(source ? ['s.source = :source'] : []),
    ],
    bindings: {
      organizationId,
      ...(agentSlugs && { agentSlugs: [...agentSlugs] }),
      ...(agentSlug !== undefined && { agentSlug }),
      ...(source && { source }),
    },
  };
}

function toolsOf(organizationId: string, filter: ToolCatalogFilter): Selection {
  const { clauses, bindings } = sourcesOf(organizationId, filter);
  const { status, q } = filter;
  return {
    clauses: [
      ...clauses,
      ...(status ? [STATUS_CLAUSES[status]] : []),
      ...(q ? [anyContains(['t.name', 't.display_name', 's.server'])] : []),
    ],
    bindings: { ...bindings, ...(q && { pattern: containsPattern(q) }) },
  };
}

const DOCUMENTS = ['description', 'input_schema'] as const;

const columns = (document: (column: string) => string): string => `
  r.id, r.agent_slug, r.agent_instance_id, i.name as instance_name, r.discovery_context, r.runtime, r.source_id, r.source, r.server,
  r.available, r.stale, r.error, r.last_attempt_at, r.name, r.display_name, ${DOCUMENTS.map(document).join(', ')},
  r.annotations, r.schema_fingerprint, r.last_seen_at`;

/** Each tool with its source and context: the table `r` of `columns`. */
const ROW = `c.agent_slug, c.agent_instance_id, c.discovery_context, c.runtime, s.source, s.server, s.error, s.last_attempt_at,
  ${AVAILABLE} as available, ${STALE} as stale, t.*`;

interface ToolRow extends Omit<ToolCatalogEntry, 'inputSchema' | 'annotations'> {
  readonly sourceId: string;
  readonly inputSchema: string | null;
  readonly annotations: string | null;
}

function toEntry({ inputSchema, annotations, ...row }: ToolRow): ToolCatalogEntry {
  return {
    ...row,
    inputSchema: inputSchema === null ? null : new JsonText(inputSchema),
    annotations:
      annotations === null
        ? null
        : (JSON.parse(annotations) as NonNullable<ToolCatalogEntry['annotations']>),
  };
}

export async function countTools(
  db: Db,
  organizationId: string,
  filter: ToolCatalogFilter,
): Promise<number> {
  const { clauses, bindings } = toolsOf(organizationId, filter);
  const { total } = await queryOne<{ total: number }>(
    db,
    `select count(*) as total from ${TOOLS} where ${clauses.join(' and ')}`,
    bindings,
  );
  return total;
}

const ORDER = `agent_slug collate "C", source, server collate "C" nulls first, name collate "C", id`;

export interface ToolPage {
  readonly tools: LongList<ToolCatalogEntry>;
  readonly sourceIds: readonly string[];
}

/** By agent, source, server and name. */
export async function listTools(
  db: Db,
  organizationId: string,
  filter: ToolCatalogFilter,
): Promise<ToolPage> {
  const { clauses, bindings } = toolsOf(organizationId, filter);
  const rows = await queryRows<ToolRow & SizedRow>(
    db,
    `with page as (
       select ${ROW} from ${TOOLS} where ${clauses.join(' and ')}
        order by ${ORDER} limit :limit offset :offset
     )
     select ${columns(documentAtOnce)}, r.documents_end
       from (select page.*, sum(${bytesOf(DOCUMENTS)}) over (order by ${ORDER} rows unbounded preceding) as documents_end
               from page) r
       join agent_instances i on i.id = r.agent_instance_id
      order by ${ORDER.replaceAll(/\b(agent_slug|source|server|name|id)\b/g, 'r.$1')}`,
    { ...bindings, limit: filter.limit, offset: filter.offset },
  );
  const read = async (ids: string[]) => await findDocuments(db, ids);
  return {
    tools: longPage(rows, { read, build: toEntry }),
    sourceIds: [...new Set(rows.map(({ sourceId }) => sourceId))],
  };
}

async function findDocuments(db: Db, ids: string[]) {
  return await queryRows<Pick<ToolRow, 'id' | 'description' | 'inputSchema'>>(
    db,
    `select id, ${DOCUMENTS.join(', ')} from tool_catalog_tools where id = any(:ids)`,
    { ids },
  );
}

export async function findTool(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ToolCatalogEntry | undefined> {
  const row = await queryRow<ToolRow>(
    db,
    `select ${columns((column) => `r.${column}`)}
       from (select ${ROW} from ${TOOLS} where c.organization_id = :organizationId and t.id = :id) r
       join agent_instances i on i.id = r.agent_instance_id`,
    { organizationId, id },
  );
  return row && toEntry(row);
}

/** A page also lists this many sources that have no tool on it. */
const OTHER_SOURCES = 200;

/** The sources with these ids, then others of the filter, last attempted first. */
export async function listSources(
  db: Db,
  organizationId: string,
  { filter, ids }: { readonly filter: ToolCatalogFilter; readonly ids: readonly string[] },
): Promise<ToolCatalogSource[]> {
  const { clauses, bindings } = sourcesOf(organizationId, filter);
  return await queryRows<ToolCatalogSource>(
    db,
    `select s.id, c.agent_slug, c.agent_instance_id, c.runtime, c.discovery_context, s.source, s.server, s.last_attempt_at,
            s.last_success_at, s.error
       from ${SOURCES}
      where ${clauses.join(' and ')}
      order by s.id = any(cast(:ids as uuid[])) desc, s.last_attempt_at desc, s.id
      limit :most`,
    { ...bindings, ids: [...ids], most: ids.length + OTHER_SOURCES },
  );
}
