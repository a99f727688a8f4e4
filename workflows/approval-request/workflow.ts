/**
 * The clock of one approval request: a loop around one step that reads and writes the row. It holds
 * no fact of its own, so it can be restarted at any time. It never fails, and never ends before it
 * has seen the final answer.
 */
import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  log,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { ATTRIBUTE, SIGNALS, type StepResult } from './contract.ts';

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
  summary: 'lock, settle, act, plan',
});

const SHORTEST_WAIT_MS = 250;
/**
 * The pause between rounds of tries for failures that may pass by themselves, such as a database
 * that is away.
 */
const RETRY_PAUSE_MS = 5_000;
/** The pause after a failure that no retry fixes: a defect of ours. */
const DEFECT_PAUSE_MS = 60_000;

export async function approvalRequest(id: string): Promise<StepResult> {
  let changed = false;
  for (const name of SIGNALS) {
    setHandler(defineSignal(name), () => {
      changed = true;
    });
  }
  const untilChanged = async (ms: number, summary: string) => {
    await condition(() => changed, ms, { summary });
  };
  return await CancellationScope.nonCancellable(async () => {
    let shownPath: string | undefined;
    for (;;) {
      // Before a step, which is also the first act of the next run, so no signal is lost.
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof approvalRequest>(id);
      // Cleared before the step, never after: a signal during the step asks for another one.
      changed = false;
      const result = await tryStep(id);
      if ('pauseMs' in result) {
        // Cut short like any wait: the signal may announce the final answer, and reading that needs
        // nothing that failed.
        await untilChanged(result.pauseMs, 'pause after a failed step');
        continue;
      }
      if (result.kind === 'done') {
        if (!result.automatic && result.status !== undefined)
          upsertSearchAttributes({ [ATTRIBUTE.status]: [result.status] });
        setCurrentDetails(`**${result.status ?? 'gone'}**`);
        return result;
      }
      if (shownPath !== result.path) {
        shownPath = result.path;
        upsertSearchAttributes({
          [ATTRIBUTE.status]: ['pending'],
          [ATTRIBUTE.path]: [result.path],
        });
      }
      setCurrentDetails(result.details);
      await untilChanged(Math.max(SHORTEST_WAIT_MS, result.until - Date.now()), result.summary);
    }
  });
}

/** A step, or the length of a pause after a failure: no failure may end the workflow. */
async function tryStep(id: string): Promise<StepResult | { readonly pauseMs: number }> {
  try {
    return await stepApprovalRequest(id, Date.now());
  } catch (error) {
    const mayPass =
      error instanceof ActivityFailure && error.retryState !== 'NON_RETRYABLE_FAILURE';
    const pauseMs = mayPass ? RETRY_PAUSE_MS : DEFECT_PAUSE_MS;
    log[mayPass ? 'warn' : 'error']('a step failed; trying again', { error, pauseMs });
    setCurrentDetails(
      `**a step failed**, next try within ${pauseMs / 1_000} s or at the next signal; see the worker's log`,
    );
    return { pauseMs };
  }
}
