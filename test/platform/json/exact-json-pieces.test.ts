/** Pieces of an answer, put together, are the text that is printed at once. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonText, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { ExactNumber } from '../../../src/platform/json/exact-values.ts';
import { exactPieces, laterPieces } from '../../../src/platform/json/exact-json-pieces.ts';
import { LongList } from '../../../src/platform/long-list.ts';

const joined = (value: unknown) => [...exactPieces(value)].join('');

test('any value has the text of stringifyExact', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(joined(value)).toBe(stringifyExact(value));
      expect(joined({ value, list: [value, value], none: [], absent: undefined })).toBe(
        stringifyExact({ value, list: [value, value], none: [], absent: undefined }),
      );
    }),
  );
});

test('source texts, exact numbers and dates are printed as ever', () => {
  const values = [new JsonText('{"a": 1.0}'), new ExactNumber('1e400'), new Date(0), undefined, {}];
  for (const value of values) expect(joined(value)).toBe(stringifyExact(value));
  expect(joined({ values })).toBe(stringifyExact({ values }));
});

test('each item of a list is a piece', () => {
  expect([...exactPieces({ list: ['a', 'b'] })]).toEqual(['{"list":', '["a"', ',"b"', ']', '}']);
});

test('a long list has the text of its items, however they are divided', async () => {
  async function* batchesOf(batches: readonly (readonly unknown[])[]) {
    await Promise.resolve();
    yield* batches;
  }
  const divided = fc.array(fc.array(fc.jsonValue(), { maxLength: 3 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 3 }), divided, async (first, rest) => {
      let text = '';
      for (const piece of exactPieces({ list: new LongList(first, batchesOf(rest)), after: 1 })) {
        if (typeof piece === 'string') text += piece;
        else for await (const later of laterPieces(piece)) text += later;
      }
      expect(text).toBe(stringifyExact({ list: [...first, ...rest.flat()], after: 1 }));
      expect(joined({ list: new LongList(first) })).toBe(stringifyExact({ list: first }));
    }),
  );
});
