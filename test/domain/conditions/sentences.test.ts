/** Conditions as people read them. */
import { describe, expect, test } from '@jest/globals';
import { conditionText, fieldText } from '../../../src/domain/conditions/sentences.ts';
import {
  CONDITION_OPERATORS,
  type ConditionOperator,
} from '../../../src/domain/conditions/operators.ts';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import type { Condition } from '../../../src/domain/conditions/document.ts';

const leaf = (field: string, operator: string, value?: unknown) => ({
  ...{ id: 'c', field: field.startsWith('/') ? field : `/request/arguments/${field}`, operator },
  ...(value !== undefined && { value }),
});
const read = (condition: unknown) => conditionText(condition as Condition);
const of = (operator: string, value?: string) =>
  read({
    ...leaf('amount', operator),
    ...(value !== undefined && { value: parseExact(value, { spelled: true }) }),
  });

const OPERATORS: Readonly<
  Record<ConditionOperator, readonly [value: string | undefined, text: string]>
> = {
  exists: [undefined, 'amount is present'],
  not_exists: [undefined, 'amount is absent'],
  equals: ['"EUR"', 'amount is EUR'],
  not_equals: ['"two words"', 'amount is not "two words"'],
  less_than: ['5.00', 'amount is less than 5.00'],
  less_than_or_equal: ['1e400', 'amount is at most 1e400'],
  greater_than: ['9007199254740993', 'amount is more than 9007199254740993'],
  greater_than_or_equal: [
    '"2026-01-01T00:00:00Z"',
    'amount is no earlier than "2026-01-01T00:00:00Z"',
  ],
  in: ['["EUR","5",5,null,true]', 'amount is one of EUR, "5", 5, null, true'],
  not_in: ['["a","b","c","d","e","f","g"]', 'amount is not one of a, b, c, d, e and 2 more'],
  contains: ['{"a":[1,"x"]}', 'amount contains {"a":[1,"x"]}'],
  not_contains: ['"true"', 'amount does not contain "true"'],
  starts_with: ['""', 'amount starts with ""'],
  ends_with: ['"@x.example"', 'amount ends with "@x.example"'],
  matches: ['"^a\\\\.b$"', String.raw`amount matches "^a\\.b$"`],
  not_matches: ['"or"', 'amount does not match "or"'],
};

test.each(CONDITION_OPERATORS)('%s has its words, and digits stay', (operator) => {
  const [value, text] = OPERATORS[operator];
  expect(of(operator, value)).toBe(text);
});

test.each([
  ['less_than', 'amount is before "2026-01-01T00:00:00Z"'],
  ['less_than_or_equal', 'amount is no later than "2026-01-01T00:00:00Z"'],
  ['greater_than', 'amount is after "2026-01-01T00:00:00Z"'],
])('%s has other words for times', (operator, text) => {
  expect(of(operator, '"2026-01-01T00:00:00Z"')).toBe(text);
});

test.each([
  ['/request/arguments/amount', 'amount'],
  ['/request/arguments/customer/id', 'customer.id'],
  ['/request/arguments/to/0/iban', 'to.0.iban'],
  ['/request/arguments', 'the arguments'],
  ['/request/tool', 'the tool'],
  ['/request/server', 'the server'],
  ['/request/agent_reasoning', "the agent's reasoning"],
  ['/request/context/cwd', 'cwd of the context'],
  ['/agent/slug', "the agent's slug"],
  ['/agent/name', "the agent's name"],
  [
    '/previous_metadata/organization/risk/score',
    'risk.score of the metadata of organization blocks',
  ],
  ['/previous_metadata/agent/risk', 'risk of the metadata of agent blocks'],
  ['/item', 'the item'],
  ['/item/sku', 'sku of the item'],
  ['/request/arguments/the tool', '"/the tool"'],
  ['/request/arguments/a~1b/c', '"/a~1b/c"'],
  ['/request/arguments/is', '"/is"'],
  ['/request/arguments/', '"/"'],
])('%s is %s', (field, text) => {
  expect(fieldText(field)).toBe(text);
});

describe('parts', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => leaf(name, 'exists'));

  test.each([
    [{ all: [a, b, c] }, 'a is present and b is present and c is present'],
    [{ any: [a, { all: [b, c] }] }, 'a is present or (b is present and c is present)'],
    [{ all: [a, { any: [b, c] }] }, 'a is present and (b is present or c is present)'],
    [{ all: [a, { all: [b, c] }] }, 'a is present and b is present and c is present'],
    [{ all: [{ any: [a] }] }, 'a is present'],
    [
      { some: { field: '/request/arguments/to', condition: leaf('/item', 'ends_with', '@x') } },
      'for at least one item of to, the item ends with "@x"',
    ],
    [
      {
        all: [
          a,
          {
            every: {
              field: '/request/arguments/to',
              condition: { any: [leaf('/item/n', 'equals', 1), leaf('/item', 'not_exists')] },
            },
          },
        ],
      },
      'a is present and (for every item of to, n of the item is 1 or the item is absent)',
    ],
  ])('are joined so that they can be read in one way: %#', (condition, text) => {
    expect(read({ id: 'x', ...condition })).toBe(text);
  });
});

test('foreign text is data: quoted, with its line breaks and invisible characters as escapes', () => {
  const hostile = 'x" or amount is 1\n\u202e\u200b';
  expect(read(leaf('a', 'equals', hostile))).toBe(
    String.raw`a is "x\" or amount is 1\n\u202e\u200b"`,
  );
  expect(read(leaf('a or b is 1\u202e', 'exists'))).toBe(
    String.raw`"/a or b is 1\u202e" is present`,
  );
  expect(read(leaf('a', 'equals', { '\u202e"': '\n' }))).not.toMatch(/[\u202e\n]/);
});

test('long values are shortened in the middle, and many tests are counted', () => {
  const long = read(leaf('a', 'equals', `begin-${'x'.repeat(3_000)}-end`));
  expect(long).toMatch(/^a is "begin-x+ … \(3,010 characters\) … x+-end"$/);
  expect(
    read({ ...leaf('a', 'equals'), value: parseExact('1'.repeat(4_000), { spelled: true }) })
      .length,
  ).toBeLessThan(120);
  const many = {
    id: 'x',
    all: Array.from({ length: 500 }, (_, index) => leaf(`n${index}`, 'exists')),
  };
  const text = read(many);
  expect(text.length).toBeLessThan(600);
  expect(text).toMatch(/ and n\d+ is present and 4\d\d more tests$/);
});
