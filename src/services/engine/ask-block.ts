/**
 * Makes one attempt to ask what a block of the rules asks. The database counts attempts and keeps
 * the one result. No lock or connection is held during the call.
 */
import { v7 } from 'uuid';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  beginAttempt,
  endAttempt,
  findAskingState,
  type BlockAttempt,
  type EvaluationProgress,
} from '../../data/pipelines/block-results.ts';
import { findRequest } from '../../data/requests/read.ts';
import { requestEvent } from '../../domain/audit/events.ts';
import {
  counting,
  asStored,
  errorOf,
  leaseOf,
  LONGEST_RETRY_AFTER_MS,
  pauseAfter,
  timeoutOf,
  type BlockRef,
  type RemoteBlock,
  type RemoteResult,
} from '../../domain/pipelines/remote.ts';
import { conditionFacts } from '../../domain/requests/condition-facts.ts';
import { isTerminal, type ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { readSettled } from './settle.ts';
import { loadCompiledPipeline } from '../evaluation/compiled-pipelines.ts';
import { askRemote } from '../pipelines/ask-remote.ts';
import type { BlockReply } from '../pipelines/block-question.ts';

/** What is asked, about what, in which attempt. */
interface BlockCall extends BlockAttempt {
  /** The request's deadline, by `performance.now()`. */
  readonly endsBy: number;
  readonly request: ApprovalRequest;
  readonly scope: BlockRef['scope'];
  readonly block: RemoteBlock;
}

/** `step`: the block has its result, or the request its decision. `again`: another attempt may follow. */
export type Asked =
  | { readonly kind: 'step'; readonly after?: AfterBlock }
  | { readonly kind: 'again'; readonly why: string; readonly afterMs?: number };

/** What the next step needs, as this call read and wrote it. */
export interface AfterBlock {
  readonly request: ApprovalRequest;
  readonly progress: EvaluationProgress;
}

/** By another clock, a timer may fire slightly early. */
const AFTER_DEADLINE_MS = 50;

const STEP: Asked = { kind: 'step' };

/** Rejects with the reason of `signal` when that ends the call. */
export async function askBlock(
  context: ServiceContext,
  requestId: string,
  { signal, ...ref }: BlockRef & { readonly signal: AbortSignal },
): Promise<Asked> {
  const closed = new AbortController();
  const consider = (current: ApprovalRequest | undefined) => {
    if (!current || isTerminal(current.state))
      closed.abort(new Error('the request is decided, or gone'));
  };
  const look = () => {
    readSettled(context, requestId).then(consider, (error: unknown) => {
      context.logger.warn(
        { err: error, approvalRequest: requestId },
        'could not look at a request',
      );
    });
  };
  // Before the first look at the row, so that no decision is missed. News of other processes,
  // and of many requests at once, come without the row.
  const unsubscribe = context.changes.subscribe(requestId, (snapshot) => {
    if (snapshot) consider(snapshot);
    else look();
  });
  try {
    return await askWhileOpen(context, requestId, {
      ...ref,
      signal: AbortSignal.any([signal, closed.signal]),
      look,
    });
  } catch (error) {
    if (closed.signal.aborted && !signal.aborted) return STEP;
    throw error;
  } finally {
    unsubscribe();
  }
}

interface WhileOpen {
  readonly signal: AbortSignal;
  /** Ends the call if the request is no longer open. */
  readonly look: () => void;
}

async function askWhileOpen(
  context: ServiceContext,
  requestId: string,
  { scope, blockId, signal, look }: BlockRef & WhileOpen,
): Promise<Asked> {
  const found = await blockToAsk(context, requestId, { scope, blockId });
  if (!found) return STEP;
  const { block } = found;
  const attempt = await beginAttempt(context.db, {
    ...{ requestId, scope, blockId },
    contentHash: block.content_hash,
    deliveryId: v7(),
    maxAttempts: block.max_attempts,
    leaseMs: leaseOf(block),
  });
  const { request } = found;
  if (!attempt) return await withoutAttempt(context, { request, scope, block });
  const { organizationId } = request;
  const facts = conditionFacts(request);
  const timeoutMs = timeoutOf(block);
  const question = { ...found, ...attempt, organizationId, scope, facts, timeoutMs, signal };
  const endsBy = performance.now() + attempt.msLeft;
  const deadline = setTimeout(look, attempt.msLeft + AFTER_DEADLINE_MS);
  try {
    const reply = await askRemote(context, question);
    return await recordAttempt(context, { ...found, ...attempt, scope, endsBy }, reply);
  } finally {
    clearTimeout(deadline);
  }
}

/** Undefined when the request is no longer evaluated. */
async function blockToAsk(
  { db }: ServiceContext,
  requestId: string,
  { scope, blockId }: BlockRef,
): Promise<(Pick<BlockCall, 'request' | 'block'> & { readonly revision: number }) | undefined> {
  const request = (await findRequest(db, requestId))?.request;
  if (request?.state !== 'evaluating') return undefined;
  const revisionId =
    scope === 'agent' ? request.agentPipelineRevisionId : request.organizationPipelineRevisionId;
  const pipeline =
    revisionId === undefined ? undefined : await loadCompiledPipeline(db, revisionId);
  const block = pipeline?.remote.get(blockId)?.block;
  if (!pipeline || !block)
    throw new Error(`the ${scope} pipeline has no block ${blockId} that can be asked`);
  return { request, block, revision: pipeline.revision };
}

/** After an attempt that could not begin. */
async function withoutAttempt(
  context: ServiceContext,
  { request, scope, block }: Pick<BlockCall, 'request' | 'scope' | 'block'>,
): Promise<Asked> {
  const ref = { scope, blockId: block.id };
  const requestId = request.id;
  const state = await findAskingState(context.db, requestId, ref);
  if (!state || state.hasResult) return STEP;
  if (state.leasedMs > 0)
    return { kind: 'again', why: 'attempt_under_way', afterMs: state.leasedMs };
  if (state.attempt < block.max_attempts) return { kind: 'again', why: 'attempt_ended' };
  // The last attempt ended without a word, as with a killed worker.
  const result = { errorCode: 'attempts_exhausted' } as const;
  const { attempt } = state;
  await context.db.transaction(async (trx) => {
    const now = await endAttempt(trx, { requestId, ...ref, attempt, result, pauseMs: 0 });
    if (now) await insertAsked(trx, { request, ...ref, attempt, now }, eventData(result, {}));
  });
  return STEP;
}

/** Writes down what came of the attempt. Another one follows a failure that may pass. */
async function recordAttempt(
  context: ServiceContext,
  call: BlockCall,
  reply: BlockReply,
): Promise<Asked> {
  const { request, scope, block, attempt } = call;
  const ref = { scope, blockId: block.id };
  const counted = counting(request.previousMetadata, ref, reply.result);
  const { result, previousMetadata } = counted;
  context.metrics.blockAttempts.inc({
    type: block.type,
    result: 'outcome' in result ? result.outcome : result.errorCode,
  });
  const goesOn = reply.mayPass === true && attempt < block.max_attempts && isInTime(call, reply);
  const pauseMs = goesOn ? Math.min(reply.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS) : 0;
  const isWritten = await context.db.transaction(async (trx) => {
    await reply.keep?.(trx);
    const now = await endAttempt(trx, {
      ...{ requestId: request.id, ...ref, attempt, previousMetadata },
      ...(!goesOn && { result }),
      pauseMs: goesOn ? Math.max(pauseMs, pauseAfter(attempt)) : 0,
    });
    if (!now) return false;
    await insertAsked(trx, { request, ...ref, attempt, now }, eventData(result, reply.observed));
    if (reply.event) await insertEvent(trx, { request, now }, reply.event);
    return true;
  });
  if (!goesOn) return isWritten ? { kind: 'step', after: afterBlock(request, ref, counted) } : STEP;
  const why = 'errorCode' in result ? result.errorCode : 'no_answer';
  return { kind: 'again', why, ...(pauseMs > 0 && { afterMs: pauseMs }) };
}

/** Another attempt can begin before the deadline. Otherwise the block fails now, and a person still has time. */
function isInTime({ attempt, endsBy }: BlockCall, { retryAfterMs = 0 }: BlockReply): boolean {
  return performance.now() + Math.max(retryAfterMs, pauseAfter(attempt)) < endsBy;
}

function afterBlock(
  request: ApprovalRequest,
  ref: BlockRef,
  { result, previousMetadata = request.previousMetadata }: ReturnType<typeof counting>,
): AfterBlock {
  return { request, progress: { last: { ...ref, result: asStored(result) }, previousMetadata } };
}

interface AskedEvent extends BlockRef {
  readonly request: Pick<ApprovalRequest, 'id' | 'organizationId'>;
  readonly attempt: number;
  readonly now: Date;
}

async function insertAsked(
  trx: Trx,
  { request, scope, blockId, attempt, now }: AskedEvent,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const about = { scope, block_id: blockId, attempt };
  await insertEvent(trx, { request, now }, { verb: 'block_asked', data: { ...about, ...data } });
}

async function insertEvent(
  trx: Trx,
  { request, now }: Pick<AskedEvent, 'request' | 'now'>,
  { verb, data }: NonNullable<BlockReply['event']>,
): Promise<void> {
  const event = requestEvent(request.id, verb, data);
  await insertAuditEvents(trx, request.organizationId, { events: [event], occurredAt: now });
}

function eventData(
  result: RemoteResult,
  observed: BlockReply['observed'] = {},
): Readonly<Record<string, unknown>> {
  return 'outcome' in result
    ? { ...observed, outcome: result.outcome }
    : { ...observed, ...errorOf(result) };
}
