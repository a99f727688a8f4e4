/**
 * JSON that keeps every digit. `JSON.parse` decides what is grammatical; a second, iterative pass over the tokens finds
 * what it hides: duplicate keys, nesting, numbers a double would change, and the source text of chosen members.
 */
import { createScanner, type JSONScanner } from 'jsonc-parser';
import { canonicalDecimal, compareDecimalTexts } from './decimals.ts';

export type ExactValue =
  null | boolean | string | number | ExactNumber | ExactValue[] | ExactObject;

/** A JSON object without prototype, so that `__proto__` is an ordinary key. */
export interface ExactObject {
  [key: string]: ExactValue;
}

/** A JSON number whose decimal value a JavaScript number would change. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** The source text of one JSON value, written out unchanged; `value` is parsed at most once, when first asked for. */
export class JsonText {
  readonly text: string;
  #value: ExactValue | undefined;

  /** `value`, when already known, must be what `text` parses to. */
  constructor(text: string, value?: ExactValue) {
    this.text = text;
    this.#value = value;
  }

  get value(): ExactValue {
    this.#value ??= parseExact(this.text) as ExactValue;
    return this.#value;
  }
}

export class ExactJsonError extends Error {
  readonly code: 'malformed_json' | 'duplicate_key' | 'too_deep';
  /** RFC 6901 pointer to the offending value; empty for text that is not JSON. */
  readonly pointer: string;

  constructor(code: ExactJsonError['code'], pointer: string, message: string) {
    super(message);
    this.name = 'ExactJsonError';
    this.code = code;
    this.pointer = pointer;
  }
}

export interface ParseExactOptions {
  /** Deepest allowed nesting level of a container; the outermost one is level 0. Default 100. */
  readonly maxDepth?: number;
  /** Top-level members to return as `JsonText`. */
  readonly keep?: readonly string[];
}

/** What `parseExact` returns with `keep`: an object whose named members are `JsonText`. */
export interface KeptObject {
  [key: string]: ExactValue | JsonText;
}

const DEFAULT_MAX_DEPTH = 100;
const TOO_DEEP = 'The JSON nests too deeply.';

// jsonc-parser's SyntaxKind is a const enum, which isolated modules cannot read.
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
const CLOSE_BRACKET = 4;
const COMMA = 5;
const COLON = 6;
const NULL = 7;
const TRUE = 8;
const FALSE = 9;
const STRING = 10;
const NUMBER = 11;
const END = 17;

/** A container being read. `key` is the member or index the next value belongs to, undefined where a key is expected. */
interface Frame {
  readonly object: ExactObject | undefined;
  readonly array: ExactValue[] | undefined;
  readonly start: number;
  key: string | undefined;
}

/**
 * Strict JSON to exact values. Throws `ExactJsonError` for anything `JSON.parse` refuses, a key that occurs twice in one
 * object (compared after unescaping) and containers nested beyond `maxDepth`. Never recurses; linear in the text.
 */
export function parseExact(text: string, options?: { readonly maxDepth?: number }): ExactValue;
export function parseExact(text: string, options: ParseExactOptions): ExactValue | KeptObject;
export function parseExact(text: string, options: ParseExactOptions = {}): ExactValue | KeptObject {
  const maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  try {
    JSON.parse(text);
  } catch {
    if (nestsBeyond(text, maxDepth)) throw new ExactJsonError('too_deep', '', TOO_DEEP);
    throw new ExactJsonError('malformed_json', '', 'The text is not one valid JSON value.');
  }
  return read(text, maxDepth, options.keep ?? []);
}

