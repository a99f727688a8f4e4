/**
 * Days of a workflow in milliseconds. The SDK wraps none of this yet, so these are raw calls to the
 * server.
 */
import { randomUUID } from 'node:crypto';
import { workflowIdOf } from '../../../temporal/ids.ts';
import type { TestApp } from '../app.ts';
import { clientOf } from '../temporal.ts';
import { until } from '../waiting.ts';

/**
 * Results of the poll. The enums of Temporal's API cannot be imported by name from an ES module.
 */
const COMPLETED = 2;
/** The workflow ended meanwhile. */
const FAILED = 3;

/**
 * Advances the clock of one request's workflow by `hours`. Resolves when the clock is there, or
 * when the workflow has ended meanwhile. Only this clock jumps: activities and the database stay in
 * real time.
 */
export async function fastForward(app: TestApp, requestId: string, hours: number): Promise<void> {
  const client = clientOf(app);
  // With rules at the door, the workflow starts after the response to the create.
  const workflow = client.workflow.getHandle(workflowIdOf(requestId));
  await until('the workflow has started', async () =>
    workflow.describe().then(
      () => true,
      () => false,
    ),
  );
  const { workflowService } = client.connection;
  const { namespace } = client.options;
  const workflowExecution = { workflowId: workflowIdOf(requestId) };
  const id = randomUUID();
  const seconds = Math.round(hours * 3_600) as never;
  await workflowService.updateWorkflowExecutionOptions({
    namespace,
    workflowExecution,
    workflowExecutionOptions: {
      timeSkippingConfig: { enabled: true, fastForwardConfig: { id, duration: { seconds } } },
    },
    updateMask: { paths: ['time_skipping_config'] },
  });
  for (;;) {
    const response = await workflowService.pollWorkflowExecutionTimeSkipping({
      namespace,
      workflowExecution,
      fastForwardId: id,
    });
    const result = Number(response.fastForwardPollingResult);
    if (result === COMPLETED || result === FAILED) return;
  }
}
