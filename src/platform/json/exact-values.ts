/** The values of exact JSON: what they are, and how they compare. */
import { canonicalDecimal, compareDecimalTexts } from './decimals.ts';

export type ExactValue =
  null | boolean | string | number | ExactNumber | ExactValue[] | ExactObject;

/** A JSON object without prototype, so that `__proto__` is an ordinary key. */
export interface ExactObject {
  [key: string]: ExactValue;
}

/** A JSON number whose decimal value, or spelling where that is kept, would change as a JavaScript number. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * A number from its JSON source: a JavaScript number when that is the same decimal, else
 * `ExactNumber`.
 */
export function exactNumber(source: string): number | ExactNumber {
  const value = Number(source);
  // A double keeps fifteen significant digits, so short plain notation needs no comparison.
  if (source.length <= 15 && !/[eE]/.test(source)) return value;
  // So a nonzero decimal too small for a double is not compared, and its exponent may be long.
  if (value === 0) return /^-?[0.]+(?:[eE]|$)/.test(source) ? value : new ExactNumber(source);
  const printed = String(value);
  if (printed === source) return value;
  return Number.isFinite(value) && canonicalDecimal(printed) === canonicalDecimal(source)
    ? value
    : new ExactNumber(source);
}

/** The same with `ExactNumber` for each number that JavaScript would spell in another way. */
export function spelledNumber(source: string): number | ExactNumber {
  const value = Number(source);
  return String(value) === source ? value : new ExactNumber(source);
}

const sourceOf = (value: number | ExactNumber): string =>
  typeof value === 'number' ? String(value) : value.source;

/**
 * Orders two numbers by their exact decimal values. A JavaScript number counts as the decimal that
 * it prints as.
 */
export function compareDecimals(a: number | ExactNumber, b: number | ExactNumber): -1 | 0 | 1 {
  if (a === b) return 0;
  if (Number.isFinite(a) && Number.isFinite(b)) return a < b ? -1 : 1;
  return compareDecimalTexts(sourceOf(a), sourceOf(b));
}

/** One text per JSON value: keys sorted by UTF-16 code unit, no white space, numbers as digits and exponent (`1e2` for 100). */
export function canonicalJson(value: ExactValue): string {
  if (typeof value === 'number')
    return Number.isInteger(value) && value % 10 !== 0 && Math.abs(value) < 1e15
      ? String(value)
      : canonicalDecimal(String(value));
  if (value instanceof ExactNumber) return canonicalDecimal(value.source);
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${members.map((key) => `${quote(key)}:${canonicalJson(value[key] ?? null)}`).join(',')}}`;
}

/** Compares two JSON values: numbers as decimals, objects without regard to key order. */
export function exactEquals(a: ExactValue, b: ExactValue): boolean {
  if (isNumber(a) || isNumber(b)) return isNumber(a) && isNumber(b) && compareDecimals(a, b) === 0;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => exactEquals(item, b[index] ?? null))
    );
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && exactEquals(a[key] ?? null, b[key] ?? null));
}

/** True for a JSON object. */
export function isExactObject(value: unknown): value is ExactObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}

/** True for a JSON number, exact or not. */
export function isNumber(value: ExactValue | undefined): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

const PLAIN_TEXT = /^[ !#-[\]-~]{0,100}$/;

/** Text as JSON. Text that needs no escape, as most text does, is quoted without `JSON.stringify`. */
export function quote(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}
