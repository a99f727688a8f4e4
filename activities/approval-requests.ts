/** The steps of a request, and the calls to other systems, as the workflow makes them. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../src/domain/errors.ts';
import {
  FIRST_PAUSE_MS,
  leaseOf,
  LONGEST_PAUSE_MS,
  longestAsking,
  type BlockRef,
} from '../src/domain/pipelines/remote.ts';
import { askBlock } from '../src/services/engine/ask-block.ts';
import type { RemoteStep, RequestStep } from '../src/domain/requests/engine/step.ts';
import { stepAfterBlock, stepRequest } from '../src/services/engine/step.ts';
import type { AppContext } from '../src/services/context.ts';
import { NO_PATH, type StepResult } from '../src/domain/requests/workflow-contract.ts';

export function approvalRequestActivities(context: AppContext) {
  return {
    /**
     * `floor`: the workflow's time in epoch milliseconds. The row's clock is never before it.
     * Idempotent.
     */
    async stepApprovalRequest(id: string, floor: number): Promise<StepResult> {
      return await resultOf(stepRequest(context, id, { floor: new Date(floor), by: 'workflow' }));
    },
    /**
     * Makes one attempt to ask another system, and the step after it once the block has its
     * result. Rejects when another attempt may follow.
     */
    async askPipelineBlock(id: string, block: BlockRef): Promise<StepResult> {
      const asked = await askBlock(context, id, {
        ...block,
        signal: Context.current().cancellationSignal,
      });
      if (asked.kind === 'again')
        throw ApplicationFailure.create({
          message: asked.why,
          type: asked.why,
          ...(asked.afterMs !== undefined && { nextRetryDelay: asked.afterMs }),
        });
      const { after } = asked;
      return await resultOf(
        after
          ? stepAfterBlock(context, after)
          : stepRequest(context, id, { floor: new Date(0), by: 'workflow' }),
      );
    },
  };
}

async function resultOf(step: Promise<RequestStep>): Promise<StepResult> {
  try {
    return toResult(await step);
  } catch (error) {
    throw toFailure(error);
  }
}

function toResult(step: RequestStep): StepResult {
  if (step.kind === 'done') return step;
  if (step.kind === 'remote') return toRemote(step);
  const { kind, until, summary, details, path = NO_PATH } = step;
  return { kind, until: until.getTime(), summary, details, path };
}

function toRemote({ scope, block, deadlineAt }: RemoteStep): StepResult {
  return {
    kind: 'remote',
    scope,
    block: block.id,
    summary: `${block.type} ${block.name}`,
    attemptMs: leaseOf(block),
    maxAttempts: block.max_attempts,
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    until: Math.min(deadlineAt.getTime(), Date.now() + longestAsking(block)),
  };
}

/** Retries only failures that may pass by themselves. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind === 'unavailable' || error.kind === 'limited')
    return error;
  return ApplicationFailure.nonRetryable(error.message, error.code);
}
