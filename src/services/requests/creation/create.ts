/**
 * An adapter creates a request: insert the row, start its workflow or run its rules here, wait for
 * the pipeline within the create budget.
 */
import { v7 } from 'uuid';
import {
  admitRequest,
  insertRequest,
  type NewApprovalRequest,
} from '../../../data/requests/create.ts';
import { findReachedCap } from '../../../data/requests/pending-caps.ts';
import { findByIdempotencyKey } from '../../../data/requests/read.ts';
import type { ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import type { AgentPrincipal } from '../../../domain/people/authorization.ts';
import { parseDuration } from '../../../domain/durations.ts';
import { AppError } from '../../../domain/errors.ts';
import type { JsonText } from '../../../platform/json/exact-json.ts';
import type { ServiceContext } from '../../context.ts';
import { decideInline, stepInline, WORKFLOW_NOT_STARTED } from './inline-rules.ts';
import { isSameInput } from './same-input.ts';
import { quotaExceeded, requireNotRefused } from '../pending-caps.ts';
import { readSettled } from '../../engine/settle.ts';
import { requireUsableCredential } from '../../sign-in/authentication.ts';
import { startUnlessAnswered, subjectOf } from './start.ts';
import { parkWait, type ParkedWait } from '../waiting/wait.ts';

export interface CreateInput {
  readonly tool: string;
  readonly server?: string | undefined;
  readonly arguments: JsonText;
  readonly agent_reasoning?: JsonText | undefined;
  readonly context?: JsonText | undefined;
  readonly timeout: string;
}

export interface CreateCall {
  readonly input: CreateInput;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export interface CreateOutcome {
  readonly request: ApprovalRequest;
  /** False when the key was used before; `request` is then the original one. */
  readonly created: boolean;
}

/**
 * Throws `idempotency_conflict`, `quota_exceeded` when too many requests of the organization wait
 * for people, and what `authenticate` throws when the agent or its credential ended meanwhile.
 */
export async function createRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  call: CreateCall,
): Promise<CreateOutcome> {
  const input = toNewRequest(call);
  const { inlineRules } = context;
  const inline = inlineRules && (await decideInline(context, inlineRules, { principal, input }));
  if (inline?.decided) return { request: inline.decided, created: true };
  const created = inline?.isRefused ? undefined : await insertRequest(context.db, principal, input);
  if (!created)
    return {
      request: await replay(context, principal, { input, signal: call.signal }),
      created: false,
    };
  context.metrics.requestsCreated.inc();
  const request = await awaitVerdict(context, created, {
    signal: call.signal,
    begin: async () => {
      if (inlineRules) await stepInline(context, inlineRules, { created, judged: inline?.judged });
      else await startUnlessAnswered(context, subjectOf(created));
    },
  });
  return { request, created: true };
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
  context: ServiceContext,
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
        return 'no_answer' as const;
      },
    );
    const outcome = await Promise.race([wait.outcome, begun]);
    const request =
      outcome === 'no_answer' ? await readBeforeVerdict(context, id, signal) : outcome;
    return await requireNotRefused(context, created, request);
  } finally {
    wait.leave();
  }
}

/**
 * The pipeline takes longer than the budget: the caller gets `pending` now, and the cap no longer
 * applies. A caller that hung up gets no response, so the cap still applies to its request.
 */
async function readBeforeVerdict(
  context: ServiceContext,
  id: string,
  signal: AbortSignal,
): Promise<ApprovalRequest | undefined> {
  const isAdmitted = signal.aborted || (await admitRequest(context.db, id));
  return isAdmitted ? await readSettled(context, id) : undefined;
}

async function replay(
  context: ServiceContext,
  principal: AgentPrincipal,
  { input, signal }: { readonly input: NewApprovalRequest; readonly signal: AbortSignal },
): Promise<ApprovalRequest> {
  const original = await findByIdempotencyKey(
    context.db,
    principal.instanceId,
    input.idempotencyKey,
  );
  if (!original) {
    await requireUsableCredential(context.db, principal.credentialId);
    // A cap refused it between our insert and this read.
    throw quotaExceeded(
      context,
      principal,
      await findReachedCap(context.db, principal, context.limits.pendingRequests),
    );
  }
  if (!(await isSameInput(context, original, input))) throw new AppError('idempotency_conflict');
  return await awaitVerdict(context, original, {
    signal,
    begin: async (wait) => {
      wait.look();
    },
  });
}

function toNewRequest({ input, idempotencyKey }: CreateCall): NewApprovalRequest {
  return {
    id: v7(),
    tool: input.tool,
    ...(input.server !== undefined && { server: input.server }),
    arguments: input.arguments,
    ...(input.agent_reasoning && { agentReasoning: input.agent_reasoning }),
    ...(input.context && { context: input.context }),
    timeout: input.timeout,
    timeoutMs: parseDuration(input.timeout) ?? 0,
    idempotencyKey,
  };
}
