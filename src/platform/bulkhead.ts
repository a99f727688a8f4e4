/** Lets only so much of an expensive kind of work run at once, and only so much wait for it. */

/** As much as may run and wait does so already: for `somebody` who asked too much at once, or for `everybody`. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
  readonly by: 'somebody' | 'everybody';

  constructor(by: 'somebody' | 'everybody') {
    super('too much of this kind of work is under way');
    this.by = by;
  }
}

/** `onBehalfOf`: who asked for the work, if that matters. */
export type Bulkhead = <T>(work: () => Promise<T>, onBehalfOf?: string) => Promise<T>;

export interface BulkheadSize {
  readonly atOnce: number;
  readonly waiting: number;
  /** How much one who asks may have waiting; whoever asks much leaves the rest of the line to others. */
  readonly waitingEach?: number;
}

/** A gate that runs at most `atOnce` pieces of work, keeps at most `waiting` in line, and throws Overloaded beyond that. */
export function bulkhead({ atOnce, waiting, waitingEach = waiting }: BulkheadSize): Bulkhead {
  let running = 0;
  const line: { readonly onBehalfOf: string | undefined; readonly enter: () => void }[] = [];
  return async (work, onBehalfOf) => {
    if (running >= atOnce) {
      const theirs =
        onBehalfOf === undefined
          ? 0
          : line.filter((place) => place.onBehalfOf === onBehalfOf).length;
      if (theirs >= waitingEach) throw new Overloaded('somebody');
      if (line.length >= waiting) throw new Overloaded('everybody');
      // Whoever ends calls the next one in and leaves him the place: `running` stays as it is.
      await new Promise<void>((resolve) => line.push({ onBehalfOf, enter: resolve }));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next.enter();
      else running -= 1;
    }
  };
}