/** Reads text that is known to be grammatical. */
function read(text: string, maxDepth: number, keep: readonly string[]): ExactValue | KeptObject {
  const scanner = createScanner(text, true);
  const stack: Frame[] = [];
  const kept: [string, JsonText][] = [];
  let frame: Frame | undefined;
  let root: ExactValue = null;
  const put = (value: ExactValue, start: number): void => {
    if (frame?.object !== undefined) {
      const key = frame.key ?? '';
      frame.object[key] = value;
      frame.key = undefined;
      if (stack.length === 1 && keep.includes(key))
        kept.push([key, new JsonText(text.slice(start, scanner.getPosition()), value)]);
    } else if (frame?.array !== undefined) frame.array.push(value);
    else root = value;
  };
  for (let token = scanner.scan() as number; token !== END; token = scanner.scan()) {
    if (token === COMMA || token === COLON) continue;
    if (token === STRING && frame?.object !== undefined && frame.key === undefined) {
      const key = scanner.getTokenValue();
      frame.key = key;
      if (key in frame.object)
        throw new ExactJsonError(
          'duplicate_key',
          pointerOf(stack),
          'The key occurs twice in its object.',
        );
    } else if (token === OPEN_BRACE || token === OPEN_BRACKET) {
      if (stack.length > maxDepth) throw new ExactJsonError('too_deep', pointerOf(stack), TOO_DEEP);
      frame = openFrame(token, scanner.getTokenOffset());
      stack.push(frame);
    } else if (token === CLOSE_BRACE || token === CLOSE_BRACKET) {
      const closed = stack.pop();
      frame = stack.at(-1);
      put(closed?.object ?? closed?.array ?? null, closed?.start ?? 0);
    } else put(scalar(token, scanner), scanner.getTokenOffset());
  }
  if (kept.length === 0) return root;
  const object = root as unknown as KeptObject;
  for (const [key, member] of kept) object[key] = member;
  return object;
}

function openFrame(token: number, start: number): Frame {
  if (token === OPEN_BRACE)
    return { object: Object.create(null) as ExactObject, array: undefined, start, key: undefined };
  return { object: undefined, array: [], start, key: undefined };
}

function scalar(token: number, scanner: JSONScanner): ExactValue {
  switch (token) {
    case STRING:
      return scanner.getTokenValue();
    case NUMBER:
      return exactNumber(scanner.getTokenValue());
    case TRUE:
      return true;
    case FALSE:
      return false;
    case NULL:
      return null;
    default:
      throw new ExactJsonError('malformed_json', '', 'The text is not one valid JSON value.');
  }
}

/** True when the brackets of broken text open more levels than allowed: then depth is the better answer. */
function nestsBeyond(text: string, maxDepth: number): boolean {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan() as number; token !== END; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth += 1;
    else if (token === CLOSE_BRACE || token === CLOSE_BRACKET) depth -= 1;
    if (depth > maxDepth + 1) return true;
    if (depth < 0) return false;
  }
  return false;
}

/** One reference token of an RFC 6901 pointer, escaped. */
export function pointerToken(token: string | number): string {
  return String(token).replaceAll('~', '~0').replaceAll('/', '~1');
}

function pointerOf(stack: readonly Frame[]): string {
  return stack.map((frame) => `/${pointerToken(frame.array?.length ?? frame.key ?? '')}`).join('');
}

/** A number as a JSON source writes it: a JavaScript number when that is the same decimal, else `ExactNumber`. */
function exactNumber(source: string): number | ExactNumber {
  const value = Number(source);
  // A double keeps fifteen significant digits, so short plain notation needs no comparison.
  if (source.length <= 15 && !/[eE]/.test(source)) return value;
  const printed = String(value);
  if (printed === source) return value;
  return Number.isFinite(value) && canonicalDecimal(printed) === canonicalDecimal(source)
    ? value
    : new ExactNumber(source);
}

const sourceOf = (value: number | ExactNumber): string =>
  typeof value === 'number' ? String(value) : value.source;

/** Orders two numbers by their exact decimal values; a JavaScript number counts as the decimal it prints as. */
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

/** Equality of JSON values: numbers as decimals, objects without regard to key order. */
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

/** Like `JSON.stringify`, except that `ExactNumber` and `JsonText` print their source. Undefined at the top prints `null`. */
export function stringifyExact(value: unknown): string {
  return write(value) ?? 'null';
}

function write(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.source;
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(stringifyExact).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON());
  let members = '';
  for (const key of Object.keys(value)) {
    const text = write((value as Record<string, unknown>)[key]);
    if (text !== undefined) members += `${members === '' ? '' : ','}${quote(key)}:${text}`;
  }
  return `{${members}}`;
}

/** Text that needs no escape, which nearly all text is, is quoted without the detour through `JSON.stringify`. */
const PLAIN_TEXT = /^[ !#-[\]-~]{0,100}$/;

function quote(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}
