/**
 * The reconciler runs in every process, for when a workflow is lost or late or Temporal is down. It
 * expires requests past their deadline. It restarts or steps requests whose wake-up time has
 * passed. It also counts the requests of agents by day.
 */
import { addToRequestCounts } from '../../data/agents/request-counts.ts';
import { wakeNow } from '../../data/requests/wake.ts';
import type { ServiceContext } from '../context.ts';
import { startRounds, type Rounds } from '../rounds.ts';
import { endForgotten } from './forgotten.ts';
import { createDeadlineSweep } from './settle.ts';
import { wakeDue } from './wake-round.ts';
import { clearFinished } from './workflow-calls.ts';

const WAKE_EVERY_MS = 1_000;
/** A round is also made when a deadline passes. No request has a shorter timeout, so no deadline comes unseen. */
const EXPIRE_EVERY_MS = 1_000;
/** What was created since the last count is counted again by each list of agents. */
const COUNT_EVERY_MS = 30_000;
/** Most requests per statement of the deadline sweep. */
const BATCH = 200;

export function startReconciler(context: ServiceContext): Rounds {
  const calling = new Set<Promise<void>>();
  const loops = [
    startRounds(context, {
      what: 'wake-up sweep',
      everyMs: WAKE_EVERY_MS,
      work: async () => {
        // Calls may wait for others for long. The steps of the next round must not.
        const { called } = await wakeDue(context);
        calling.add(called);
        void called.finally(() => calling.delete(called));
      },
    }),
    startRounds(context, {
      what: 'deadline sweep',
      everyMs: EXPIRE_EVERY_MS,
      work: createDeadlineSweep(context, { batch: BATCH, everyMs: EXPIRE_EVERY_MS }),
    }),
    startRounds(context, {
      what: 'count of requests',
      everyMs: COUNT_EVERY_MS,
      work: () => addToRequestCounts(context.db, { everyMs: COUNT_EVERY_MS / 2 }),
    }),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(calling);
      // The reconciler of another process makes up for it.
      await clearFinished(context).catch(() => undefined);
    },
  };
}

/**
 * After an outage of Temporal, repeats what failed meanwhile. `reset`: Temporal lost its database,
 * so every open request needs a new workflow.
 */
export async function catchUp(
  context: ServiceContext,
  { reset }: { readonly reset: boolean },
): Promise<void> {
  await wakeNow(context.db, reset ? 'open' : 'tried');
  // In parallel with the rest: a list of all workflows takes long, and nothing waits for it.
  void endForgotten(context);
}
