/**
 * What a refusal says about a field: the same codes and style as for documents, for every schema.
 */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { readQuery, validate } from '../../../api/http/input.ts';
import { integerQuery } from '../../../api/http/schema.ts';
import { AppError } from '../../../src/domain/errors.ts';

const schema = z.strictObject({ value: z.unknown() });
const pages = integerQuery('Pages.', { min: 1, max: 9, default: 1 });

test.each<[string, z.ZodType, unknown, string, string]>([
  ['a missing field', z.string(), undefined, 'required', 'is required'],
  ['a number for a text', z.string(), 1, 'invalid_type', 'must be a string'],
  ['a text for an object', z.strictObject({}), 'x', 'invalid_type', 'must be an object'],
  ['a text for an integer', z.int(), '3', 'invalid_type', 'must be an integer'],
  [
    'a list for an object with any members',
    z.record(z.string(), z.string()),
    [],
    'invalid_type',
    'must be an object',
  ],
  [
    'a text that is too short',
    z.string().min(12),
    'x',
    'invalid_value',
    'must be at least 12 characters long',
  ],
  [
    'a text that is too long',
    z.string().max(2),
    'xxx',
    'invalid_value',
    'must be at most 2 characters long',
  ],
  [
    'a text that is empty',
    z.string().min(1),
    '',
    'invalid_value',
    'must be at least 1 character long',
  ],
  [
    'a list that is too long',
    z.array(z.int()).max(1),
    [1, 2],
    'too_many',
    'must have at most 1 item',
  ],
  [
    'a list that is longer than twenty',
    z.array(z.int()).max(20),
    Array.from({ length: 21 }, () => 1),
    'too_many',
    'must have at most 20 items',
  ],
  [
    'a list that must be empty and is not',
    z.array(z.int()).max(0),
    [1],
    'too_many',
    'must be empty',
  ],
  ['an empty list', z.array(z.int()).min(1), [], 'invalid_value', 'must have at least 1 item'],
  [
    'a list that is too short',
    z.array(z.int()).min(2),
    [1],
    'invalid_value',
    'must have at least 2 items',
  ],
  ['a number that is too small', z.int().min(1), 0, 'invalid_value', 'must be at least 1'],
  ['a number that is too large', z.int().max(9), 10, 'invalid_value', 'must be at most 9'],
  [
    'an integer beyond every double',
    z.int(),
    1e300,
    'invalid_value',
    'must be at most 9007199254740991',
  ],
  [
    'a number in a query that is too large',
    pages,
    '99999999999',
    'invalid_value',
    'must be from 1 to 9',
  ],
  [
    'a number in a query beyond every double',
    pages,
    '9'.repeat(400),
    'invalid_value',
    'must be from 1 to 9',
  ],
  ['a number in a query that is too small', pages, '-1', 'invalid_value', 'must be from 1 to 9'],
  ['a fraction in a query', pages, '1.5', 'invalid_value', 'must be a whole number'],
  ['an exponent in a query', pages, '1e1', 'invalid_value', 'must be a whole number'],
  [
    'an unknown word',
    z.enum(['approved', 'denied']),
    'maybe',
    'invalid_value',
    'must be one of approved, denied',
  ],
  [
    'no email address',
    z.email(),
    'x',
    'invalid_value',
    'must be one email address, such as ada@example.com',
  ],
  ['no id', z.uuid(), 'x', 'invalid_value', 'must be a UUID'],
  [
    'another pattern, without a word of code',
    z.string().regex(/^a$/),
    'b',
    'invalid_value',
    'must have the form that the API reference gives',
  ],
  [
    'a schema with a message of its own',
    z.string().regex(/^a$/, { error: 'must be a' }),
    'b',
    'invalid_value',
    'must be a',
  ],
])('%s', (_, field, value, code, message) => {
  const judge = () => validate(schema.extend({ value: field }), { value }, '');
  expect(judge).toThrow(AppError);
  try {
    judge();
  } catch (error) {
    expect(error).toMatchObject({ details: { issues: [{ pointer: '/value', code, message }] } });
  }
});

test('a query is read as UTF-8, and a percent sign that escapes nothing is one', () => {
  expect({ ...readQuery('q=%C3%A9+b&limit=100%&&empty') }).toEqual({
    q: '\u00e9 b',
    limit: '100%',
    empty: '',
  });
});

test('a parameter that may be repeated is a list, and any other is refused when it is', () => {
  const search = 'type=a&limit=1&type=b';
  expect({ ...readQuery(search, ['type']) }).toEqual({ type: ['a', 'b'], limit: '1' });
  expect({ ...readQuery('type=a', ['type']) }).toEqual({ type: ['a'] });
  expect(() => readQuery(search)).toThrow(
    expect.objectContaining({
      details: { issues: [expect.objectContaining({ code: 'repeated_parameter' })] },
    }),
  );
});

test.each([
  ['q=%ff', '/query/q'],
  ['limit=1&q=%C3', '/query/q'],
  ['q=%ed%a0%80', '/query/q'],
  ['%fe=1', '/query/\ufffd'],
])('a query that is not UTF-8 is refused with its parameter: %s', (search, pointer) => {
  expect(() => readQuery(search)).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      details: { issues: [expect.objectContaining({ pointer, code: 'invalid_string' })] },
    }),
  );
});
