/**
 * Joins single calls into sets: under low load each call is a separate set, under high load many
 * calls share one statement.
 */
import { setImmediate } from 'node:timers/promises';

/** Returns a result for each entry, in their order. */
export type SetWork<Entry, Result> = (entries: readonly Entry[]) => Promise<readonly Result[]>;

interface OpenSet<Entry, Result> {
  readonly entries: Entry[];
  readonly results: Promise<readonly PromiseSettledResult<Result>[]>;
}

/**
 * One set runs at a time. Calls of one turn of the event loop, and those that arrive while a set
 * runs, form the next one. When a set fails, each of its entries gets a separate try.
 */
export function inSets<Entry, Result>(
  work: SetWork<Entry, Result>,
): (entry: Entry) => Promise<Result> {
  const state: { open: OpenSet<Entry, Result> | undefined; last: Promise<unknown> } = {
    open: undefined,
    last: Promise.resolve(),
  };
  const begin = (): OpenSet<Entry, Result> => {
    const entries: Entry[] = [];
    const results = state.last
      .then(() => setImmediate())
      .then(() => {
        state.open = undefined;
        return workOn(work, entries);
      });
    state.last = results;
    return { entries, results };
  };
  return async (entry) => {
    state.open ??= begin();
    const { entries, results } = state.open;
    const place = entries.push(entry) - 1;
    const result = (await results)[place];
    if (result?.status === 'fulfilled') return result.value;
    throw result ? result.reason : new Error('a set returned fewer results than it has entries');
  };
}

async function workOn<Entry, Result>(
  work: SetWork<Entry, Result>,
  entries: readonly Entry[],
): Promise<PromiseSettledResult<Result>[]> {
  const [together] = await Promise.allSettled([work(entries)]);
  if (together.status === 'fulfilled')
    return together.value.map((value) => ({ status: 'fulfilled', value }));
  if (entries.length === 1) return [together];
  return await Promise.allSettled(
    entries.map(async (entry) => {
      const [result] = await work([entry]);
      return result as Result;
    }),
  );
}
