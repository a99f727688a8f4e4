/** Work that a process does over and over. */
import type { Runtime } from './context.ts';

export interface Rounds {
  /** Resolves once the round that is under way has ended. */
  stop(): Promise<void>;
}

/** One round at a time: a slow round delays the next, and rounds never pile up. A failed one is logged. */
export function startRounds(
  { logger }: Pick<Runtime, 'logger'>,
  {
    what,
    everyMs,
    work,
  }: { readonly what: string; readonly everyMs: number; readonly work: () => Promise<void> },
): Rounds {
  const state = { running: undefined as Promise<void> | undefined };
  const round = async () => {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error, what }, 'a round could not be finished; the next one will');
    } finally {
      state.running = undefined;
    }
  };
  const timer = setInterval(() => {
    state.running ??= round();
  }, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await state.running;
    },
  };
}
