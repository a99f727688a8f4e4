import { expect, test } from '@jest/globals';
import { countText, someText } from '../../../web/src/shared/text/numbers.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345, '12,345'],
  [1_234_567, '1,234,567'],
])('%d is written %s', (value, text) => {
  expect(countText(value)).toBe(text);
  expect(value.toLocaleString('en')).toBe(text);
});

test('one thing is named in the singular', () => {
  expect([0, 1, 2_000].map((value) => someText(value, 'row', 'rows'))).toEqual([
    '0 rows',
    '1 row',
    '2,000 rows',
  ]);
});
