/** Pieces of an answer, put together, are the text that is printed at once. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonText, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { ExactNumber } from '../../../src/platform/json/exact-values.ts';
import { exactPieces } from '../../../src/platform/json/exact-json-pieces.ts';

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
