/** What a refusal says about a field: the codes and the style of the documents' reader, whatever the schema. */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { validate } from '../../api/input.ts';
import { AppError } from '../../src/domain/errors.ts';

const schema = z.strictObject({ value: z.unknown() });

test.each<[string, z.ZodType, unknown, string, string]>([
  ['a missing field', z.string(), undefined, 'required', 'is required'],
  ['a number for a text', z.string(), 1, 'invalid_type', 'must be a string'],
  ['a text for an object', z.strictObject({}), 'x', 'invalid_type', 'must be an object'],
  ['a text for an integer', z.int(), '3', 'invalid_type', 'must be an integer'],
  ['a list for an object of any members', z.record(z.string(), z.string()), [], 'invalid_type', 'must be an object'],
  ['a text that is too short', z.string().min(12), 'x', 'invalid_value', 'must be at least 12 characters long'],
  ['a text that is too long', z.string().max(2), 'xxx', 'invalid_value', 'must be at most 2 characters long'],
  ['a list that is too long', z.array(z.int()).max(1), [1, 2], 'too_many', 'must be at most 1'],
  ['a word nobody knows', z.enum(['approved', 'denied']), 'maybe', 'invalid_value', 'must be one of approved, denied'],
  ['another format', z.email(), 'x', 'invalid_value', 'must be in the format email'],
  ['another pattern', z.string().regex(/^a$/), 'b', 'invalid_value', 'must match /^a$/'],
  ['what a schema has its own words for', z.string().regex(/^a$/, { error: 'must be a' }), 'b', 'invalid_value', 'must be a'],
])('%s', (_, field, value, code, message) => {
  const judge = () => validate(schema.extend({ value: field }), { value }, '');
  expect(judge).toThrow(AppError);
  try {
    judge();
  } catch (error) {
    expect(error).toMatchObject({ details: { issues: [{ pointer: '/value', code, message }] } });
  }
});
