/** What `temporal/workflow-thread.ts` relies on in the SDK. A failure says what an upgrade changed. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { appForFile } from '../support/scene.ts';
import { createAgent, createOrganization } from '../support/scene/factories.ts';
import { ask, handleOf, waiting } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';

const app = await appForFile({ temporal: true });

test('workflows run in a thread that records no stack traces', async () => {
  const agent = await createAgent(app, await createOrganization(app));
  const id = await ask(app, agent);
  const trace = async () =>
    await handleOf(app, id)
      .query<string>('__stack_trace')
      .catch((error: unknown) => String(error));
  await until('the workflow runs', async () => !(await trace()).includes('NotFound'));
  expect(await trace()).toContain('stack traces are not enabled on this worker');
  // Its scopes use Node's own hooks, which stay.
  await waiting(app, id);
});

/** Whether the SDK sets promise hooks in a thread of its own. Otherwise the file has nothing left to do. */
test('the SDK would record them, so the switch is still needed', async () => {
  const shared = createRequire(import.meta.url).resolve(
    '@temporalio/worker/lib/workflow/vm-shared.js',
  );
  const thread = new Worker(
    `const { globalHandlers } = require(${JSON.stringify(shared)});
     globalHandlers.install();
     require('node:worker_threads').parentPort.postMessage(globalHandlers.promiseHookInstalled);`,
    { eval: true },
  );
  expect(await once(thread, 'message')).toEqual([true]);
  await thread.terminate();
});
