/** Reads of the tool catalog. */
import type {
  ToolCatalogEntry,
  ToolCatalogSource,
  ToolCatalogView,
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
  readonly view?: ToolCatalogView | undefined;
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

/** What a deleted instance reported is no longer shown. */
const OF_LIVE_INSTANCE = `exists (select from agent_instances li where li.id = c.agent_instance_id and li.deleted_at is null)`;

/** A source that fails leaves its tools as they were, unless the failing report named them. */
const AVAILABLE = '(s.error is null or t.last_seen_at = s.last_attempt_at)';
const STALE = `t.last_seen_at < clock_timestamp() - interval '7 days'`;

/** Of the columns of a row. */
const STATUS_CLAUSES: Readonly<Record<ToolStatus, string>> = {
  available: 'available and not stale',
  unavailable: 'not available',
  stale: 'stale',
};

function sourcesOf(organizationId: string, filter: ToolCatalogFilter): Selection {
  const { agentSlugs, agentSlug, source } = filter;
  return {
    clauses: [
      'c.organization_id = :organizationId',
      OF_LIVE_INSTANCE,
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

interface Rows extends Pick<Selection, 'bindings'> {
  /** SQL: a table with these columns. */
  readonly table: string;
}

const SAME_TOOL = 'agent_slug collate "C", source, server collate "C"';

/** Of each tool the last report, or all. What a status selects is selected from those. */
function toolsOf(organizationId: string, filter: ToolCatalogFilter, columns: string): Rows {
  const { clauses, bindings } = sourcesOf(organizationId, filter);
  const { status, q, view } = filter;
  const found = [...clauses, ...(q ? [anyContains(['t.name', 't.display_name', 's.server'])] : [])];
  const [only, order] =
    view === 'tools'
      ? [
          `distinct on (${SAME_TOOL}, name collate "C")`,
          `order by ${SAME_TOOL}, name collate "C", last_seen_at desc, t.id`,
        ]
      : ['', ''];
  return {
    table: `(select ${only} ${columns} from ${TOOLS} where ${found.join(' and ')} ${order}) found
             where ${status ? STATUS_CLAUSES[status] : 'true'}`,
    bindings: { ...bindings, ...(q && { pattern: containsPattern(q) }) },
  };
}

const DOCUMENTS = ['description', 'input_schema'] as const;

const columns = (document: (column: string) => string): string => `
  r.id, r.agent_slug, r.agent_instance_id, i.name as instance_name, r.discovery_context, r.runtime, r.source_id, r.source, r.server,
  r.available, r.stale, r.error, r.last_attempt_at, r.name, r.display_name, ${DOCUMENTS.map(document).join(', ')},
  r.annotations, r.schema_fingerprint, r.schema_changed_at, r.last_seen_at`;

const STATE = `${AVAILABLE} as available, ${STALE} as stale`;

/** Each tool with its source and context: the table `r` of `columns`. */
const ROW = `c.agent_slug, c.agent_instance_id, c.discovery_context, c.runtime, s.source, s.server, s.error, s.last_attempt_at,
  ${STATE}, t.*`;

interface ToolRow extends Omit<
  ToolCatalogEntry,
  'inputSchema' | 'previousInputSchema' | 'annotations'
> {
  readonly sourceId: string;
  readonly inputSchema: string | null;
  readonly previousSchema?: string | null;
  readonly annotations: string | null;
}

const asJson = (text: string | null): JsonText | null =>
  text === null ? null : new JsonText(text);

function toEntry({
  inputSchema,
  previousSchema = null,
  annotations,
  ...row
}: ToolRow): ToolCatalogEntry {
  return {
    ...row,
    inputSchema: asJson(inputSchema),
    previousInputSchema: asJson(previousSchema),
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
  const { table, bindings } = toolsOf(organizationId, filter, STATE);
  const { total } = await queryOne<{ total: number }>(
    db,
    `select count(*) as total from ${table}`,
    bindings,
  );
  return total;
}

const ORDER = `${SAME_TOOL} nulls first, name collate "C", id`;

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
  const { table, bindings } = toolsOf(organizationId, filter, ROW);
  const rows = await queryRows<ToolRow & SizedRow>(
    db,
    `with page as (
       select * from ${table} order by ${ORDER} limit :limit offset :offset
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
    `select ${columns((column) => `r.${column}`)}, r.previous_schema
       from (select ${ROW} from ${TOOLS} where c.organization_id = :organizationId and t.id = :id and ${OF_LIVE_INSTANCE}) r
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
