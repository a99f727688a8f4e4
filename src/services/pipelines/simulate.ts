/**
 * Evaluates requests of the past as if another document had been the pipeline. No other system is
 * asked. Threads of the worker pool do the work, a batch at a time.
 */
import { createHash } from 'node:crypto';
import { callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { PipelineKey } from '../../domain/pipelines/request-approval-pipelines.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import { listAccess } from '../../domain/requests/request-access.ts';
import {
  listConcluded,
  type ConcludedRequest,
  type RequestPosition,
} from '../../data/pipelines/concluded-requests.ts';
import { pipelineTables } from '../../data/pipelines/request-approval-pipelines.ts';
import { findDocument, findRevisionById } from '../../data/revisions.ts';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { requirePermission } from '../access/current-callers.ts';
import { readDocument } from '../read-documents.ts';
import { readerOf } from '../revisions/kind.ts';
import type { PipelineText } from '../evaluation/evaluate-texts.ts';
import { pipelineKind, pipelineOwner } from './request-approval-pipelines.ts';
import { simulateRequests, type Simulated, type SimulatedBatch } from './simulate-texts.ts';

type Outcome = ConcludedRequest['was'];

/** A request that would have had another outcome. */
export interface SimulatedChange {
  readonly id: string;
  readonly tool: string;
  readonly was: Outcome;
  readonly would_be: Outcome;
  /** The block that would decide. */
  readonly block_id?: string;
}

export interface Simulation {
  evaluated: number;
  same: number;
  changed: number;
  /** Those that reach a block without a stored answer. */
  undetermined: number;
  readonly by_outcome: Record<Outcome, number>;
  /** The first ones. */
  readonly changes: SimulatedChange[];
}

export interface SimulationOf {
  readonly documentKey: PipelineKey;
  readonly body: ExactValue;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly after?: RequestPosition | undefined;
  /** How many requests the page looks at. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A page ends after this much work. */
const PAGE_MS = 1_000;
/** Requests that are read at once: less than 5 ms of the event loop. */
const BATCH = 200;
/** Pinned revisions of one batch, each up to a megabyte. */
const REVISIONS = 8;
const LISTED_CHANGES = 100;

/** Throws 403 without `request.read` there, 404 without such a pipeline, 400 for an invalid document. */
export async function simulatePipeline(
  context: ServiceContext,
  principal: ProductPrincipal,
  { documentKey, body, ...range }: SimulationOf,
): Promise<{ readonly simulation: Simulation; readonly next?: RequestPosition }> {
  const { organizationId } = principal;
  const target = pipelineKind.targetOf(documentKey);
  requirePermission(principal, { permission: 'request.read', target });
  const stored = await findDocument(context.db, organizationId, {
    tables: pipelineTables,
    documentKey,
  });
  if (!stored) throw new AppError('not_found');
  const reader = readerOf(pipelineKind, context);
  const { text: document } = await readDocument(context, principal, { reader, body });
  const { scope, agentSlug } = pipelineOwner(documentKey);
  // Pages of one simulation share what threads compile.
  const id = createHash('sha256').update(stringifyExact(body)).digest('hex');
  return await simulatePage(context, principal, {
    ...{ ...range, scope, agentSlug },
    pipeline: { id, document },
  });
}

interface PageOf extends Omit<SimulationOf, 'documentKey' | 'body'> {
  readonly scope: PipelineScope;
  readonly agentSlug: string | undefined;
  readonly pipeline: PipelineText;
}

async function simulatePage(
  context: ServiceContext,
  principal: ProductPrincipal,
  page: PageOf,
): Promise<{ readonly simulation: Simulation; readonly next?: RequestPosition }> {
  const access = listAccess(principal);
  const simulation = newSimulation();
  let next = page.after;
  let left = page.limit;
  let size = BATCH;
  let workMs = 0;
  let others: readonly PipelineText[] = [];
  do {
    const startedAt = performance.now();
    const filter = { ...page, access, after: next, limit: Math.min(size, left) };
    const found = await listConcluded(context.db, principal.organizationId, filter);
    const requests = withFewRevisions(found.requests, page.scope);
    others = await readOthers(context.db, revisionsOf(requests, page.scope), others);
    workMs += performance.now() - startedAt;
    const { outcomes, workMs: simulatingMs } = await simulateBatch(context, {
      ...{ page, requests, others },
      workMs: PAGE_MS - workMs,
      onBehalfOf: callerIdOf(principal),
    });
    workMs += simulatingMs;
    for (const [index, outcome] of outcomes.entries())
      if (requests[index]) count(simulation, requests[index], outcome);
    const last = requests[outcomes.length - 1];
    const isWhole = outcomes.length === found.requests.length;
    next = isWhole || !last ? found.next : { createdAt: last.createdAt, id: last.id };
    const seen = isWhole ? found.seen : outcomes.length;
    left -= seen;
    // Long documents end a batch early. The next one reads few of them in vain.
    size = Math.min(BATCH, 2 * seen);
  } while (next && left > 0 && workMs < PAGE_MS && !page.signal.aborted);
  return { simulation, ...(next && { next }) };
}

const newSimulation = (): Simulation => ({
  ...{ evaluated: 0, same: 0, changed: 0, undetermined: 0 },
  by_outcome: { approve: 0, deny: 0, human: 0 },
  changes: [],
});

function count(
  simulation: Simulation,
  { id, tool, was }: ConcludedRequest,
  simulated: Simulated,
): void {
  simulation.evaluated += 1;
  if (!simulated) {
    simulation.undetermined += 1;
    return;
  }
  const { outcome: would_be, block_id } = simulated;
  simulation.by_outcome[would_be] += 1;
  if (was === would_be) {
    simulation.same += 1;
    return;
  }
  simulation.changed += 1;
  if (simulation.changes.length < LISTED_CHANGES)
    simulation.changes.push({
      ...{ id, tool, was, would_be },
      ...(block_id !== undefined && { block_id }),
    });
}

/** The revision of the pipeline that is not simulated. */
const otherRevision = (request: ConcludedRequest, scope: PipelineScope): string | null =>
  scope === 'organization'
    ? request.agentPipelineRevisionId
    : request.organizationPipelineRevisionId;

function revisionsOf(
  requests: readonly ConcludedRequest[],
  scope: PipelineScope,
): readonly string[] {
  const ids = requests.map((request) => otherRevision(request, scope));
  return [...new Set(ids.filter((id) => id !== null))];
}

function withFewRevisions(
  requests: readonly ConcludedRequest[],
  scope: PipelineScope,
): readonly ConcludedRequest[] {
  const ids = new Set<string | null>();
  const end = requests.findIndex((request) => {
    ids.add(otherRevision(request, scope));
    return ids.size > REVISIONS;
  });
  return end < 0 ? requests : requests.slice(0, end);
}

async function readOthers(
  db: Db,
  ids: readonly string[],
  known: readonly PipelineText[],
): Promise<readonly PipelineText[]> {
  const texts = ids.map(async (id): Promise<PipelineText[]> => {
    const before = known.find((each) => each.id === id);
    if (before) return [before];
    const revision = await findRevisionById(db, id, pipelineTables);
    return revision ? [{ id, document: revision.document }] : [];
  });
  return (await Promise.all(texts)).flat();
}

interface BatchOf {
  readonly page: PageOf;
  readonly requests: readonly ConcludedRequest[];
  readonly others: readonly PipelineText[];
  readonly workMs: number;
  readonly onBehalfOf: string;
}

async function simulateBatch(
  { workerPool }: ServiceContext,
  { page: { scope, pipeline }, requests, others, workMs, onBehalfOf }: BatchOf,
): Promise<SimulatedBatch> {
  if (requests.length === 0) return { outcomes: [], workMs: 0 };
  const texts = {
    ...{ scope, pipeline, others, workMs },
    requests: requests.map((request) => ({
      request: {
        tool: request.tool,
        ...(request.server !== null && { server: request.server }),
        agentSlug: request.agentSlug,
        agentName: request.agentName,
        arguments: request.arguments,
        ...(request.agentReasoning !== null && { agentReasoning: request.agentReasoning }),
        ...(request.context !== null && { context: request.context }),
      },
      otherId: otherRevision(request, scope),
      results: request.results,
    })),
  };
  return await workerPool.run(simulateRequests, texts, onBehalfOf);
}
