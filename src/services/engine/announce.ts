/** What follows the commit of a change: metrics, waiting callers, and the workflow. */
import type { ApprovalRequest, TerminalState } from '../../domain/requests/approval-requests.ts';
import type { Runtime } from '../context.ts';
import type { WorkflowSignal } from '../ports.ts';
import type { Changed } from './drive.ts';

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
  runtime.changes.publish(id, decided, { unlessDelivered: decision?.channel === 'pipeline' });
  if (signal) signalEach(runtime, [id], { signal, status: decision?.status });
}

/** What a call did: a decision, or a change of an open request that reviewers and its workflow should notice. */
export function announceChange(
  runtime: Runtime,
  { effects }: Pick<Changed<unknown>, 'effects'>,
  signal: WorkflowSignal,
): void {
  if (!effects) return;
  const { request } = effects;
  if (!request.decision) announceChanged(runtime, request.id, signal);
  else announceDecided(runtime, request, request.state === 'expired' ? 'changed' : signal);
}

/** A change of an open request that reviewers and its workflow should notice. */
export function announceChanged(runtime: Runtime, id: string, signal: WorkflowSignal): void {
  runtime.changes.publish(id);
  signalEach(runtime, [id], { signal });
}

/** Announces many requests that got the same decision at once. */
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
  signalEach(runtime, ids, { signal, status });
}

/** Most workflows one change signals. The reconciler steps the other requests within seconds. */
const SIGNALLED_AT_MOST = 50;

/** The steps of these requests just became due. Their workflows are faster than the reconciler. */
export function announceDue(runtime: Runtime, ids: readonly string[]): void {
  if (ids.length > 0) signalEach(runtime, ids.slice(0, SIGNALLED_AT_MOST), { signal: 'changed' });
}

interface Announced {
  readonly signal: WorkflowSignal;
  /** Of the committed decision. */
  readonly status?: TerminalState | undefined;
}

/** No call waits for them. The reconciler makes up for lost signals. */
function signalEach(runtime: Runtime, ids: readonly string[], { signal, status }: Announced): void {
  const signalled = ids.map(async (id) => {
    const isRunning = await runtime.workflows.signal(id, signal, status);
    // Another process may be about to start a workflow that is not running yet.
    if (isRunning && status !== undefined) runtime.workflowSync.finished.add(id);
  });
  void Promise.allSettled(signalled).then((outcomes) => {
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    if (!failed[0] || runtime.stopping.aborted) return;
    runtime.logger.warn(
      {
        err: failed[0].reason as unknown,
        approvalRequests: ids.length,
        failed: failed.length,
        signal,
      },
      'signals not delivered; the reconciler will step the requests',
    );
  });
}
