/** Single calls that share a statement: when they are joined, and what becomes of a set that fails. */
import { describe, expect, test } from '@jest/globals';
import { inSets } from '../../src/platform/sets.ts';

/** Doubles numbers. A set with 0 runs until `finish`. */
function doubling() {
  const sets: (readonly number[])[] = [];
  const finishing: (() => void)[] = [];
  let running = 0;
  const double = inSets(async (entries: readonly number[]) => {
    sets.push([...entries]);
    running += 1;
    if (running > 1) throw new Error('two sets at once');
    if (entries.includes(0)) await new Promise<void>((resolve) => finishing.push(resolve));
    running -= 1;
    return entries.map((entry) => entry * 2);
  });
  return { sets, double, finish: () => finishing.shift()?.() };
}

describe('calls', () => {
  test('of one turn of the event loop are one set, and each gets its own result', async () => {
    const { sets, double } = doubling();
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(await double(4)).toBe(8);
    expect(sets).toEqual([[1, 2, 3], [4]]);
  });

  test('that arrive while a set runs form the next one', async () => {
    const { sets, double, finish } = doubling();
    const first = double(0);
    while (sets.length === 0) await new Promise(setImmediate);
    const others = [double(1)];
    await new Promise(setImmediate);
    others.push(double(2));
    expect(sets).toEqual([[0]]);
    finish();
    expect(await Promise.all([first, ...others])).toEqual([0, 2, 4]);
    expect(sets).toEqual([[0], [1, 2]]);
  });
});

describe('when a set fails', () => {
  test('each of its entries gets a try of its own, and only those that fail again are refused', async () => {
    const sets: (readonly number[])[] = [];
    const double = inSets((entries: readonly number[]) => {
      sets.push(entries);
      if (entries.includes(2)) return Promise.reject(new Error('refused'));
      return Promise.resolve(entries.map((entry) => entry * 2));
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(double));
    expect(outcomes.map((outcome) => ('value' in outcome ? outcome.value : 'refused'))).toEqual([
      2,
      'refused',
      6,
    ]);
    expect(sets).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect(await double(5)).toBe(10);
  });
});
