/** Requests that other rules would have decided otherwise, the ones that matter most first. */
import { compareDecimals, exactNumber } from '../../platform/json/exact-values.ts';

type Outcome = 'approve' | 'deny' | 'human';

/** An amount of money, digit for digit. */
export interface Amount {
  readonly value: string;
  readonly currency?: string;
}

export interface CountedChange {
  readonly was: Outcome;
  readonly would_be: Outcome;
  readonly count: number;
}

interface Change {
  readonly would_be: Outcome;
  readonly amount?: Amount;
}

/**
 * What would run without a person comes first, the largest amounts before others. Amounts of different currencies are compared
 * by their numbers alone. The rest keeps its order.
 */
export function byWeight(one: Change, other: Change): number {
  const areApproved = one.would_be === 'approve' && other.would_be === 'approve';
  if (!areApproved)
    return Number(other.would_be === 'approve') - Number(one.would_be === 'approve');
  if (!one.amount || !other.amount)
    return Number(Boolean(other.amount)) - Number(Boolean(one.amount));
  return compareDecimals(exactNumber(other.amount.value), exactNumber(one.amount.value));
}

/** How often each of them occurs, the most frequent first. Those with the same key are the same. */
export function counted<Item extends object>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (Item & { readonly count: number })[] {
  const counts = new Map<string, Item & { readonly count: number }>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, { ...item, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((one, other) => other.count - one.count);
}

/** How often each outcome would have become which. */
export const countChanges = (
  changes: readonly Omit<CountedChange, 'count'>[],
): readonly CountedChange[] =>
  counted(
    changes.map(({ was, would_be }) => ({ was, would_be })),
    ({ was, would_be: next }) => `${was} ${next}`,
  );
