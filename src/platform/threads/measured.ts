/** Runs in each thread: calls a task, and says how much processor time it took. */
import { existsSync, readFileSync } from 'node:fs';

export interface NamedInput {
  readonly task: string;
  readonly input: unknown;
}

export type Measured = { readonly ms: number } & (
  { readonly value: unknown } | { readonly error: unknown }
);

type Task = (input: never) => unknown;

const COUNTED = '/proc/thread-self/schedstat';

/** Of this thread. Elapsed time, where the system counts none, depends on the other work of the machine. */
function worked(): number {
  const cpu = existsSync(COUNTED) ? Number(readFileSync(COUNTED, 'utf8').split(' ')[0]) : 0;
  return cpu > 0 ? cpu / 1e6 : performance.now();
}

export function measured(
  tasks: Readonly<Record<string, Task>>,
): (named: NamedInput) => Promise<Measured> {
  return async ({ task, input }) => {
    const begun = worked();
    try {
      const run = tasks[task] as ((input: unknown) => unknown) | undefined;
      if (!run) throw new Error(`the threads have no task ${task}`);
      return { value: await run(input), ms: worked() - begun };
    } catch (error) {
      return { error, ms: worked() - begun };
    }
  };
}
