/** Tells a request's workflow to look again, without making anybody wait: a lost signal is the backstop's to mend. */
import type { ServiceContext } from '../context.ts';
import type { WorkflowSignal } from '../ports.ts';

export function signalLater(context: ServiceContext, id: string, signal: WorkflowSignal): void {
  context.workflows.signal(id, signal).catch((error: unknown) => {
    context.logger.warn({ err: error, approvalRequest: id, signal }, 'signal not delivered; the backstop will');
  });
}
