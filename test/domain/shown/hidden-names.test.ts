/** Which values stay hidden by their names, and by the names beside them. */
import { expect, test } from '@jest/globals';
import { withoutHidden } from '../../../src/domain/shown/concealed-source.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';

const hiddenIn = (text: string) =>
  withoutHidden(text, { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES }).hidden;

test.each([
  ['{"headers":[{"name":"Authorization","value":"Bearer x"},{"name":"Accept","value":"y"}]}'],
  ['{"headers":[{"value":["Bearer x"],"Key":"X-Api-Key"},{"key":"Accept","value":"y"}]}'],
  ['{"headers":[{"Values":{"a":"b"},"header":"Set-Cookie"}]}'],
])('a value whose name is beside it is hidden: %s', (text) => {
  expect(hiddenIn(text)).toHaveLength(1);
  expect(hiddenIn(text)[0]).toMatch(/^\/headers\/0\/values?$/i);
});

test.each([
  ['{"name":"order","value":"x"}'],
  ['{"name":"password","value":true}'],
  ['{"name":{"value":"password"},"value":"x"}'],
  ['{"label":"password","amount":"x"}'],
])('other values beside names are not: %s', (text) => {
  expect(hiddenIn(text)).toEqual([]);
});

test('each of duplicate members is hidden where a presentation marks their name', () => {
  const field = { path: '/a/value', label: 'Value', kind: 'text', role: 'sensitive' };
  const text = '{"a":{"value":"first","value":"second"},"a":{"value":"third"}}';
  const { text: shown } = withoutHidden(text, {
    presentation: { title: '', fields: [field] },
    hiddenNames: DEFAULT_HIDDEN_NAMES,
  });
  expect(shown).not.toMatch(/first|second|third/);
});
