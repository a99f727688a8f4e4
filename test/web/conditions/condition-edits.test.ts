/** Rows of a condition change its text, and no digit of what someone wrote. */
import { describe, expect, test } from '@jest/globals';
import type { Condition } from '../../../src/domain/conditions/document.ts';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import {
  addBeside,
  chooseField,
  setGroupKind,
  setItemsKind,
  setOperator,
  setValue,
} from '../../../web/src/shared/conditions/condition-edits.ts';
import { drawnCondition } from '../../../web/src/shared/conditions/drawn-condition.ts';
import type { FieldChoice } from '../../../web/src/shared/conditions/field-choices.ts';
import { missingCurrency } from '../../../web/src/shared/conditions/missing-currency.ts';
import { operatorsFor } from '../../../web/src/shared/conditions/operators.ts';
import { isOfKind, valueSource } from '../../../web/src/shared/conditions/value-texts.ts';

const leaf = (value: string, more = '') =>
  `{"when": {"id": "a", "field": "/request/arguments/amount", "operator": "equals", "value": ${value}${more}}}`;
const choice = (name: string, ...types: FieldChoice['types'][number][]): FieldChoice => ({
  ...{ pointer: `/request/arguments/${name}`, lists: [], types, examples: [] },
});

describe('a value', () => {
  test.each([
    ['1.0', 'number', '1.0'],
    ['12345678901234567890', 'number', '12345678901234567890'],
    ['-0', 'number', '-0'],
    ['1e400', 'number', '1e400'],
    ['5.', 'number', '"5."'],
    ['1,000', 'number', '"1,000"'],
    ['50', 'text', '"50"'],
    ['true', 'boolean', 'true'],
    ['[1.10]', 'json', '[1.10]'],
    ['[1.10', 'json', '"[1.10"'],
  ] as const)('typed as %s of the kind %s is %s', (typed, kind, source) => {
    expect(valueSource(typed, kind)).toBe(source);
    expect(isOfKind(typed, kind)).toBe(!source.startsWith('"') || kind === 'text');
  });

  test.each(['1.0', '12345678901234567890', '100000000000000000000.10', '1E2', '"01"'])(
    'of %s keeps its characters through other operators and back',
    (value) => {
      const pointer = '/when';
      const change = (text: string, operator: 'equals' | 'in' | 'less_than') =>
        setOperator(text, pointer, { operator, kind: 'number' });
      const listed = change(leaf(value), 'in');
      expect(listed).toContain(`[${value}]`);
      const again = setOperator(listed, pointer, { operator: 'not_in', kind: 'number' });
      expect(change(again, 'equals')).toContain(`"value": ${value}`);
      expect(setValue(leaf('1'), pointer, value)).toContain(`"value": ${value}`);
    },
  );

  test('stays when another part changes, and so do members that are not known', () => {
    const before = leaf('1.10', ', "note": 2.50');
    const after = chooseField(before, '/when', choice('total', 'number'));
    expect(after).toBe(before.replace('arguments/amount', 'arguments/total'));
  });
});

describe('an operator', () => {
  test('follows the type of the field', () => {
    const text = leaf('"x"').replace('equals', 'starts_with');
    expect(chooseField(text, '/when', choice('amount', 'number'))).toContain(
      '"operator": "equals"',
    );
    expect(chooseField(text, '/when', choice('tags', 'array'))).toContain('"operator": "contains"');
    expect(chooseField(text, '/when', choice('name', 'string'))).toContain('"starts_with"');
    expect(chooseField(text, '/when', choice('unknown'))).toContain('"starts_with"');
    expect(chooseField(leaf('""'), '/when', choice('dry_run', 'boolean'))).toContain(': true');
  });

  test('of order is offered for numbers, and for texts that are times', () => {
    const number = operatorsFor({ types: ['number'], examples: [] }, 'equals');
    expect(number).toContain('less_than');
    expect(number).not.toContain('matches');
    const text = { types: ['string'] as const, examples: ['"pay_1"'] };
    expect(operatorsFor(text, 'equals')).not.toContain('less_than');
    const time = { ...text, examples: ['"2026-03-06T16:30:00Z"'] };
    expect(operatorsFor(time, 'equals')).toContain('less_than');
  });
});

test('a test goes beside another one, with an id of its own', () => {
  const added = { id: 'a', field: '/request/tool', operator: 'equals', value: '' };
  const alone = addBeside(leaf('1.0'), '/when', added);
  expect(parseExact(alone)).toMatchObject({
    when: { id: 'all', all: [{ id: 'a' }, { id: 'a-2' }] },
  });
  const third = addBeside(alone, '/when/all/0', added);
  expect(parseExact(third)).toMatchObject({
    when: { all: [{ id: 'a' }, { id: 'a-3' }, { id: 'a-2' }] },
  });
  expect(third).toContain('"value": 1.0');
  const any = setGroupKind(third, '/when', 'any');
  expect(any).toBe(third.replace('"all":', '"any":'));
  const items =
    '{"when": {"id": "i", "some": {"field": "/request/arguments/to", "condition": {"id": "some"}}}}';
  expect(setItemsKind(items, '/when', 'every')).toBe(items.replace('"some": {', '"every": {'));
});

test('an amount without a test of its currency is noticed where calls have one', () => {
  const test = (name: string, operator: string) =>
    ({ id: name, field: `/request/arguments/${name}`, operator, value: 1 }) as never;
  const place = {
    fields: [choice('amount', 'number'), choice('currency', 'string')],
    lists: [],
  };
  const amount = test('amount', 'less_than');
  expect(missingCurrency(amount, { ...place, root: amount })?.pointer).toMatch(/currency$/);
  const both = { id: 'all', all: [amount, test('currency', 'equals')] } as unknown as Condition;
  expect(missingCurrency(amount, { ...place, root: both })).toBeUndefined();
  expect(missingCurrency(amount, { ...place, fields: [], root: amount })).toBeUndefined();
  const other = test('quantity', 'less_than');
  expect(missingCurrency(other, { ...place, root: other })).toBeUndefined();
});

test.each([
  ['a group without parts', '{"id": "a", "all": []}'],
  [
    'two kinds at once',
    '{"id": "a", "all": [{"id": "b", "field": "/x", "operator": "exists"}], "any": []}',
  ],
  [
    'an operator that is not known',
    '{"id": "a", "field": "/request/tool", "operator": "sounds_like"}',
  ],
  [
    'a member that is not known',
    '{"id": "a", "field": "/request/tool", "operator": "exists", "or": 1}',
  ],
  [
    'one inside a list',
    '{"id": "a", "some": {"field": "/l", "condition": {"id": "b", "not": {}}}}',
  ],
])('%s stays JSON, and says why', (_name, source) => {
  expect(drawnCondition(parseExact(source))).toEqual({ reason: expect.any(String) });
});
