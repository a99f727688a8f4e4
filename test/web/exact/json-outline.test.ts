import { describe, expect, test } from '@jest/globals';
import { NOTHING_HIDDEN, type Hidden } from '../../../src/domain/shown/hidden.ts';
import { readSource, type SourceValue } from '../../../src/platform/json/source-values.ts';
import {
  aroundOf,
  outlineOf,
  rowAt,
  rowOf,
  topContainers,
} from '../../../web/src/shared/exact/json/json-outline.ts';
import { copyOf, stillHidden, valuesWith } from '../../../web/src/shared/exact/json/json-search.ts';

const read = (text: string): SourceValue => {
  const value = readSource(text);
  if (!value) throw new Error('no JSON');
  return value;
};

const partsOf = (text: string, options: Parameters<typeof outlineOf>[1] = {}): string =>
  outlineOf(read(text), options).parts.join(' ');

const hidden = (value: SourceValue, pointer: string): Hidden => ({
  ...NOTHING_HIDDEN,
  values: new Set([value.at(pointer)?.offset ?? -1]),
});

describe('the lines of a list', () => {
  test('have ten numbers each, as they were sent, and say which', () => {
    const outline = outlineOf(read('[1.10,2e5,3,4,5,6,7,8,9,10,11,9007199254740993]'));
    const rows = outline.parts.map((_part, index) => rowAt(outline, index));
    expect(outline.parts).toEqual(['open', 'numbers', 'numbers', 'close']);
    expect(rows[1]?.items.slice(0, 2).map(({ source }) => source)).toEqual(['1.10', '2e5']);
    expect(rows[2]?.items.map(({ source }) => source)).toEqual(['11', '9007199254740993']);
    expect(rows[2]?.first).toBe(11);
    expect(partsOf('[1,2,3]')).toBe('open value value value close');
    expect(partsOf('[1,2,3,4,5,"6"]')).toBe(`open ${'value '.repeat(6)}close`);
  });

  test('are a table of objects with the very same keys and short values, and of no others', () => {
    expect(partsOf('[{"a":1,"b":"x"},{"a":2,"b":null}]')).toBe('open records close');
    const lines = 'open open value value close open value value close close';
    for (const other of [
      '[{"a":1,"b":2},{"b":2,"a":1}]',
      '[{"a":1,"b":2},{"a":1,"\\u0062":2}]',
      '[{"a":1,"a":2},{"a":1,"a":2}]',
      `[{"a":1,"b":2},{"a":1,"b":"${'x'.repeat(200)}"}]`,
    ])
      expect([other, partsOf(other)]).toEqual([other, lines]);
    expect(partsOf('[{"a":1},{"a":[1]}]')).not.toContain('records');
    expect(partsOf('[{"a":1},{}]')).not.toContain('records');
    expect(partsOf('[{"a":1,"b":1},{"a":1,"b":1}]', { mostColumns: 1 })).toBe(lines);
    const many = `[${Array.from({ length: 60 }, (_none, at) => `{"id":${at}}`).join(',')}]`;
    expect(partsOf(many)).toBe('open records records records records close');
  });

  test('leave a hidden object out of a table', () => {
    const list = read('[{"a":1},{"a":2}]');
    expect(outlineOf(list, { hidden: hidden(list, '/1') }).parts).toContain('hidden');
  });
});

test('a container that is folded is one line, and what is in it is found there', () => {
  const value = read('{"a":{"b":{"c":"deep"}},"d":[1]}');
  const folded = new Set(topContainers(value));
  expect(outlineOf(value, { folded }).parts).toEqual(['open', 'folded', 'folded', 'close']);
  const [node = 0] = valuesWith(value, 'DEEP', NOTHING_HIDDEN);
  expect(rowOf(outlineOf(value, { folded }), node)).toBe(1);
  expect(rowOf(outlineOf(value), node)).toBe(3);
  const opened = new Set([...folded].filter((at) => !aroundOf(value.tree, node).includes(at)));
  expect(outlineOf(value, { folded: opened }).parts[3]).toBe('value');
});

test('a search and a copy tell nothing of what is hidden', () => {
  const value = read(
    '{"password":"hunter2","note":"key sk_live_1 ends","n":1.50,"o":{"hunter":[]}}',
  );
  const note = value.at('/note');
  const secret: Hidden = {
    values: hidden(value, '/password').values,
    parts: new Map([[note?.offset ?? -1, [{ start: 4, end: 13 }]]]),
  };
  const found = (text: string, of = secret) =>
    valuesWith(value, text, of).map((node) => outlineOf(value).tree.starts[node]);
  expect(found('hunter')).toEqual([value.at('/o/hunter')?.offset]);
  expect(found('sk_live')).toEqual([]);
  expect(found('key •')).toEqual([note?.offset]);
  expect(found('PASSWORD')).toEqual([value.at('/password')?.offset]);
  expect(copyOf(value, secret)).toBe(
    '{"password":"•••","note":"key ••• ends","n":1.50,"o":{"hunter":[]}}',
  );
  const shown = stillHidden(secret, () => true);
  expect(found('hunter2', shown)).toEqual([value.at('/password')?.offset]);
  expect(copyOf(value, shown)).toBe(value.source);
  expect(copyOf(value.at('/o') as SourceValue, secret)).toBe('{"hunter":[]}');
});

test('half a million numbers are lines of numbers, and no object until one is drawn', () => {
  const outline = outlineOf(read(`{"n":[${Array(500_000).fill('1').join(',')}]}`));
  expect(outline.parts).toHaveLength(50_004);
  expect(rowAt(outline, 50_001).first).toBe(499_991);
});
