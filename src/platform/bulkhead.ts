/** Lets only so much of an expensive kind of work run at once, and only so much wait for it. */

/** As much as may run and wait does so already. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

export type Bulkhead = <T>(work: () => Promise<T>) => Promise<T>;

/** A gate that runs at most `atOnce` pieces of work, keeps at most `waiting` in line, and throws Overloaded beyond that. */
export function bulkhead({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }): Bulkhead {
  let running = 0;
  const line: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) {
      if (line.length >= waiting) throw new Overloaded('too much of this kind of work is under way');
      // Whoever ends calls the next one in and leaves him the place: `running` stays as it is.
      await new Promise<void>((resolve) => line.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
