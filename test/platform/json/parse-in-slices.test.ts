/** A text parsed in slices gives the same value, and other work has its turn meanwhile. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExactJsonError, parseExact, slicedParser } from '../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../src/platform/json/exact-values.ts';
import { parseInSlices } from '../../../src/platform/json/parse-in-slices.ts';

function parseBy(characters: number, text: string): ExactValue {
  const parse = slicedParser(text);
  for (;;) {
    const value = parse(characters);
    if (value !== undefined) return value;
  }
}

test('slices of any size give the value of the whole text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 20 }), (value, characters) => {
      const text = JSON.stringify(value, null, characters % 3);
      expect(parseBy(characters, text)).toEqual(parseExact(text));
    }),
  );
});

test('a fault in a later slice is found', async () => {
  const text = `[${'1,'.repeat(100_000)}]`;
  await expect(parseInSlices(text)).rejects.toThrow(ExactJsonError);
});

test('other work has its turn while a long text is parsed', async () => {
  let turns = 0;
  const count = setInterval(() => (turns += 1), 0);
  const value = await parseInSlices(`[${'[],'.repeat(1_000_000)}[]]`);
  clearInterval(count);
  expect(value).toHaveLength(1_000_001);
  expect(turns).toBeGreaterThan(5);
});
