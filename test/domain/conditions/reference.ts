/**
 * A second implementation of conditions from their description: no CEL, no slots, numbers as
 * rationals.
 */
import type { Condition, LeafCondition } from '../../../src/domain/conditions/document.ts';
import type { ConditionFacts } from '../../../src/domain/conditions/types.ts';
import { ExactNumber, type ExactValue } from '../../../src/platform/json/exact-values.ts';

type Plain = null | boolean | string | { number: string } | Plain[] | Map<string, Plain>;

/** A normal form in which deep equality is string equality. */
function plain(value: ExactValue): Plain {
  if (typeof value === 'number' || value instanceof ExactNumber) return { number: decimal(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return new Map(
    Object.keys(value)
      .sort()
      .map((key) => [key, plain(value[key] ?? null)]),
  );
}

function fingerprint(value: ExactValue): string {
  return JSON.stringify(plain(value), (_key, one: unknown) =>
    one instanceof Map ? { map: [...one] } : one,
  );
}

/** A number as a multiple of 10^-1000, which is exact for all numbers in the tests. */
function scaled(value: number | ExactNumber): bigint {
  const [mantissa = '', exponent = '0'] = (typeof value === 'number' ? String(value) : value.source)
    .toLowerCase()
    .split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return (
    BigInt(whole + fraction) *
    10n ** (1000n + BigInt(exponent.replace('+', '')) - BigInt(fraction.length))
  );
}
const decimal = (value: number | ExactNumber): string => {
  const negative = (typeof value === 'number' ? String(value) : value.source).startsWith('-');
  const magnitude = scaled(value);
  return String(negative && magnitude > 0n ? -magnitude : magnitude);
};

function lookUp(
  field: string,
  facts: ConditionFacts,
  item: ExactValue | undefined,
): ExactValue | undefined {
  let here: unknown = { ...facts, item };
  for (const raw of field.split('/').slice(1)) {
    const token = raw.replace(/~1/g, '/').replace(/~0/g, '~');
    if (here instanceof ExactNumber || typeof here !== 'object' || here === null) return undefined;
    if (Array.isArray(here) && !/^(0|[1-9]\d*)$/.test(token)) return undefined;
    here = Object.getOwnPropertyDescriptor(here, token)?.value;
  }
  return here as ExactValue | undefined;
}

const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** Nanoseconds × 10: precise enough for the fractions in the tests. */
function time(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const [, fraction = ''] = /\.(\d+)/.exec(value) ?? [];
  const seconds = Date.parse(value.replace(/\.\d+/, ''));
  return Number.isNaN(seconds)
    ? undefined
    : BigInt(seconds) * 10n ** 7n + BigInt(fraction.padEnd(10, '0'));
}

function ordering(a: ExactValue, b: ExactValue): bigint | undefined {
  if (isNumber(a) && isNumber(b)) return BigInt(decimal(a)) - BigInt(decimal(b));
  const [left, right] = [time(a), time(b)];
  return left === undefined || right === undefined ? undefined : left - right;
}

function leafHolds(
  { operator, value = null }: LeafCondition,
  field: ExactValue | undefined,
): boolean {
  if (operator === 'not_exists') return field === undefined;
  if (field === undefined) return false;
  const same = (one: ExactValue, other: ExactValue): boolean =>
    fingerprint(one) === fingerprint(other);
  const texts = typeof field === 'string' && typeof value === 'string';
  const order = ordering(field, value);
  switch (operator) {
    case 'exists':
      return true;
    case 'equals':
      return same(field, value);
    case 'not_equals':
      return !same(field, value);
    case 'less_than':
      return order !== undefined && order < 0n;
    case 'less_than_or_equal':
      return order !== undefined && order <= 0n;
    case 'greater_than':
      return order !== undefined && order > 0n;
    case 'greater_than_or_equal':
      return order !== undefined && order >= 0n;
    case 'in':
      return (value as ExactValue[]).some((one) => same(one, field));
    case 'not_in':
      return !(value as ExactValue[]).some((one) => same(one, field));
    case 'contains':
      return Array.isArray(field)
        ? field.some((one) => same(one, value))
        : texts && field.includes(value);
    case 'not_contains':
      return Array.isArray(field)
        ? !field.some((one) => same(one, value))
        : texts && !field.includes(value);
    case 'starts_with':
      return texts && field.startsWith(value);
    case 'ends_with':
      return texts && field.endsWith(value);
    case 'matches':
      return texts && toRegExp(value).test(field);
    case 'not_matches':
      return texts && !toRegExp(value).test(field);
  }
}

function toRegExp(pattern: string): RegExp {
  return pattern.startsWith('(?i)') ? new RegExp(pattern.slice(4), 'iu') : new RegExp(pattern, 'u');
}

export function holds(condition: Condition, facts: ConditionFacts, item?: ExactValue): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, facts, item));
  if ('any' in condition) return condition.any.some((part) => holds(part, facts, item));
  if ('some' in condition) {
    const list = lookUp(condition.some.field, facts, item);
    return Array.isArray(list) && list.some((one) => holds(condition.some.condition, facts, one));
  }
  if ('every' in condition) {
    const list = lookUp(condition.every.field, facts, item);
    return (
      Array.isArray(list) &&
      list.length > 0 &&
      list.every((one) => holds(condition.every.condition, facts, one))
    );
  }
  return leafHolds(condition, lookUp(condition.field, facts, item));
}
