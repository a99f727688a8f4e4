/** Limits how much of an expensive kind of work runs at once, and how much waits for it. */

/**
 * The queue is full. `caller`: this caller asked for too much at once. `all`: all callers together
 * did.
 */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
  readonly by: 'caller' | 'all';

  constructor(by: 'caller' | 'all') {
    super('too much of this kind of work is under way');
    this.by = by;
  }
}

/** `onBehalfOf`: the caller who asked for the work, if that matters. */
export type Bulkhead = <T>(work: () => Promise<T>, onBehalfOf?: string) => Promise<T>;

export interface BulkheadSize {
  readonly atOnce: number;
  /** How much of one caller runs at once. Default: as much as of all. */
  readonly atOnceEach?: number;
  readonly waiting: number;
  /**
   * How much of one caller waits, so that others find room in the line. Default: as much as of all.
   */
  readonly waitingEach?: number;
}

interface Place {
  readonly onBehalfOf: string | undefined;
  /** How much of the caller is running or in line before it. */
  rank: number;
  readonly enter: () => void;
}

/**
 * A gate that runs at most `atOnce` pieces of work, keeps at most `waiting` in line, and throws
 * Overloaded beyond that. Callers take turns: work of one who asked for much runs after the work
 * of one who asked for little.
 */
export function bulkhead({
  atOnce,
  atOnceEach = atOnce,
  waiting,
  waitingEach = waiting,
}: BulkheadSize): Bulkhead {
  const running: (string | undefined)[] = [];
  const line: Place[] = [];
  const mayRun = (onBehalfOf: string | undefined): boolean =>
    running.length < atOnce &&
    (onBehalfOf === undefined || countOf(running, onBehalfOf) < atOnceEach);
  return async (work, onBehalfOf) => {
    if (mayRun(onBehalfOf)) running.push(onBehalfOf);
    else {
      const theirs = line.filter((place) => place.onBehalfOf === onBehalfOf).length;
      if (onBehalfOf !== undefined && theirs >= waitingEach) throw new Overloaded('caller');
      if (line.length >= waiting) throw new Overloaded('all');
      const rank = onBehalfOf === undefined ? 0 : theirs + countOf(running, onBehalfOf);
      const last = line.findLastIndex((place) => place.onBehalfOf === onBehalfOf);
      const next = line.findIndex((place, index) => index > last && place.rank > rank);
      await new Promise<void>((enter) =>
        line.splice(next < 0 ? line.length : next, 0, { onBehalfOf, rank, enter }),
      );
    }
    try {
      return await work();
    } finally {
      running.splice(running.indexOf(onBehalfOf), 1);
      for (const place of onBehalfOf === undefined ? [] : line)
        if (place.onBehalfOf === onBehalfOf) place.rank -= 1;
      const next = line.findIndex((place) => mayRun(place.onBehalfOf));
      for (const place of next < 0 ? [] : line.splice(next, 1)) {
        // The place is taken before its owner runs, so that a newcomer cannot take it too.
        running.push(place.onBehalfOf);
        place.enter();
      }
    }
  };
}

const countOf = (list: readonly unknown[], one: unknown): number =>
  list.filter((other) => other === one).length;
