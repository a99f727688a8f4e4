/** Work that a process does over and over. */
import type { Runtime } from './context.ts';

export interface Rounds {
  /** Resolves once the round that is under way has ended. */
  stop(): Promise<void>;
}

/**
 * One round at a time: a slow round delays the next, and rounds never pile up. A failed one is logged. A round that returns a
 * number wants the next one after so many milliseconds, if that is sooner.
 */
export function startRounds(
  { logger }: Pick<Runtime, 'logger'>,
  {
    what,
    everyMs,
    work,
  }: {
    readonly what: string;
    readonly everyMs: number;
    readonly work: () => Promise<unknown>;
  },
): Rounds {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const round = async () => {
    const began = performance.now();
    let wanted: unknown;
    try {
      wanted = await work();
    } catch (error) {
      logger.warn({ err: error, what }, 'a round could not be finished; the next one will');
    }
    const pauseMs = typeof wanted === 'number' ? Math.min(wanted, everyMs) : everyMs;
    plan(pauseMs - (performance.now() - began));
  };
  const plan = (pauseMs: number) => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(
      () => {
        running = round();
      },
      Math.max(0, pauseMs),
    );
  };
  plan(everyMs);
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
