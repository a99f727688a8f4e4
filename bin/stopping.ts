/**
 * Stops in order, once, within the promised time: on a signal, or when the npm that started us
 * ends.
 */
import type { Logger } from '../src/platform/logger.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Ctrl-C reaches us twice under npm: from the terminal, and passed on. Only a later one means
 * "now".
 */
const REPEAT_MS = 1_000;
const PARENT_CHECK_MS = 500;

export interface StopRequest {
  /** Aborted when the process is to end. */
  readonly signal: AbortSignal;
  /** Resolves with the reason. */
  readonly requested: Promise<string>;
}

export interface StopOptions {
  /** Called on a second request, while the first is still being carried out. */
  readonly onForce: () => void;
  /** Also stop when the parent dies: npm passes signals on, but does not report its own end. */
  readonly watchParent: boolean;
}

/** Starts to listen. Call it once in a process. */
export function listenForStop({ onForce, watchParent }: StopOptions): StopRequest {
  const controller = new AbortController();
  const requested = new Promise<string>((resolve) => {
    let first: number | undefined;
    const request = (reason: string): void => {
      if (first === undefined) {
        first = performance.now();
        controller.abort(reason);
        resolve(reason);
      } else if (performance.now() - first > REPEAT_MS) onForce();
    };
    for (const signal of SIGNALS) process.on(signal, request);
    if (!watchParent) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && first === undefined)
        request('the process that started it is gone');
    }, PARENT_CHECK_MS).unref();
  });
  return { signal: controller.signal, requested };
}

export interface Stoppable {
  readonly name: string;
  /** The longest time for this part. After it the next one is stopped anyway. */
  readonly withinMs: number;
  stop(): Promise<void>;
}

/**
 * Stops groups one after the other, the members of a group at once. A failure or hang is logged and
 * skipped.
 */
export async function stopInOrder(
  groups: readonly (readonly Stoppable[])[],
  logger: Logger,
): Promise<void> {
  for (const group of groups) {
    await Promise.all(
      group.map(async ({ name, withinMs, stop }) => {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          timer = setTimeout(() => {
            logger.warn({ part: name, within_ms: withinMs }, 'did not stop in time');
            resolve();
          }, withinMs);
        });
        const stopped = stop().catch((error: unknown) => {
          logger.error({ err: error, part: name }, 'did not stop cleanly');
        });
        await Promise.race([stopped, late]);
        clearTimeout(timer);
      }),
    );
  }
}
