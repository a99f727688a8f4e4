/**
 * Records what became of messages: at once under low load, many in one statement under high load.
 */
import {
  recordAttempts,
  type RecordedAttempt,
} from '../../data/notifications/notification-deliveries.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

/** Resolves once it is recorded, or another process holds the message by now. */
export type Recorder = (recorded: RecordedAttempt) => Promise<void>;

interface Batch {
  readonly entries: RecordedAttempt[];
  readonly written: Promise<void>;
}

/** One statement runs at a time; entries that arrive meanwhile form the next one. */
export function openRecorder({ db }: Pick<ServiceContext, 'db'>): Recorder {
  const state: { open: Batch | undefined; last: Promise<unknown> } = {
    open: undefined,
    last: Promise.resolve(),
  };
  const begin = (): Batch => {
    const entries: RecordedAttempt[] = [];
    const written = state.last.then(() => {
      state.open = undefined;
      return write(db, entries);
    });
    state.last = written.catch(() => undefined);
    return { entries, written };
  };
  return (recorded) => {
    state.open ??= begin();
    state.open.entries.push(recorded);
    return state.open.written;
  };
}

/**
 * When a batch fails, for example in a deadlock with the removal of a channel, each entry gets a
 * try of its own.
 */
async function write(db: Db, entries: readonly RecordedAttempt[]): Promise<void> {
  try {
    await recordAttempts(db, entries);
  } catch (error) {
    if (entries.length === 1) throw error;
    const alone = await Promise.allSettled(entries.map((entry) => recordAttempts(db, [entry])));
    if (alone.some(({ status }) => status === 'rejected')) throw error;
  }
}
