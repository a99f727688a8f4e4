/**
 * The meaning of each operator. Total: a missing field or a value of the wrong type is false,
 * except for `not_exists`.
 */
import type { RE2JS } from 're2js';
import {
  compareDecimals,
  exactEquals,
  ExactNumber,
  isExactObject,
  isNumber,
  type ExactValue,
} from '../../platform/json/exact-values.ts';
import { compareInstants, parseInstant, type ExactInstant } from './instants.ts';
import { compilePattern } from './patterns.ts';
import type { ConditionOperator } from './types.ts';

/**
 * The type of a leaf's value: none, any JSON, a number or time, a list, a text, a regular
 * expression.
 */
export type LiteralKind = 'none' | 'any' | 'ordered' | 'list' | 'text' | 'pattern';

export const LITERAL_KINDS: Readonly<Record<ConditionOperator, LiteralKind>> = {
  exists: 'none',
  not_exists: 'none',
  equals: 'any',
  not_equals: 'any',
  less_than: 'ordered',
  less_than_or_equal: 'ordered',
  greater_than: 'ordered',
  greater_than_or_equal: 'ordered',
  in: 'list',
  not_in: 'list',
  contains: 'any',
  not_contains: 'any',
  starts_with: 'text',
  ends_with: 'text',
  matches: 'pattern',
  not_matches: 'pattern',
};

/** A leaf's value, prepared once. */
export interface PreparedLiteral {
  readonly value: ExactValue;
  readonly size: number;
  readonly pattern?: RE2JS;
  readonly instant?: ExactInstant;
}

/** Prepares the value of a leaf. Throws when a pattern is not RE2 syntax or too long. */
export function prepareLiteral(
  operator: ConditionOperator,
  value: ExactValue | undefined,
): PreparedLiteral {
  const literal = value ?? null;
  if (LITERAL_KINDS[operator] === 'pattern')
    return { value: literal, size: 0, pattern: compilePattern(literal) };
  const prepared = { value: literal, size: sizeOf(literal) };
  const instant = typeof literal === 'string' ? parseInstant(literal) : undefined;
  return instant && LITERAL_KINDS[operator] === 'ordered' ? { ...prepared, instant } : prepared;
}

type Test = (field: ExactValue, literal: PreparedLiteral) => boolean;

const compares =
  (holds: (order: number) => boolean): Test =>
  (field, literal) => {
    const order = compareOrdered(field, literal);
    return order !== undefined && holds(order);
  };

const TESTS: Readonly<Record<Exclude<ConditionOperator, 'exists' | 'not_exists'>, Test>> = {
  equals: (field, { value }) => exactEquals(field, value),
  not_equals: (field, { value }) => !exactEquals(field, value),
  less_than: compares((order) => order < 0),
  less_than_or_equal: compares((order) => order <= 0),
  greater_than: compares((order) => order > 0),
  greater_than_or_equal: compares((order) => order >= 0),
  in: (field, { value }) => Array.isArray(value) && value.some((one) => exactEquals(field, one)),
  not_in: (field, { value }) =>
    Array.isArray(value) && !value.some((one) => exactEquals(field, one)),
  contains: (field, { value }) => contains(field, value) === true,
  not_contains: (field, { value }) => contains(field, value) === false,
  starts_with: (field, { value }) =>
    typeof field === 'string' && typeof value === 'string' && field.startsWith(value),
  ends_with: (field, { value }) =>
    typeof field === 'string' && typeof value === 'string' && field.endsWith(value),
  matches: (field, { pattern }) =>
    typeof field === 'string' && pattern !== undefined && pattern.test(field),
  not_matches: (field, { pattern }) =>
    typeof field === 'string' && pattern !== undefined && !pattern.test(field),
};

export function applyOperator(
  operator: ConditionOperator,
  field: ExactValue | undefined,
  literal: PreparedLiteral,
): boolean {
  if (operator === 'exists') return field !== undefined;
  if (operator === 'not_exists') return field === undefined;
  return field !== undefined && TESTS[operator](field, literal);
}

function compareOrdered(field: ExactValue, literal: PreparedLiteral): -1 | 0 | 1 | undefined {
  if (isNumber(field))
    return isNumber(literal.value) ? compareDecimals(field, literal.value) : undefined;
  if (typeof field !== 'string' || !literal.instant) return undefined;
  const instant = parseInstant(field);
  return instant && compareInstants(instant, literal.instant);
}

/**
 * Whether a text contains the part, or a list the member. Undefined when the field is neither or
 * the part is not a text.
 */
function contains(field: ExactValue, value: ExactValue): boolean | undefined {
  if (Array.isArray(field)) return field.some((one) => exactEquals(one, value));
  return typeof field === 'string' && typeof value === 'string' ? field.includes(value) : undefined;
}

/**
 * Units of work that a test costs: one, plus those for long texts, numbers, lists and objects. They
 * are measured; patterns at their worst cost more.
 */
export function costOf(
  operator: ConditionOperator,
  field: ExactValue | undefined,
  literal: PreparedLiteral,
): number {
  if (field === undefined || LITERAL_KINDS[operator] === 'none') return 1;
  if (literal.pattern)
    return typeof field === 'string' ? 1 + (field.length * literal.pattern.programSize()) / 200 : 1;
  if (operator === 'contains' || operator === 'not_contains') {
    if (Array.isArray(field))
      return (
        1 + (sizeOf(field) + (isComposite(literal.value) ? field.length * literal.size : 0)) / 100
      );
    return typeof field === 'string' ? costOfSearch(field, literal.value) : 1;
  }
  const choices = LITERAL_KINDS[operator] === 'list' ? literal.value : [literal.value];
  const compared = (Array.isArray(choices) ? choices : []).filter(
    (choice) => isComposite(choice) === isComposite(field),
  ).length;
  return 1 + (compared * sizeOf(field) + literal.size) / 100;
}

/** A search for a long part compares every letter of the part at every place, at its worst. */
function costOfSearch(field: string, part: ExactValue): number {
  return typeof part === 'string'
    ? 1 + field.length / 1_000 + (field.length * part.length) / 6_000
    : 1;
}

const isComposite = (value: ExactValue): boolean => Array.isArray(value) || isExactObject(value);

/** Of lists and objects, because many tests may look at the same one. */
const sizes = new WeakMap<object, number>();

/** What looking at all of a value costs, in hundredths of a unit. */
function sizeOf(value: ExactValue): number {
  if (typeof value === 'string') return value.length / 10;
  if (value instanceof ExactNumber) return value.source.length * 5;
  if (value === null || typeof value !== 'object') return 0;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 0;
  if (Array.isArray(value)) for (const item of value) size += 10 + sizeOf(item);
  else for (const key in value) size += 10 + key.length / 10 + sizeOf(value[key] ?? null);
  sizes.set(value, size);
  return size;
}
