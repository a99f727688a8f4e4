/**
 * The work that follows a recorded answer, after its commit: metrics, waiting callers, and the
 * workflow.
 */
import type { ApprovalRequest, TerminalState } from '../../domain/requests/approval-requests.ts';
import type { Runtime } from '../context.ts';
import type { WorkflowSignal } from '../ports.ts';

/** `signal`: why the workflow should look. Absent when its own step decided. */
export function announceDecided(
  runtime: Runtime,
  decided: ApprovalRequest,
  signal?: WorkflowSignal,
): void {
  const { id, decision } = decided;
  if (decision)
    runtime.metrics.requestsDecided.inc({ status: decision.status, channel: decision.channel });
  // The create call usually waits in this process, so a rule's verdict needs no NOTIFY.
  runtime.changes.publish(id, decided, { unlessHeard: decision?.channel === 'pipeline' });
  if (signal) signalLater(runtime, { id, signal });
}

/** A change of an open request that reviewers and its workflow should notice. */
export function announceChanged(runtime: Runtime, id: string, signal: WorkflowSignal): void {
  runtime.changes.publish(id);
  signalLater(runtime, { id, signal });
}

/** A delay, so that answers to clients go out first. The workflow only has to end. */
const SIGNAL_DELAY_MS = 10;

/** The reconciler makes up for a lost signal. */
function signalLater(
  runtime: Runtime,
  { id, signal }: { readonly id: string; readonly signal: WorkflowSignal },
): void {
  setTimeout(() => {
    runtime.workflows.signal(id, signal).catch((error: unknown) => {
      runtime.logger.warn(
        { err: error, approvalRequest: id, signal },
        'signal not delivered; the reconciler will',
      );
    });
  }, SIGNAL_DELAY_MS);
}

/** The same for many requests that got the same answer at once. */
export function announceEach(
  runtime: Runtime,
  ids: readonly string[],
  {
    status,
    channel,
    signal,
  }: { readonly status: TerminalState; readonly channel: string; readonly signal: WorkflowSignal },
): void {
  if (ids.length === 0) return;
  runtime.metrics.requestsDecided.inc({ status, channel }, ids.length);
  for (const id of ids) runtime.changes.publish(id);
  signalEachLater(runtime, ids, signal);
}

/**
 * Signals some of the requests whose steps became due; the reconciler steps the others within
 * seconds.
 */
const SIGNALLED_AT_MOST = 50;

/** The steps of these requests just became due. Their workflows are faster than the reconciler. */
export function announceDue(runtime: Runtime, ids: readonly string[]): void {
  if (ids.length > 0) signalEachLater(runtime, ids.slice(0, SIGNALLED_AT_MOST), 'changed');
}

function signalEachLater(runtime: Runtime, ids: readonly string[], signal: WorkflowSignal): void {
  setTimeout(() => {
    signalInTurn(runtime, ids, signal).catch((error: unknown) => {
      runtime.logger.warn(
        { err: error, approvalRequests: ids.length, signal },
        'signals not delivered; the reconciler will',
      );
    });
  }, SIGNAL_DELAY_MS);
}

/** One at a time, stopping at the first failure: these signals share Temporal with other calls. */
async function signalInTurn(
  runtime: Runtime,
  ids: readonly string[],
  signal: WorkflowSignal,
): Promise<void> {
  for (const id of ids) await runtime.workflows.signal(id, signal);
}
