/**
 * Temporal's own cost: client and worker on one connection, and the eager start of a workflow with
 * one empty local activity. Measured from the call until the activity has run.
 */
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { bundleWorkflows } from '../../temporal/bundle.ts';
import { DECISION, type Peer, type PeerOptions } from './peer.ts';

export interface FloorActivities {
  nothing(id: string): Promise<void>;
}

export async function startFloor({ temporalAddress: address }: PeerOptions): Promise<Peer> {
  const arrivals = new Map<string, () => void>();
  const activities: FloorActivities = {
    nothing: (id) => {
      arrivals.get(id)?.();
      arrivals.delete(id);
      return Promise.resolve();
    },
  };
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const taskQueue = `floor-${process.pid}`;
  const workflows = fileURLToPath(new URL('./floor-workflow.js', import.meta.url));
  const worker = await Worker.create({
    ...{ connection, taskQueue, activities },
    workflowBundle: { code: await bundleWorkflows(workflows) },
  });
  void worker.run();
  return {
    servers: {},
    approve: async (id) => {
      const arrived = new Promise<void>((resolve) => arrivals.set(id, resolve));
      await client.workflow.start('floor', {
        ...{ taskQueue, workflowId: id, args: [id] },
        requestEagerStart: true,
      });
      await arrived;
      return DECISION;
    },
  };
}
