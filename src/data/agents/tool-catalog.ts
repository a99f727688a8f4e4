/** What instances of agents report about their tools. A report locks its context first, so that the last one wins whole. */
import { v7 } from 'uuid';
import {
  sourceKeyOf,
  type ReportedSource,
  type StoredSource,
  type StoredTool,
  type ToolReport,
  type ToolReportPlan,
  type ToolSource,
} from '../../domain/agents/tool-catalog.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';

/** An instance keeps the contexts that it reported last. */
const KEPT_CONTEXTS = 100;

/** The id of the context. Other reports of it wait for the end of the transaction. */
export async function lockContext(
  trx: Trx,
  { organizationId, agentSlug, instanceId }: AgentPrincipal,
  { discoveryContext, runtime }: ToolReport,
): Promise<string> {
  const { id, isNew } = await queryOne<{ id: string; isNew: boolean }>(
    trx,
    `insert into tool_catalog_contexts as c
            (id, organization_id, agent_slug, agent_instance_id, discovery_context, runtime, reported_at)
     values (:id, :organizationId, :agentSlug, :instanceId, :discoveryContext, :runtime, clock_timestamp())
     on conflict (agent_instance_id, discovery_context)
        do update set runtime = excluded.runtime, reported_at = greatest(c.reported_at, excluded.reported_at)
     returning id, xmax = 0 as is_new`,
    { id: v7(), organizationId, agentSlug, instanceId, discoveryContext, runtime },
  );
  if (isNew) await dropOldContexts(trx, instanceId);
  return id;
}

/** Contexts that are being reported now are skipped, so that two reports never wait for each other. */
async function dropOldContexts(trx: Trx, instanceId: string): Promise<void> {
  await trx.raw(
    `delete from tool_catalog_contexts where id in (
       select id from tool_catalog_contexts where agent_instance_id = :instanceId
        order by reported_at desc, id desc offset :kept for update skip locked)`,
    { instanceId, kept: KEPT_CONTEXTS },
  );
}

interface StoredRow {
  sourceId: string;
  source: ToolSource;
  server: string | null;
  id: string | null;
  name: string;
  schemaFingerprint: string | null;
  definitionDigest: string;
  removed: boolean;
}

/** What the context reported before, removed tools included. */
export async function findReported(trx: Trx, contextId: string): Promise<StoredSource[]> {
  const rows = await queryRows<StoredRow>(
    trx,
    `select s.id as source_id, s.source, s.server, t.id, t.name, t.schema_fingerprint, t.definition_digest,
            t.removed_at is not null as removed
       from tool_catalog_sources s left join tool_catalog_tools t on t.source_id = s.id
      where s.context_id = :contextId`,
    { contextId },
  );
  const sources = new Map<string, StoredSource & { tools: StoredTool[] }>();
  for (const { sourceId, source, server, id, ...tool } of rows) {
    const stored = sources.get(sourceId) ?? { id: sourceId, source, server, tools: [] };
    sources.set(sourceId, stored);
    if (id !== null) stored.tools.push({ ...tool, id });
  }
  return [...sources.values()];
}

/** Stores the sources of a report. Returns their ids by `sourceKeyOf`. */
export async function saveSources(
  trx: Trx,
  contextId: string,
  { sources, at }: { readonly sources: readonly ReportedSource[]; readonly at: Date },
): Promise<ReadonlyMap<string, string>> {
  const given = sources.map(({ source, server, error }) => ({ id: v7(), source, server, error }));
  const rows = await queryRows<{ id: string; source: ToolSource; server: string | null }>(
    trx,
    `insert into tool_catalog_sources as s (id, context_id, source, server, last_attempt_at, last_success_at, error)
     select g.id, :contextId, g.source, g.server, :at, case when g.error is null then cast(:at as timestamptz) end, g.error
       from json_to_recordset(cast(:given as json)) as g (id uuid, source text, server text, error text)
     on conflict (context_id, source, server) do update
        set last_attempt_at = excluded.last_attempt_at, error = excluded.error, removed_at = null,
            last_success_at = coalesce(excluded.last_success_at, s.last_success_at)
     returning id, source, server`,
    { contextId, at, given: JSON.stringify(given) },
  );
  return new Map(
    rows.map(({ id, source, server }) => [
      sourceKeyOf({ source, server: server ?? undefined }),
      id,
    ]),
  );
}

