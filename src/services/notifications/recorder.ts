/** Writes down what became of messages: at once when it is quiet, many in one statement when much is sent. */
import {
  recordAttempts,
  type RecordedAttempt,
} from '../../data/notifications/notification-deliveries.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

/** Resolves once it is recorded, or somebody else has the message by now. */
export type Recorder = (recorded: RecordedAttempt) => Promise<void>;

interface Batch {
  readonly entries: RecordedAttempt[];
  readonly written: Promise<void>;
}

/** One statement is under way at a time; what comes meanwhile is the next one's. */
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

/** Where many fail together, as by a deadlock with somebody who removes a channel, each has a chance of its own. */
async function write(db: Db, entries: readonly RecordedAttempt[]): Promise<void> {
  try {
    await recordAttempts(db, entries);
  } catch (error) {
    if (entries.length === 1) throw error;
    const alone = await Promise.allSettled(entries.map((entry) => recordAttempts(db, [entry])));
    if (alone.some(({ status }) => status === 'rejected')) throw error;
  }
}
