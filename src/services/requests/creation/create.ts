/**
 * An adapter creates a request: insert the row, start its workflow or run its rules here, wait for
 * the pipeline within the create budget.
 */
import { v7 } from 'uuid';
import { insertRequest } from '../../../data/requests/engine/insert.ts';
import { findReachedCap } from '../../../data/requests/pending-caps.ts';
import { exemptFromPendingCap } from '../../../data/requests/wake.ts';
import { findByIdempotencyKey } from '../../../data/requests/read.ts';
import { isWithdrawn, lockAgainstWithdrawals } from '../../../data/requests/withdrawn-keys.ts';
import { isTerminal, type ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import {
  planCreate,
  type CreateAct,
  type NewApprovalRequest,
} from '../../../domain/requests/engine/create.ts';
import type { AgentPrincipal } from '../../../domain/people/authorization.ts';
import { parseDuration } from '../../../domain/durations.ts';
import { AppError } from '../../../domain/errors.ts';
import type { JsonText } from '../../../platform/json/exact-json.ts';
import type { Db } from '../../../platform/postgres.ts';
import type { ServiceContext, WaitingContext } from '../../context.ts';
import { judge, learnRules } from './inline-rules.ts';
import { findEqualCall } from './resume.ts';
import { isSameInput } from './same-input.ts';
import { quotaExceeded, requireNotRefused } from '../pending-caps.ts';
import { readSettled } from '../../engine/settle.ts';
import { requireUsableCredential } from '../../sign-in/authentication.ts';
import { startAfterStep, startWorkflow, WORKFLOW_NOT_STARTED } from './start.ts';
import { parkWait, type ParkedWait } from '../waiting/wait.ts';

export interface CreateInput {
  readonly tool: string;
  readonly server?: string | undefined;
  readonly arguments: JsonText;
  readonly agent_reasoning?: JsonText | undefined;
  readonly context?: JsonText | undefined;
  readonly timeout: string;
  /** An equal request that is open, or approved and not started, is returned instead of a new one. */
  readonly resume?: boolean | undefined;
}

export interface CreateCall {
  readonly input: CreateInput;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export interface CreateOutcome {
  readonly request: ApprovalRequest;
  /** False when `request` was there before: the key was used, or an equal call continues. */
  readonly created: boolean;
}

/**
 * Throws `idempotency_conflict`, `request_withdrawn` for a key that was withdrawn, `quota_exceeded` when
 * too many requests of the organization wait for people, and what `authenticate` throws when the agent
 * or its credential ended meanwhile.
 */
export async function createRequest(
  context: WaitingContext,
  principal: AgentPrincipal,
  call: CreateCall,
): Promise<CreateOutcome> {
  const input = toNewRequest(call);
  const { signal } = call;
  const judged =
    context.inlineRules && (await judge(context, context.inlineRules, { principal, input }));
  const act = { principal, input, judged };
  const written =
    call.input.resume === true
      ? await resumeOrWrite(context, act)
      : await writeOrFind(context, act, context.db);
  if ('resumed' in written)
    return { request: await rejoin(context, written.resumed, signal), created: false };
  if ('original' in written) {
    const { original } = written;
    return { request: await replay(context, original, { input, signal }), created: false };
  }
  const { created } = written;
  context.metrics.requestsCreated.inc();
  if (isTerminal(created.state)) {
    context.metrics.requestsDecided.inc({ status: created.state, channel: 'pipeline' });
    return { request: created, created: true };
  }
  const request = await awaitVerdict(context, created, {
    signal,
    begin: async () => {
      if (context.inlineRules) await startAfterStep(context, created, judged);
      else await startWorkflow(context, created);
    },
  });
  return { request, created: true };
}

/** A write that meets the withdrawal of another key, or whose original a cap removes, is made again. */
const MOST_WRITES = 5;
/** Later ones lock first. So no number of withdrawals makes them all fail. */
const WRITES_WITHOUT_LOCKS = 2;

type Written =
  | { readonly created: ApprovalRequest }
  /** The key was used before. */
  | { readonly original: ApprovalRequest };

/** Throws what `writeOrFind` throws. */
async function resumeOrWrite(
  context: WaitingContext,
  act: Omit<CreateAct, 'decisionId'>,
): Promise<Written | { readonly resumed: ApprovalRequest }> {
  const { principal, input } = act;
  return await context.db.transaction(async (trx) => {
    const resumed = await findEqualCall(trx, context, { principal, input });
    // The key first: it always gets its own request.
    const original = await findByIdempotencyKey(trx, principal.instanceId, input.idempotencyKey);
    if (original) return { original };
    return resumed ? { resumed } : await writeOrFind(context, act, trx);
  });
}

/** Throws `request_withdrawn`, and what `createRequest` throws for an agent that ended and a cap. */
async function writeOrFind(
  context: WaitingContext,
  act: Omit<CreateAct, 'decisionId'>,
  db: Db,
): Promise<Written> {
  const { limits } = context;
  const { principal, input } = act;
  const { instanceId: instance } = principal;
  for (let writes = 1; ; writes += 1) {
    const created =
      writes <= WRITES_WITHOUT_LOCKS
        ? await write(context, act, db)
        : await db.transaction(async (trx) => {
            await lockAgainstWithdrawals(trx, principal);
            return await write(context, act, trx);
          });
    if (created) return { created };
    const original = await findByIdempotencyKey(db, instance, input.idempotencyKey);
    if (original) return { original };
    await requireUsableCredential(db, principal.credentialId);
    if (await isWithdrawn(db, { instance, key: input.idempotencyKey }))
      throw new AppError('request_withdrawn');
    const reached = await findReachedCap(db, principal, limits.pendingRequests);
    if (reached || writes === MOST_WRITES) throw quotaExceeded(context, principal, reached);
  }
}

/** Undefined when the key was used before, and when the agent or its credential ended meanwhile. */
async function write(
  { inlineRules }: Pick<ServiceContext, 'inlineRules'>,
  act: Omit<CreateAct, 'decisionId'>,
  db: Db,
): Promise<ApprovalRequest | undefined> {
  let inserted = await insertRequest(db, planCreate({ ...act, decisionId: v7() }));
  // The verdict is of rules that were replaced meanwhile. A step evaluates the active ones.
  if (!inserted.isCurrent)
    inserted = await insertRequest(db, planCreate({ ...act, judged: undefined, decisionId: v7() }));
  if (inlineRules) learnRules(inlineRules, act.principal, inserted.active);
  return inserted.request;
}

interface Awaiting {
  readonly signal: AbortSignal;
  readonly begin: (wait: ParkedWait) => Promise<void>;
}

/**
 * The request once the pipeline has concluded, or `pending` when the budget runs out or `begin`
 * fails. The wait is registered after the insert (an id without a row reads as refused by the cap)
 * and before `begin`, so that it misses no change.
 */
async function awaitVerdict(
  context: WaitingContext,
  created: ApprovalRequest,
  { signal, begin }: Awaiting,
): Promise<ApprovalRequest> {
  const { id } = created;
  const wait = parkWait(context, id, {
    ms: context.limits.createBudgetMs,
    signal,
    until: (request) => request.state !== 'evaluating',
  });
  try {
    const begun = begin(wait).then(
      () => wait.outcome,
      (error: unknown) => {
        context.logger.warn({ err: error, approvalRequest: id }, WORKFLOW_NOT_STARTED);
        return 'undecided' as const;
      },
    );
    const outcome = await Promise.race([wait.outcome, begun]);
    const request =
      outcome === 'undecided' ? await readBeforeVerdict(context, id, signal) : outcome;
    return await requireNotRefused(context, created, request);
  } finally {
    wait.leave();
    context.workflowSync.created.delete(id);
  }
}

/**
 * The pipeline takes longer than the budget: the caller gets `pending` now, and the cap no longer
 * applies. A caller that hung up gets no response, so the cap still applies to its request.
 */
async function readBeforeVerdict(
  context: WaitingContext,
  id: string,
  signal: AbortSignal,
): Promise<ApprovalRequest | undefined> {
  const stillExists = signal.aborted || (await exemptFromPendingCap(context.db, id));
  return stillExists ? await readSettled(context, id) : undefined;
}

async function replay(
  context: WaitingContext,
  original: ApprovalRequest,
  { input, signal }: { readonly input: NewApprovalRequest; readonly signal: AbortSignal },
): Promise<ApprovalRequest> {
  if (!(await isSameInput(context, original, input))) throw new AppError('idempotency_conflict');
  return await rejoin(context, original, signal);
}

/** Waits for the pipelines, as the create of the request does. */
async function rejoin(
  context: WaitingContext,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalRequest> {
  return await awaitVerdict(context, request, {
    signal,
    begin: async (wait) => {
      wait.look();
    },
  });
}

/** AAP lets a provider shorten what was asked for. `timeout` still says it. */
const LONGEST_WAIT_MS = 168 * 3_600_000;

function toNewRequest({ input, idempotencyKey }: CreateCall): NewApprovalRequest {
  return {
    id: v7(),
    tool: input.tool,
    ...(input.server !== undefined && { server: input.server }),
    arguments: input.arguments,
    ...(input.agent_reasoning && { agentReasoning: input.agent_reasoning }),
    ...(input.context && { context: input.context }),
    timeout: input.timeout,
    timeoutMs: Math.min(parseDuration(input.timeout) ?? 0, LONGEST_WAIT_MS),
    idempotencyKey,
  };
}
