/** The tool catalog: takes the reports of agent instances, and lists them. */
import { actorOf, type NewAuditEvent } from '../../domain/audit/events.ts';
import {
  planToolReport,
  type SchemaChange,
  type ToolCatalogEntry,
  type ToolCatalogSource,
  type ToolReport,
  type ToolReportPlan,
} from '../../domain/agents/tool-catalog.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import {
  authorize,
  callerIdOf,
  scopeOf,
  type AgentPrincipal,
  type ProductPrincipal,
} from '../../domain/people/authorization.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { readClock } from '../../data/clock.ts';
import {
  findReported,
  lockContext,
  removeSources,
  removeTools,
  saveSources,
  saveTools,
  touchTools,
} from '../../data/agents/tool-catalog.ts';
import {
  countTools,
  findTool,
  listSources,
  listTools,
  type ToolCatalogFilter,
} from '../../data/agents/tool-catalog-pages.ts';
import { bulkhead } from '../../platform/bulkhead.ts';
import { createYielder } from '../../platform/event-loop.ts';
import { LongList } from '../../platform/long-list.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { isLarge } from '../heavy-work.ts';
import { readToolReport, type ReportTexts } from './read-tool-catalog.ts';

/** How many tools of a report were new or changed, had the same schema as before, and are no longer there. */
export interface ReportResult {
  readonly accepted: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** A report may hold 8 MiB of memory, and the last one counts, so an instance has one under way. */
const gate = bulkhead({ atOnce: 8, atOnceEach: 1, waiting: 64, waitingEach: 4 });

/** Replaces what the instance reported in this discovery context. Throws 400, and Overloaded. */
export async function reportTools(
  context: ServiceContext,
  principal: AgentPrincipal,
  texts: ReportTexts,
): Promise<ReportResult> {
  const caller = callerIdOf(principal);
  return await gate(async () => {
    const report = await readReport(context, caller, texts);
    return await context.db.transaction((trx) => storeReport(trx, principal, report));
  }, principal.instanceId);
}

async function readReport(
  { workerPool }: Runtime,
  caller: string,
  texts: ReportTexts,
): Promise<ToolReport> {
  const read = isLarge(Object.values(texts))
    ? await workerPool.run(readToolReport, texts, caller)
    : readToolReport(texts);
  if ('issues' in read) throw invalid(read.issues);
  return read.report;
}

async function storeReport(
  trx: Trx,
  principal: AgentPrincipal,
  report: ToolReport,
): Promise<ReportResult> {
  const contextId = await lockContext(trx, principal, report);
  const stored = await findReported(trx, contextId);
  const at = await readClock(trx);
  const plan = planToolReport(report, stored);
  const sourceIds = await saveSources(trx, contextId, { sources: report.sources, at });
  for await (const tools of batchesOf(plan.write)) await saveTools(trx, { tools, sourceIds, at });
  await touchTools(trx, { ids: plan.unchanged, at });
  await removeTools(trx, { ids: plan.removedTools, at });
  await removeSources(trx, { ids: plan.removedSources, at });
  const events = plan.schemaChanges.map((change) => schemaChanged(principal, report, change));
  await insertAuditEvents(trx, principal.organizationId, { events, occurredAt: at });
  const kept = plan.write.filter(({ sameSchema }) => sameSchema).length;
  return {
    accepted: plan.write.length - kept,
    unchanged: plan.unchanged.length + kept,
    removed: plan.removedTools.length,
  };
}

/** About two milliseconds of printing each. */
const BATCH_CHARACTERS = 512 * 1024;

async function* batchesOf(write: ToolReportPlan['write']): AsyncGenerator<ToolReportPlan['write']> {
  const yieldIfDue = createYielder();
  let batch: ToolReportPlan['write'][number][] = [];
  let characters = 0;
  for (const each of write) {
    batch.push(each);
    characters += (each.tool.inputSchema?.length ?? 0) + (each.tool.description?.length ?? 0);
    if (characters < BATCH_CHARACTERS) continue;
    yield batch;
    [batch, characters] = [[], 0];
    await yieldIfDue();
  }
  if (batch.length > 0) yield batch;
}

function schemaChanged(
  principal: AgentPrincipal,
  { discoveryContext }: ToolReport,
  { toolId, source, name, before, after }: SchemaChange,
): NewAuditEvent {
  return {
    eventType: 'agent_tool.schema_changed',
    actor: actorOf(principal),
    subjectId: toolId,
    data: {
      agent_slug: principal.agentSlug,
      agent_instance_id: principal.instanceId,
      discovery_context: discoveryContext,
      source: source.source,
      ...(source.server !== undefined && { server: source.server }),
      name,
      ...(before !== null && { previous_fingerprint: before }),
      ...(after !== undefined && { schema_fingerprint: after }),
    },
  };
}

export interface ToolCatalogPage {
  readonly tools: LongList<ToolCatalogEntry>;
  readonly sources: readonly ToolCatalogSource[];
  readonly total: number;
  /** Absent on the last page. */
  readonly nextOffset?: number;
}

/** The tools of the agents that the caller may see. */
export async function listToolCatalog(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  filter: Omit<ToolCatalogFilter, 'agentSlugs'>,
): Promise<ToolCatalogPage> {
  const scope = scopeOf(principal, 'agent.read');
  if (!scope) return { tools: new LongList<ToolCatalogEntry>([]), sources: [], total: 0 };
  const { organizationId } = principal;
  const visible = { ...filter, agentSlugs: scope.all ? undefined : scope.agentSlugs };
  const [total, { tools, sourceIds }] = await Promise.all([
    countTools(db, organizationId, visible),
    listTools(db, organizationId, visible),
  ]);
  const sources = await listSources(db, organizationId, { filter: visible, ids: sourceIds });
  const end = filter.offset + filter.limit;
  return { tools, sources, total, ...(end < total && { nextOffset: end }) };
}

/** Throws 404, also for a tool of an agent that the caller may not see. */
export async function getToolCatalogEntry(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<ToolCatalogEntry> {
  const entry = await findTool(db, principal.organizationId, id);
  if (!entry) throw new AppError('not_found');
  const target = { kind: 'agent', slug: entry.agentSlug } as const;
  if (!authorize(principal, 'agent.read', target).allowed) throw new AppError('not_found');
  return entry;
}