export interface WrittenTools {
  readonly tools: ToolReportPlan['write'];
  readonly sourceIds: ReadonlyMap<string, string>;
  readonly at: Date;
}

const CHANGED = 't.schema_fingerprint is distinct from excluded.schema_fingerprint';

/** Inserts or replaces some tools, in one statement. */
export async function saveTools(trx: Trx, { tools, sourceIds, at }: WrittenTools): Promise<void> {
  const given = tools.map(({ source, tool }) => ({
    id: v7(),
    source_id: sourceIds.get(sourceKeyOf(source)),
    name: tool.name,
    display_name: tool.displayName,
    description: tool.description,
    // As a string: Postgres would refuse some escapes in JSON that it takes apart.
    input_schema: tool.inputSchema,
    annotations: tool.annotations,
    schema_fingerprint: tool.schemaFingerprint,
    definition_digest: tool.definitionDigest,
  }));
  await trx.raw(
    `insert into tool_catalog_tools as t
            (id, source_id, name, display_name, description, input_schema, annotations, schema_fingerprint, definition_digest, last_seen_at)
     select g.id, g.source_id, g.name, g.display_name, g.description, cast(g.input_schema as json), cast(g.annotations as json),
            g.schema_fingerprint, g.definition_digest, :at
       from json_to_recordset(cast(:given as json)) as g
            (id uuid, source_id uuid, name text, display_name text, description text, input_schema text, annotations text,
             schema_fingerprint text, definition_digest text)
     on conflict (source_id, name) do update
        set display_name = excluded.display_name, description = excluded.description, input_schema = excluded.input_schema,
            annotations = excluded.annotations, schema_fingerprint = excluded.schema_fingerprint,
            definition_digest = excluded.definition_digest, last_seen_at = excluded.last_seen_at, removed_at = null,
            schema_changed_at = case when ${CHANGED} then excluded.last_seen_at else t.schema_changed_at end,
            previous_schema = case when ${CHANGED} then t.input_schema else t.previous_schema end`,
    { at, given: JSON.stringify(given) },
  );
}

interface Ids {
  readonly ids: readonly string[];
  readonly at: Date;
}

export async function touchTools(trx: Trx, { ids, at }: Ids): Promise<void> {
  if (ids.length === 0) return;
  await trx.raw('update tool_catalog_tools set last_seen_at = :at where id = any(:ids)', {
    ids: [...ids],
    at,
  });
}

/** What is long about them goes at once, the rest when they have been away for a while. */
export async function removeTools(trx: Trx, { ids, at }: Ids): Promise<void> {
  if (ids.length === 0) return;
  await trx.raw(
    `update tool_catalog_tools set removed_at = :at, description = null, input_schema = null,
            previous_schema = null, annotations = null
      where id = any(:ids)`,
    { ids: [...ids], at },
  );
}

export async function removeSources(trx: Trx, { ids, at }: Ids): Promise<void> {
  if (ids.length === 0) return;
  await trx.raw(
    'update tool_catalog_sources set removed_at = :at where id = any(:ids) and removed_at is null',
    { ids: [...ids], at },
  );
}

/** Purges some tools that were removed over 30 days ago. Returns their number. */
export async function deleteRemovedTools(db: Db, limit: number): Promise<number> {
  const rows = await queryRows<unknown>(
    db,
    `delete from tool_catalog_tools where id in (
       select id from tool_catalog_tools where removed_at < clock_timestamp() - interval '30 days' limit :limit)
     returning 1`,
    { limit },
  );
  return rows.length;
}
