/** Pointers are found in a text exactly where they point to something in its value. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pointerToken } from '../../../src/platform/json/exact-json.ts';
import { pointersInto } from '../../../src/platform/json/json-pointers.ts';

function hasValue(value: unknown, pointer: string): boolean {
  let at = value;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) {
      const keys = Object.keys(at);
      if (!keys.includes(name)) return false;
      at = at[Number(name)] as unknown;
    } else if (typeof at === 'object' && at !== null && Object.hasOwn(at, name))
      at = (at as Record<string, unknown>)[name];
    else return false;
  }
  return true;
}

const name = fc.constantFrom(
  'a',
  'b',
  '',
  '0',
  '1',
  '01',
  '-',
  'a/b',
  'm~n',
  '"',
  '\\',
  'é',
  '__proto__',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<unknown>(null, 1, -1.5e3, true, 'x', '"]}\\', ''),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(name, tie('any'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;
const pointer = fc
  .array(name, { maxLength: 4 })
  .map((tokens) => tokens.map((token) => `/${pointerToken(token)}`).join(''));

test('in any value', () => {
  fc.assert(
    fc.property(value, fc.array(pointer, { maxLength: 8 }), fc.boolean(), (any, all, spaced) => {
      const text = JSON.stringify(any, null, spaced ? 2 : undefined);
      const parsed = JSON.parse(text) as unknown;
      const found = pointersInto(` ${text}\n`, all);
      expect([...found].sort()).toEqual(
        [...new Set(all)].filter((each) => hasValue(parsed, each)).sort(),
      );
    }),
    { numRuns: 500 },
  );
});

test.each<[string, string, readonly string[], readonly string[]]>([
  ['an escaped name', String.raw`{"\u0061":{"b\/c":1}}`, ['/a/b~1c', '/b'], ['/a/b~1c']],
  ['a prototype', '{"x":1}', ['/__proto__', '/constructor', '/x/length'], []],
  ['its own __proto__', '{"__proto__":{"x":null}}', ['/__proto__/x'], ['/__proto__/x']],
  ['an index', '[[],{"a":[1,{"b":2}]}]', ['/1/a/1/b', '/0/0', '/01', '/-'], ['/1/a/1/b']],
  ['numbers of any size', '{"a":1e999999,"b":[0.1]}', ['/b/0', '/a'], ['/a', '/b/0']],
  [
    'a hundred levels',
    `${'['.repeat(100)}1${']'.repeat(100)}`,
    ['/0'.repeat(100)],
    ['/0'.repeat(100)],
  ],
])('with %s', (_what, text, pointers, expected) => {
  expect([...pointersInto(text, pointers)].sort()).toEqual([...expected].sort());
});
