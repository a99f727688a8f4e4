/**
 * Temporal's own cost, in a separate process like the service: client and worker on one connection,
 * and eager start of a workflow with one empty local activity. Measures from the call until the
 * activity ran, and prints one JSON line.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { bundleWorkflows } from '../../temporal/bundle.ts';
import { measure, type Load } from '../frame/load.ts';

export interface FloorActivities {
  nothing(id: string): Promise<void>;
}

const [address = '', namespace = '', loads = '[]'] = process.argv.slice(2);
const arrivals = new Map<string, () => void>();
const activities: FloorActivities = {
  nothing: (id) => {
    arrivals.get(id)?.();
    arrivals.delete(id);
    return Promise.resolve();
  },
};

const connection = await NativeConnection.connect({ address });
const client = new Client({ connection, namespace });
const taskQueue = `floor-${process.pid}`;
const code = await bundleWorkflows(fileURLToPath(new URL('./floor-workflow.js', import.meta.url)));
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowBundle: { code },
  activities,
});
const running = worker.run();

async function startOne(): Promise<void> {
  const id = randomUUID();
  const arrived = new Promise<void>((resolve) => arrivals.set(id, resolve));
  await client.workflow.start('floor', {
    taskQueue,
    workflowId: id,
    args: [id],
    requestEagerStart: true,
  });
  await arrived;
}

await measure(startOne, { callers: 4, calls: 100 });
const results = [];
for (const load of JSON.parse(loads) as Load[]) results.push(await measure(startOne, load));
console.log(JSON.stringify(results));
worker.shutdown();
await running;
await connection.close();
