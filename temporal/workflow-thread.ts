/**
 * The SDK's thread for workflows, without its record of where each promise began. That record took 29 % of the thread, and serves
 * one query alone, "Stack trace" of the Temporal UI. The SDK works without promise hooks but has no option to turn them
 * off, so this thread hides them. `test/temporal/workflow-thread.test.ts` fails when the SDK changes that.
 */
import { createRequire } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';

const SCRIPT = createRequire(import.meta.url).resolve(
  '@temporalio/worker/lib/workflow/workflow-worker-thread.js',
);

/**
 * Node's own hooks have a `before`, and `AsyncLocalStorage` needs them. The SDK warns on the console of the thread, once, that it
 * gets none. An operator has nothing to do about it.
 */
const WITHOUT_HOOKS = `
  const { promiseHooks } = require('node:v8');
  const { createHook } = promiseHooks;
  promiseHooks.createHook = (hooks) => {
    if ('before' in hooks) return createHook(hooks);
    const { warn } = console;
    console.warn = () => {
      console.warn = warn;
    };
    throw new Error('promise hooks are left out');
  };
  require(${JSON.stringify(SCRIPT)});`;

/** Runs `create`, whose threads for workflows have no promise hooks. Other threads are as they always are. */
export async function withoutPromiseHooks<T>(create: () => Promise<T>): Promise<T> {
  const { Worker } = threads;
  class Thread extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      if (script === SCRIPT) super(WITHOUT_HOOKS, { ...options, eval: true });
      else super(script, options);
    }
  }
  Object.assign(threads, { Worker: Thread });
  try {
    return await create();
  } finally {
    Object.assign(threads, { Worker });
  }
}
