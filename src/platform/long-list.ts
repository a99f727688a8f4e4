/** Lists that are read batch by batch while they are used. */
import { mapYielding } from './event-loop.ts';

/**
 * A list that may be too long to be in memory at once. Its beginning is read. The rest is read
 * batch by batch, each when the one before has been used.
 */
export class LongList<T> {
  readonly first: readonly T[];
  /** Absent when the beginning is everything. */
  readonly rest: AsyncIterable<readonly T[]> | undefined;

  constructor(first: readonly T[], rest?: AsyncIterable<readonly T[]>) {
    this.first = first;
    this.rest = rest;
  }

  /** Changes the beginning now and the rest when it is read, both in turns. */
  async map<Changed>(change: (item: T) => Changed): Promise<LongList<Changed>> {
    return new LongList(
      await mapYielding(this.first, change),
      this.rest && mapRest(this.rest, change),
    );
  }
}

async function* mapRest<T, Changed>(
  rest: AsyncIterable<readonly T[]>,
  change: (item: T) => Changed,
): AsyncGenerator<readonly Changed[]> {
  for await (const batch of rest) yield await mapYielding(batch, change);
}
