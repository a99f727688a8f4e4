/**
 * Evaluates past requests as if another document had been the pipeline. No other system is
 * asked. Threads of the worker pool do the work, a batch at a time.
 */
import { createHash } from 'node:crypto';
import { callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  pipelineOwner,
  type PipelineKey,
} from '../../domain/pipelines/request-approval-pipelines.ts';
import type { BlockRef } from '../../domain/pipelines/remote.ts';
import {
  byWeight,
  countChanges,
  counted,
  type CountedChange,
} from '../../domain/pipelines/simulated-changes.ts';
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
import { howToShowCalls } from '../agents/how-to-show.ts';
import { inBatches } from '../batches.ts';
import { pipelineKind } from './request-approval-pipelines.ts';
import { simulateRequests, type ShownChange, type Simulated } from './simulate-texts.ts';

type Outcome = ConcludedRequest['was'];

/** A request that would have had another outcome. */
export interface SimulatedChange extends ShownChange {
  readonly id: string;
  readonly created_at: Date;
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
  /** Those that reach a block without a stored result. */
  undetermined: number;
  /** Which blocks these are, the most frequent first. */
  readonly undetermined_at: readonly UndeterminedAt[];
  readonly by_outcome: Record<Outcome, number>;
  readonly by_change: readonly CountedChange[];
  /** The first ones, by their weight. */
  readonly changes: readonly SimulatedChange[];
}

export interface UndeterminedAt {
  readonly scope: PipelineScope;
  readonly block_id: string;
  readonly count: number;
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

/** A page begins no further batch after this time. */
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
  const { limit: most, signal } = page;
  const access = listAccess(principal);
  const simulated: SimulatedRequest[] = [];
  let others: readonly PipelineText[] = [];
  const limits = { most, size: BATCH, ms: PAGE_MS, signal };
  const next = await inBatches(page.after, limits, async ({ after, size, leftMs }) => {
    const filter = { ...page, access, after, limit: size };
    const found = await listConcluded(context.db, principal.organizationId, filter);
    const requests = withFewRevisions(found.requests, page.scope);
    others = await readOthers(context.db, revisionsOf(requests, page.scope), others);
    const batch = { page, requests, others, workMs: leftMs };
    const results = await simulateBatch(context, principal, batch);
    for (const [index, result] of results.entries())
      if (requests[index]) simulated.push({ request: requests[index], result });
    const last = requests[results.length - 1];
    const isWhole = results.length === found.requests.length;
    return {
      next: isWhole || !last ? found.next : { createdAt: last.createdAt, id: last.id },
      seen: isWhole ? found.seen : results.length,
    };
  });
  return { simulation: simulationOf(simulated), ...(next && { next }) };
}

/** Without its documents. */
interface SimulatedRequest {
  readonly request: Pick<ConcludedRequest, 'createdAt' | 'id' | 'tool' | 'was'>;
  readonly result: Simulated;
}

function simulationOf(simulated: readonly SimulatedRequest[]): Simulation {
  const by_outcome = { approve: 0, deny: 0, human: 0 };
  const changes: SimulatedChange[] = [];
  const missing: BlockRef[] = [];
  for (const { request, result } of simulated) {
    if ('blockId' in result) {
      missing.push(result);
      continue;
    }
    const { outcome: would_be, block_id, shown = { excerpt: '' } } = result;
    const { id, createdAt: created_at, tool, was } = request;
    by_outcome[would_be] += 1;
    if (was !== would_be)
      changes.push({
        ...{ id, created_at, tool, was, would_be, ...shown },
        ...(block_id !== undefined && { block_id }),
      });
  }
  const [evaluated, changed, undetermined] = [simulated, changes, missing].map(
    ({ length }) => length,
  ) as [number, number, number];
  return {
    ...{ evaluated, same: evaluated - changed - undetermined, changed, undetermined, by_outcome },
    undetermined_at: countBlocks(missing),
    by_change: countChanges(changes),
    changes: changes.toSorted(byWeight).slice(0, LISTED_CHANGES),
  };
}

const countBlocks = (blocks: readonly BlockRef[]): readonly UndeterminedAt[] =>
  counted(blocks, ({ scope, blockId }) => `${scope} ${blockId}`)
    .slice(0, LISTED_CHANGES)
    .map(({ scope, blockId: block_id, count }) => ({ scope, block_id, count }));

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
}

async function simulateBatch(
  { db, workerPool }: ServiceContext,
  principal: ProductPrincipal,
  { page: { scope, pipeline }, requests, others, workMs }: BatchOf,
): Promise<readonly Simulated[]> {
  if (requests.length === 0) return [];
  const { hows, howOf } = await howToShowCalls(db, principal.organizationId, requests);
  const texts = {
    ...{ scope, pipeline, others, workMs, hows },
    requests: requests.map((request) => ({
      was: request.was,
      how: howOf(request),
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
  return await workerPool.run(simulateRequests, texts, callerIdOf(principal));
}
