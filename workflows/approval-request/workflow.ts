/**
 * The clock of one approval request: a loop around one step that reads and writes the row. It holds
 * no fact of its own but the decision, which never changes. So it can be restarted at any time.
 * It never fails, and never ends before it knows the decision.
 */
import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import {
  ATTRIBUTE,
  FINAL_STATUSES,
  SIGNALS,
  STATUS,
  withoutLacking,
  type Beginning,
  type FinalDecision,
  type StepDone,
  type StepRemote,
  type StepResult,
  type Wait,
} from '../../src/domain/requests/workflow-contract.ts';

const { stepApprovalRequest } = proxyLocalActivities<Pick<Activities, 'stepApprovalRequest'>>({
  startToCloseTimeout: '30s',
  localRetryThreshold: '1s',
  // About 25 seconds, not forever: tries write history and repeat an old `now`. The loop below
  // continues with a new one.
  retry: {
    initialInterval: '200ms',
    backoffCoefficient: 2,
    maximumInterval: '5s',
    maximumAttempts: 10,
  },
  summary: 'view, plan, commit',
});

const SHORTEST_WAIT_MS = 250;
/**
 * The pause between rounds of tries for failures that may pass by themselves, such as a database
 * that is away.
 */
const RETRY_PAUSE_MS = 5_000;
/** The pause after a failure that no retry fixes: a defect of ours. */
const DEFECT_PAUSE_MS = 60_000;

export async function approvalRequest(id: string, beginning?: Beginning): Promise<StepResult> {
  const run: Run = {
    id,
    beginning: beginning ?? {},
    changed: false,
    decided: undefined,
    isStepping: false,
  };
  for (const name of SIGNALS) {
    setHandler(defineSignal<unknown[]>(name), (carried) => {
      run.decided ??= statusIn(carried);
      if (run.decided === undefined) run.changed = true;
    });
  }
  return await CancellationScope.nonCancellable(
    async () => await Promise.race([untilDecided(run), untilDone(run)]),
  );
}

interface Run {
  readonly id: string;
  readonly beginning: Beginning;
  /** A signal asked for another step. */
  changed: boolean;
  /** The final status, which a signal carried. */
  decided: string | undefined;
  /** A step is under way. The run never ends before it does. */
  isStepping: boolean;
}

/** Next to the loop, and leaves its timer running: to cancel it would be one more event. */
async function untilDecided(run: Run): Promise<StepDone> {
  await condition(() => run.decided !== undefined && !run.isStepping);
  return endDecided(run);
}

async function untilDone(run: Run): Promise<StepDone> {
  const { wait, lacking } = run.beginning;
  let shownPath = wait?.path;
  let remote: StepRemote | undefined;
  if (wait) await waitFor(run, wait);
  for (;;) {
    if (run.decided !== undefined) return endDecided(run);
    // Before a step, which is also the first act of the next run, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof approvalRequest>(run.id, { ...(lacking && { lacking }) });
    const result: Tried = remote ? await askBlock(run, remote) : await lookAgain(run);
    remote = undefined;
    if (run.decided !== undefined) continue;
    if ('pauseMs' in result) {
      // Cut short like any wait: the signal may announce the decision, and reading that needs
      // nothing that failed.
      await untilChanged(run, result.pauseMs, 'pause after a failed step');
      continue;
    }
    if (result.kind === 'done') return end(result);
    if (result.kind === 'remote') {
      remote = result;
      continue;
    }
    if (shownPath !== result.path) {
      shownPath = result.path;
      const shown = { [ATTRIBUTE.status]: [STATUS.asked], [ATTRIBUTE.path]: [result.path] };
      const known = withoutLacking(shown, lacking);
      if (Object.keys(known).length > 0) upsertSearchAttributes(known);
    }
    await waitFor(run, result);
  }
}

async function lookAgain(run: Run): Promise<Tried> {
  // Cleared before the step, never after: a signal during the step asks for another one.
  run.changed = false;
  run.isStepping = true;
  const result = await tryStep(run.id);
  run.isStepping = false;
  return result;
}

/**
 * The step after a block that asks another system. A signal that settles nothing keeps waiting for
 * the same call. The end of the workflow leaves the call to end by itself.
 */
async function askBlock(run: Run, remote: StepRemote): Promise<Tried> {
  setCurrentDetails(`asks **${remote.summary}**`);
  const scope = new CancellationScope();
  const asked = scope.run(() => tryAsking(run.id, remote));
  for (;;) {
    const returned = await Promise.race([asked, condition(() => run.changed)]);
    if (returned) return returned;
    const looked = await lookAgain(run);
    if ('kind' in looked && looked.kind === 'remote' && looked.block === remote.block) continue;
    scope.cancel();
    return looked;
  }
}

async function waitFor(run: Run, { until, summary, details }: Wait): Promise<void> {
  setCurrentDetails(details);
  await untilChanged(run, Math.max(SHORTEST_WAIT_MS, until - Date.now()), summary);
}

async function untilChanged(run: Run, ms: number, summary: string): Promise<void> {
  await condition(() => run.changed, ms, { summary });
}

function endDecided(run: Run): StepDone {
  const { decided } = run;
  return end({
    kind: 'done',
    ...(decided !== undefined && { status: decided }),
    automatic: false,
  });
}

function end(done: StepDone): StepDone {
  setCurrentDetails(`**${done.status ?? 'gone'}**`);
  return done;
}

/** Undefined for anything but a decision, such as what an operator sent by hand. */
function statusIn(carried: unknown): string | undefined {
  const { status } = (carried ?? {}) as Partial<FinalDecision>;
  return status !== undefined && FINAL_STATUSES.includes(status) ? status : undefined;
}

/** A step, or the length of a pause after a failure: no failure may end the workflow. */
type Tried = StepResult | { readonly pauseMs: number };

async function tryStep(id: string): Promise<Tried> {
  try {
    return await stepApprovalRequest(id, Date.now());
  } catch (error) {
    return pauseAfter(error, 'a step failed');
  }
}

async function tryAsking(id: string, remote: StepRemote): Promise<Tried> {
  const { scope, block, attemptMs, until, summary } = remote;
  const { askPipelineBlock } = proxyActivities<Pick<Activities, 'askPipelineBlock'>>({
    startToCloseTimeout: attemptMs,
    scheduleToCloseTimeout: Math.max(SHORTEST_WAIT_MS, until - Date.now()),
    retry: {
      initialInterval: remote.firstPauseMs,
      backoffCoefficient: 2,
      maximumInterval: remote.longestPauseMs,
      maximumAttempts: remote.maxAttempts,
    },
    cancellationType: 'TRY_CANCEL',
    summary,
  });
  try {
    return await askPipelineBlock(id, { scope, blockId: block });
  } catch (error) {
    // Whatever was recorded, the next step continues after it.
    return pauseAfter(error, `asking ${summary} failed`);
  }
}

function pauseAfter(error: unknown, what: string): { readonly pauseMs: number } {
  const mayPass = error instanceof ActivityFailure && error.retryState !== 'NON_RETRYABLE_FAILURE';
  const pauseMs = mayPass ? RETRY_PAUSE_MS : DEFECT_PAUSE_MS;
  log[mayPass ? 'warn' : 'error'](`${what}; trying again`, { error, pauseMs });
  setCurrentDetails(
    `**${what}**, next try within ${pauseMs / 1_000} s or at the next signal; see the worker's log`,
  );
  return { pauseMs };
}
