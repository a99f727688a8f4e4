/** Starts the workflow of a request that was just created, with inline rules after its first step. */
import {
  isTerminal,
  type ApprovalRequest,
  type RuleRevisions,
  type TerminalState,
} from '../../../domain/requests/approval-requests.ts';
import type { Judged } from '../../../domain/requests/engine/create.ts';
import type { RequestStep } from '../../../domain/requests/engine/step.ts';
import type { Runtime, ServiceContext } from '../../context.ts';
import { stepCreated } from '../../engine/step.ts';
import type { StartOptions, WorkflowSubject } from '../../ports.ts';

/** For the log. */
export const WORKFLOW_NOT_STARTED = 'workflow not started; the reconciler will start it';

/**
 * Less than the row's early wake-up (3 s). Until then, another process that finds no workflow leaves
 * the decision to the reconciler.
 */
const LATE_START_MS = 2_000;

export async function startWorkflow(runtime: Runtime, created: ApprovalRequest): Promise<void> {
  runtime.workflowSync.created.set(created.id, created);
  await startUnlessDecided(runtime, subjectOf(created));
}

/**
 * The first step, with what was judged before the request was written. Its workflow starts once the step is over. A failure
 * leaves the step to the reconciler. The call still waits for it, because a response before the step would let the request in
 * without a look at the cap.
 */
export async function startAfterStep(
  context: ServiceContext,
  created: ApprovalRequest,
  judged: Judged | undefined,
): Promise<void> {
  try {
    const isCurrent = judged && areSame(judged.rules, created);
    const step = await stepCreated(context, created, isCurrent ? judged.evaluated : undefined);
    if (step.kind !== 'done') startLater(context, subjectOf(created), step);
  } catch (error) {
    context.logger.warn(
      { err: error, approvalRequest: created.id },
      'a first step failed; the reconciler will take it',
    );
  }
}

function areSame(one: RuleRevisions, other: RuleRevisions): boolean {
  return (
    one.organizationPipelineRevisionId === other.organizationPipelineRevisionId &&
    one.agentPipelineRevisionId === other.agentPipelineRevisionId
  );
}

type OpenStep = Exclude<RequestStep, { readonly kind: 'done' }>;

/** No call waits for the start. */
function startLater(runtime: Runtime, subject: WorkflowSubject, step: OpenStep): void {
  beginWorkflow(runtime, subject, step).catch((error: unknown) => {
    if (!runtime.stopping.aborted)
      runtime.logger.warn({ err: error, approvalRequest: subject.id }, WORKFLOW_NOT_STARTED);
  });
}

/**
 * Starts the workflow: with its first wait, or with the step that says what to ask. Until the start
 * is known, the row wakes the reconciler early.
 */
async function beginWorkflow(
  runtime: Runtime,
  subject: WorkflowSubject,
  step: OpenStep,
): Promise<void> {
  const { id } = subject;
  const asked = performance.now();
  const wait = step.kind === 'wait' ? step : undefined;
  const status = await startUnlessDecided(runtime, subject, wait ? { wait } : {});
  const isLate = performance.now() - asked > LATE_START_MS;
  if (status === undefined) {
    if (wait)
      runtime.workflowSync.started.set(id, { wakeAt: wait.wakeAt, until: wait.until, isLate });
  }
  // A signal may have come before the workflow was running.
  else if (await runtime.workflows.signal(id, 'decision', status))
    runtime.workflowSync.finished.add(id);
}

/** What a start that waits for its turn keeps. A whole request may hold a megabyte. */
function subjectOf({ id, organizationId, agentSlug, tool }: WorkflowSubject): WorkflowSubject {
  return { id, organizationId, agentSlug, tool };
}

/**
 * Returns the final state if the request was decided meanwhile. A start that still waits for its turn is
 * then given up.
 */
async function startUnlessDecided(
  { changes, workflows }: Runtime,
  subject: WorkflowSubject,
  options: Omit<StartOptions, 'over'> = {},
): Promise<TerminalState | undefined> {
  const over = new AbortController();
  const decided: TerminalState[] = [];
  const unsubscribe = changes.subscribe(subject.id, (snapshot) => {
    if (!snapshot || !isTerminal(snapshot.state)) return;
    decided.push(snapshot.state);
    over.abort();
  });
  try {
    await workflows.start(subject, { ...options, over: over.signal });
  } catch (error) {
    if (decided.length === 0) throw error;
  } finally {
    unsubscribe();
  }
  return decided[0];
}
