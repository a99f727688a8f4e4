/** Changes of one place in a JSON text leave everything else as it is. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSource, type SourceValue } from '../../../src/platform/json/source-values.ts';
import { isWithin, parentOf } from '../../../web/src/shared/editor/json-places.ts';
import { printedJson } from '../../../web/src/shared/editor/printed-json.ts';
import {
  afterRemoval,
  withItem,
  withMoved,
  withoutValue,
  withValue,
} from '../../../web/src/shared/editor/splices.ts';

const NUMBERS = ['0', '-0', '1.0', '1e21', '0.30000000000000004', '12345678901234567890', '1E-7'];
const WORDS = [String.raw`"\u00e9"`, '"a/b~c"', '"__proto__"', '""', String.raw`"\"\\"`, 'null'];
const NAMES = ['a', 'b', 'id', String.raw`\u0062x`, '__proto__', 'x/y', '~'];

/** A JSON text with unusual digits, escapes and white space. */
const jsonText = fc.letrec<{ value: string; space: string }>((tie) => ({
  space: fc.constantFrom('', ' ', '\n  ', '\t', '\n\n'),
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...NUMBERS, ...WORDS),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), tie('space'), tie('space'))
      .map(([items, before, after]) => `[${before}${items.join(`${after},${before}`)}${after}]`),
    fc
      .tuple(
        fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 }),
        fc.array(tie('value'), { minLength: 4, maxLength: 4 }),
        tie('space'),
      )
      .map(([names, values, space]) => {
        const members = names.map((name, index) => `"${name}"${space}:${space}${values[index]}`);
        return `{${space}${members.join(`,${space}`)}${space}}`;
      }),
  ),
})).value;

const document = jsonText.map((value) => `{"list": [ ${value}, {"id": 1.0} ], "rest":${value}}`);

function everyValue(value: SourceValue): SourceValue[] {
  return [value, ...[...value.children()].flatMap(({ value: child }) => everyValue(child))];
}

const valuesOf = (text: string): SourceValue[] => {
  const root = readSource(text);
  if (!root) throw new Error(`No JSON: ${text}`);
  return everyValue(root);
};

const sourcesOf = (text: string) =>
  new Map(valuesOf(text).map((value) => [value.pointer, value.source]));

/** Values that neither hold the place nor are inside of it. */
const apart = (text: string, pointer: string) =>
  [...sourcesOf(text)].filter(([each]) => !isWithin(each, pointer) && !isWithin(pointer, each));

describe('a change of one place', () => {
  test('replaces a value and no other character', () => {
    fc.assert(
      fc.property(document, fc.nat(), (text, seed) => {
        const values = valuesOf(text);
        const value = values[seed % values.length];
        const changed = withValue(text, value?.pointer ?? '', '7.10');
        expect(changed).toBe(
          `${text.slice(0, value?.offset)}7.10${text.slice((value?.offset ?? 0) + (value?.length ?? 0))}`,
        );
      }),
    );
  });

  test('adds an item and keeps all others', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(5), (text, seed, at) => {
        const lists = valuesOf(text).filter(({ kind }) => kind === 'array');
        const list = lists[seed % lists.length];
        const index = Math.min(at, list?.size ?? 0);
        const pointer = list?.pointer ?? '';
        const before = list?.items.map(({ source }) => source);
        const changed = withItem(text, { list: pointer, index }, '{"id":1.50}');
        const items = readSource(changed)
          ?.at(pointer)
          ?.items.map(({ source }) => source);
        expect(items).toEqual(before?.toSpliced(index, 0, '{ "id": 1.50 }'));
        for (const [each, source] of apart(text, pointer))
          expect(readSource(changed)?.at(each)?.source).toBe(source);
      }),
    );
  });

  test('adds a member at the end of its object', () => {
    fc.assert(
      fc.property(document, fc.nat(), (text, seed) => {
        const objects = valuesOf(text).filter(({ kind }) => kind === 'object');
        const { pointer = '', members = [] } = objects[seed % objects.length] ?? {};
        const changed = withValue(text, `${pointer}/new~1one`, '"1.0"');
        const after = readSource(changed)?.at(pointer)?.members ?? [];
        const pairs = (all: typeof after) =>
          all.map(({ keySource, value }) => [keySource, value.source]);
        expect(pairs(after)).toEqual([...pairs(members), ['"new/one"', '"1.0"']]);
      }),
    );
  });

  test('removes a member or an item and keeps all others', () => {
    fc.assert(
      fc.property(document, fc.nat(), (text, seed) => {
        const inner = valuesOf(text).filter(({ pointer }) => pointer !== '');
        const pointer = inner[seed % inner.length]?.pointer ?? '';
        const changed = withoutValue(text, pointer);
        const isItem = readSource(text)?.at(parentOf(pointer))?.kind === 'array';
        for (const [each, source] of apart(text, pointer)) {
          const place = isItem ? afterRemoval(each, pointer) : each;
          expect(readSource(changed)?.at(place)?.source).toBe(source);
        }
        const count = valuesOf(text).filter((each) => isWithin(each.pointer, pointer)).length;
        expect(valuesOf(changed)).toHaveLength(valuesOf(text).length - count);
      }),
    );
  });

  test('moves an item with its digits, and nothing is lost', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(3), (text, seed, at) => {
        const items = valuesOf(text).filter(({ pointer }) => /^\/list\/\d+$/.test(pointer));
        const moved = items[seed % items.length];
        const index = Math.min(at, items.length - 1);
        const changed = withMoved(text, moved?.pointer ?? '', { list: '/list', index });
        const scalars = (of: string) =>
          valuesOf(of)
            .filter(({ size }) => size === 0)
            .map(({ source }) => source.replaceAll(/\s/g, ''))
            .sort();
        expect(scalars(changed)).toEqual(scalars(text));
        const squeezed = (source: string | undefined) => source?.replaceAll(/\s/g, '');
        expect(squeezed(readSource(changed)?.at(`/list/${index}`)?.source)).toBe(
          squeezed(moved?.source),
        );
      }),
    );
  });

  test('lays a document out without a change of its parts', () => {
    fc.assert(
      fc.property(document, (text) => {
        const parts = (of: string) =>
          valuesOf(of)
            .filter(({ size }) => size === 0)
            .map(({ pointer, source }) => [pointer, source.replaceAll(/\s/g, '')]);
        expect(parts(printedJson(text))).toEqual(parts(text));
      }),
    );
  });

  test('writes on lines of their own where the others stand on theirs', () => {
    const text = '{\n  "blocks": [\n    { "id": "a" }\n  ]\n}';
    const more = withItem(text, { list: '/blocks', index: 1 }, '{"id":"b","value":1.0}');
    expect(more).toBe(
      '{\n  "blocks": [\n    { "id": "a" },\n    { "id": "b", "value": 1.0 }\n  ]\n}',
    );
    expect(withoutValue(more, '/blocks/1')).toBe(text);
    expect(withoutValue(text, '/blocks/0')).toBe('{\n  "blocks": []\n}');
    expect(withMoved(more, '/blocks/1', { list: '/blocks', index: 0 })).toBe(
      '{\n  "blocks": [\n    { "id": "b", "value": 1.0 },\n    { "id": "a" }\n  ]\n}',
    );
  });
});
