/** Threads for work that would hold the event loop. They run the tasks of a module, which exports them as `runTask`. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { bulkhead } from '../bulkhead.ts';
import type { Measured } from './measured.ts';
import { WorkTime } from './work-time.ts';

/** This process stops, so its threads finish nothing. Another process can do the work. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}

export interface WorkerPool {
  /**
   * Calls `task` in a thread, by its name. Throws `Overloaded` when too much waits
   * already, and `PoolClosed` when the pool is closed meanwhile.
   */
  run<I, O>(task: (input: I) => O, input: I, onBehalfOf: string): Promise<O>;
  /** The processor time that `run` took for each caller. */
  readonly time: WorkTime;
  close(): Promise<void>;
}

/** The limit for one caller, so that another one still finds a thread. */
const AT_ONCE_EACH = 2;
const MIN_THREADS = 3;
const IDLE_MS = 60_000;

export function openWorkerPool(module: URL): WorkerPool {
  const threads = Math.max(MIN_THREADS, availableParallelism());
  const pool = new Piscina({
    filename: module.href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    // With fewer cores than threads, the event loop comes first.
    niceIncrement: 10,
  });
  const gate = bulkhead({
    atOnce: threads,
    atOnceEach: AT_ONCE_EACH,
    waiting: 128,
    waitingEach: 32,
  });
  const state = { isClosed: false };
  const time = new WorkTime();
  return {
    time,
    run: async <I, O>(task: (input: I) => O, input: I, onBehalfOf: string) => {
      try {
        return await gate(async () => {
          const named = { task: task.name, input };
          const measured = (await pool.run(named, { name: 'runTask' })) as Measured;
          time.spend(onBehalfOf, measured.ms);
          if ('error' in measured) throw measured.error;
          return measured.value as O;
        }, onBehalfOf);
      } catch (error) {
        throw state.isClosed
          ? new PoolClosed('the worker pool is closed', { cause: error })
          : error;
      }
    },
    close: async () => {
      state.isClosed = true;
      await pool.destroy();
    },
  };
}
