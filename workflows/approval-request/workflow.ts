/**
 * The clock of one approval request: a loop around one step that reads and writes the row. It holds no fact of its own,
 * so it can be started again at any time; it never fails and never ends before it has seen the final answer.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  log,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { ATTRIBUTE, SIGNALS, type StepResult } from './contract.ts';

const { stepApprovalRequest } = proxyLocalActivities<Pick<Activities, 'stepApprovalRequest'>>({
  startToCloseTimeout: '30s',
  localRetryThreshold: '1s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' },
  summary: 'lock, settle, act, plan',
});

const SHORTEST_WAIT_MS = 250;
const UNFORESEEN_PAUSE_MS = 60_000;

export async function approvalRequest(id: string): Promise<StepResult> {
  let changed = false;
  for (const name of SIGNALS) {
    setHandler(defineSignal(name), () => {
      changed = true;
    });
  }
  return await CancellationScope.nonCancellable(async () => {
    let shownPath: string | undefined;
    for (;;) {
      // Cleared before the step, never after: what arrives while it runs asks for another one.
      changed = false;
      const result = await stepOrPause(id);
      if (result?.kind === 'done') {
        if (!result.automatic && result.status !== undefined) upsertSearchAttributes({ [ATTRIBUTE.status]: [result.status] });
        setCurrentDetails(`**${result.status ?? 'gone'}**`);
        return result;
      }
      if (result === undefined) continue;
      if (shownPath !== result.path) {
        shownPath = result.path;
        upsertSearchAttributes({ [ATTRIBUTE.status]: ['pending'], [ATTRIBUTE.path]: [result.path] });
      }
      setCurrentDetails(result.details);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof approvalRequest>(id);
      await condition(() => changed, Math.max(SHORTEST_WAIT_MS, result.until - Date.now()), { summary: result.summary });
    }
  });
}

/** Undefined after a failure no retry mends (a defect of ours): try again in a while rather than end. */
async function stepOrPause(id: string): Promise<StepResult | undefined> {
  try {
    return await stepApprovalRequest(id, Date.now());
  } catch (error) {
    log.error('a step failed for good; trying again in a minute', { error });
    await sleep(UNFORESEEN_PAUSE_MS, { summary: 'a step failed for good: pause before the next try' });
    return undefined;
  }
}
