/** The step of a request as the workflow calls it. */
import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../src/domain/errors.ts';
import { stepRequest, type RequestStep } from '../src/services/requests/step.ts';
import type { ServiceContext } from '../src/services/context.ts';
import { NO_PATH, type StepResult } from '../workflows/approval-request/contract.ts';

export function approvalRequestActivities(context: ServiceContext) {
  return {
    /**
     * `floor`: the workflow's time in epoch milliseconds. The row's clock is never behind it.
     * Idempotent.
     */
    async stepApprovalRequest(id: string, floor: number): Promise<StepResult> {
      try {
        return toResult(await stepRequest(context, id, { floor: new Date(floor), by: 'workflow' }));
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

function toResult(step: RequestStep): StepResult {
  if (step.kind === 'done') return step;
  const { kind, until, summary, details, path = NO_PATH } = step;
  return { kind, until: until.getTime(), summary, details, path };
}

/** Retries only failures that may pass by themselves. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind === 'unavailable' || error.kind === 'limited')
    return error;
  return ApplicationFailure.nonRetryable(error.message, error.code);
}
