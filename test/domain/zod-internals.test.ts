/** The private parts of zod do what src/domain/zod-internals.ts says. A failure names what an upgrade changed. */
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  issuesBelow,
  mostItems,
  readAs,
  readInside,
  schemaKind,
  valuesOfMember,
} from '../../src/domain/zod-internals.ts';

const Doubled = schemaKind<z.ZodNumber>(
  'Doubled',
  z.ZodNumber,
  ({ inst, own }) =>
    (payload, ctx) => {
      if (payload.value === 'refuse') {
        payload.issues.push({
          code: 'invalid_type',
          expected: 'number',
          input: payload.value,
          inst,
        });
        return payload;
      }
      const read = own(payload, ctx) as z.core.ParsePayload<number>;
      read.value *= 2;
      return read;
    },
);
const doubled = () => new Doubled({ type: 'number', checks: [] });

describe('a kind of schema reads in its own way', () => {
  test.each<[string, z.ZodType, unknown, unknown]>([
    ['alone', doubled(), 4, 8],
    ['in an object', z.strictObject({ a: doubled() }), { a: 4 }, { a: 8 }],
    ['in a list', z.array(doubled()), [1, 2], [2, 4]],
    ['where it is optional', z.strictObject({ a: doubled().optional() }), { a: 4 }, { a: 8 }],
    ['in a lazy schema', z.lazy(() => doubled()), 4, 8],
    ['before its checks', doubled().max(8), 4, 8],
    ['before what transforms it', doubled().transform(String), 4, '8'],
  ])('%s', (_where, schema, given, expected) => {
    expect(schema.parse(given)).toEqual(expected);
  });

  test('and its checks see what it read', () => {
    expect(doubled().max(7).safeParse(4).success).toBe(false);
  });

  test('and its issues have the path of the value', () => {
    const { error } = z.strictObject({ a: z.array(doubled()) }).safeParse({ a: [1, 'refuse'] });
    expect(error?.issues).toMatchObject([{ code: 'invalid_type', path: ['a', 1] }]);
  });
});

test('values inside are read by their schema, and their issues get a path', () => {
  const schema = schemaKind<z.ZodArray>('Pair', z.ZodArray, ({ def }) => (payload, ctx) => {
    const [first, second] = payload.value as [unknown, unknown];
    const item = readInside(def.element, second, ctx);
    payload.issues.push(...issuesBelow(1, item.issues));
    payload.value = [first, item.value];
    return payload;
  });
  const pair = new schema({ type: 'array', element: doubled() });
  expect(pair.parse([1, 2])).toEqual([1, 4]);
  expect(pair.safeParse([1, 'x']).error?.issues).toMatchObject([{ path: [1] }]);
});

test('one schema can read as another', () => {
  const AsNumber = schemaKind<z.ZodString>(
    'AsNumber',
    z.ZodString,
    () => (payload, ctx) => readAs(z.coerce.number(), payload, ctx),
  );
  expect(new AsNumber({ type: 'string', checks: [] }).parse('4')).toBe(4);
});

test.each<[string, z.ZodArray, number]>([
  ['no cap', z.array(z.string()), Infinity],
  ['a maximum', z.array(z.string()).min(1).max(3), 3],
])('the most items of a list with %s', (_what, list, most) => {
  expect(mostItems(list.def.checks)).toBe(most);
});

test.each<[string, z.ZodType, readonly unknown[]]>([
  ['a literal', z.strictObject({ type: z.literal('a') }), ['a']],
  ['an enum', z.strictObject({ type: z.enum(['a', 'b']) }), ['a', 'b']],
  ['another member', z.strictObject({ kind: z.literal('a') }), []],
])('the values that choose an option with %s', (_what, option, values) => {
  expect(valuesOfMember(option, 'type')).toEqual(values);
});
