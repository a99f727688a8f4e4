/** What a recorded answer sets in motion, after its commit: the count, everybody who waits for it, and its workflow. */
import type { ApprovalRequest } from '../../domain/approval-requests.ts';
import type { ServiceContext } from '../context.ts';
import type { WorkflowSignal } from '../ports.ts';

/** `signal`: why the workflow should look; absent when its own step decided. */
export function announceDecided(context: ServiceContext, decided: ApprovalRequest, signal?: WorkflowSignal): void {
  const { id, decision } = decided;
  if (decision) context.metrics.requestsDecided.inc({ status: decision.status, channel: decision.channel });
  // A rule's verdict is awaited by the call that asked, which is most often here: one statement less for each create.
  context.changes.publish(id, decided, { unlessHeard: decision?.channel === 'pipeline' });
  if (signal) signalLater(context, { id, signal });
}

/** Lets the answers to the caller and to those who wait go out first: the workflow only has to end. */
const SIGNAL_DELAY_MS = 10;

/** A lost signal is the backstop's to mend. */
function signalLater(context: ServiceContext, { id, signal }: { readonly id: string; readonly signal: WorkflowSignal }): void {
  setTimeout(() => {
    context.workflows.signal(id, signal).catch((error: unknown) => {
      context.logger.warn({ err: error, approvalRequest: id, signal }, 'signal not delivered; the backstop will');
    });
  }, SIGNAL_DELAY_MS);
}
