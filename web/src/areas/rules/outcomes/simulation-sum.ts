/** The pages of a simulation as one. */
import { byWeight } from '../../../../../src/domain/pipelines/simulated-changes.ts';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import type { Simulation } from './impact.ts';

export type Change = Simulation['changes'][number];

export interface SimulationSum extends Pick<
  Simulation,
  'by_change' | 'ends_at' | 'evaluated' | 'same' | 'undetermined' | 'undetermined_at'
> {
  /** What matters most first. */
  readonly changes: readonly Change[];
}

export function sumOf(pages: readonly Simulation[]): SimulationSum {
  const end = pages.at(-1)?.ends_at;
  return {
    evaluated: total(pages, 'evaluated'),
    same: total(pages, 'same'),
    undetermined: total(pages, 'undetermined'),
    by_change: counted(
      pages.flatMap((page) => page.by_change),
      (each) => `${each.was} ${each.would_be}`,
    ),
    undetermined_at: counted(
      pages.flatMap((page) => page.undetermined_at),
      (each) => `${each.scope} ${each.block_id}`,
    ),
    changes: pages
      .flatMap(({ changes }) => changes)
      .toSorted((one, other) => byWeight(weighed(one), weighed(other))),
    ...(end !== undefined && { ends_at: end }),
  };
}

const total = (
  pages: readonly Simulation[],
  member: 'evaluated' | 'same' | 'undetermined',
): number => pages.reduce((sum, page) => sum + page[member], 0);

function counted<Item extends { readonly count: number }>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const counts = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, { ...item, count: (counts.get(key)?.count ?? 0) + item.count });
  }
  return [...counts.values()].toSorted((one, other) => other.count - one.count);
}

/** The digits of an amount. */
export const amountText = ({ value }: NonNullable<Change['amount']>): string =>
  stringifyExact(value);

const weighed = ({ would_be, amount }: Change) => ({
  would_be,
  ...(amount && { amount: { value: amountText(amount) } }),
});

/** What is approved without a person matters most. */
const ORDER = ['approve', 'deny', 'human'] as const;

interface ChangeGroup {
  readonly was: Change['was'];
  readonly would_be: Change['would_be'];
  readonly count: number;
  /** The first ones. */
  readonly changes: readonly Change[];
}

/** By what becomes of what. */
export function groupsOf({
  by_change: counts,
  changes,
}: Pick<SimulationSum, 'by_change' | 'changes'>): readonly ChangeGroup[] {
  return counts
    .toSorted((one, other) => ORDER.indexOf(one.would_be) - ORDER.indexOf(other.would_be))
    .map(({ was, would_be, count }) => ({
      ...{ was, would_be, count },
      changes: changes.filter((each) => each.was === was && each.would_be === would_be),
    }));
}
