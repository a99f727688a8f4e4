/**
 * JSON that keeps every digit. One pass over the text checks the grammar, finds duplicate keys and nesting, and keeps
 * what `JSON.parse` loses: numbers a double would change, and the source text of chosen members.
 */
import {
  exactNumber,
  ExactNumber,
  quote,
  spelledNumber,
  type ExactObject,
  type ExactValue,
} from './exact-values.ts';
import { endOfNumber, endOfString, MALFORMED, skipSpace } from './json-tokens.ts';

/**
 * The source text of one JSON value, written out unchanged. `value` is parsed at most once, on
 * first use.
 */
export class JsonText {
  readonly text: string;
  #value: ExactValue | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get value(): ExactValue {
    this.#value ??= parseExact(this.text) as ExactValue;
    return this.#value;
  }
}

export class ExactJsonError extends Error {
  readonly code: 'malformed_json' | 'duplicate_key' | 'too_deep' | 'unknown_field' | 'too_many';
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
  /** Deepest allowed nesting level of a container; the outermost one is level 0. Default 200. */
  readonly maxDepth?: number;
  /** Top-level members to return as `JsonText`. */
  readonly keep?: readonly string[];
  /** Numbers keep their spelling, such as `1.0`, and are written as they came. Default: only their value. */
  readonly spelled?: boolean;
  /** All other top-level members are returned as `JsonText`, too. Default: none are. */
  readonly read?: readonly string[] | undefined;
  /** With `read`: the first other top-level member is refused. What follows it is not looked at. */
  readonly isClosed?: boolean;
  /** The most values and members, in all levels. What follows them is not looked at. */
  readonly mostValues?: number | undefined;
}

/** What `parseExact` returns with `keep`: an object whose named members are `JsonText`. */
export interface KeptObject {
  [key: string]: ExactValue | JsonText;
}

/** Documents with branches of conditions are the deepest values that are stored. */
const DEFAULT_MAX_DEPTH = 200;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A container that is being read. */
interface Frame {
  readonly close: typeof CLOSE_BRACE | typeof CLOSE_BRACKET;
  /** Undefined below a kept member, whose values are not needed yet. */
  readonly built: ExactObject | ExactValue[] | undefined;
  /** Keys read so far, for an object that is not built. */
  readonly keys: Set<string> | undefined;
  /** The member or index of the next value. */
  key: string | number;
}

/** The text and the current position. */
interface Reading {
  readonly text: string;
  readonly isKept: (member: string) => boolean;
  readonly isRefused: (member: string) => boolean;
  /** How many more values there may be. */
  valuesLeft: number;
  readonly maxDepth: number;
  toNumber: (source: string) => number | ExactNumber;
  readonly stack: Frame[];
  at: number;
  /** Where the value of a kept top-level member begins; -1 outside of one. */
  keptFrom: number;
}

/**
 * Parses strict JSON to exact values. Throws `ExactJsonError` for anything that `JSON.parse`
 * refuses, for duplicate keys (compared after unescaping) and for nesting beyond `maxDepth`. Never
 * recurses; linear in the text.
 */
export function parseExact(
  text: string,
  options?: Pick<ParseExactOptions, 'maxDepth' | 'spelled'>,
): ExactValue;
export function parseExact(text: string, options: ParseExactOptions): ExactValue | KeptObject;
export function parseExact(
  text: string,
  {
    maxDepth = DEFAULT_MAX_DEPTH,
    keep = [],
    read,
    isClosed = false,
    mostValues = Infinity,
    spelled = false,
  }: ParseExactOptions = {},
): ExactValue | KeptObject {
  const isKept = (member: string): boolean =>
    keep.includes(member) || read?.includes(member) === false;
  const isRefused = (member: string): boolean => isClosed && read?.includes(member) === false;
  const reading = { ...readingOf(text, { isKept, isRefused }), maxDepth, valuesLeft: mostValues };
  if (spelled) reading.toNumber = spelledNumber;
  return readUpTo(reading, Infinity) as ExactValue | KeptObject;
}

/**
 * Like `parseExact`, in slices. Each call of the returned function reads about that many
 * characters; the last one returns the value.
 */
export function slicedParser(text: string): (characters: number) => ExactValue | undefined {
  const reading = readingOf(text, { isKept: () => false, isRefused: () => false });
  return (characters) => readUpTo(reading, reading.at + characters) as ExactValue | undefined;
}

function readingOf(text: string, members: Pick<Reading, 'isKept' | 'isRefused'>): Reading {
  const start = { at: 0, keptFrom: -1, valuesLeft: Infinity };
  return {
    text,
    ...members,
    ...start,
    maxDepth: DEFAULT_MAX_DEPTH,
    toNumber: exactNumber,
    stack: [],
  };
}

/** The outermost value once it ends; undefined when it continues beyond `end`. */
function readUpTo(reading: Reading, end: number): ExactValue | KeptObject | undefined {
  const { text } = reading;
  do {
    const value = readValue(reading);
    if (value === OPENED) continue;
    const root = putValue(reading, value);
    if (root === undefined) continue;
    if (skipSpace(text, reading.at) !== text.length) throw malformed(reading);
    return root;
  } while (reading.at < end);
  return undefined;
}

/** The result of `readValue` when a non-empty container begins. */
const OPENED = Symbol('opened');

/** Reads a scalar or an empty container, or enters a container. */
function readValue(reading: Reading): ExactValue | typeof OPENED {
  const { text } = reading;
  const start = skipSpace(text, reading.at);
  const isBuilt = reading.keptFrom < 0;
  reading.valuesLeft -= 1;
  if (reading.valuesLeft < 0) throw refusedAtOnce(reading, 'too_many');
  const code = text.charCodeAt(start);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) {
    reading.at = start + 1;
    return open(reading, code, isBuilt);
  }
  const word = WORDS[code];
  if (word && text.startsWith(word.text, start)) {
    reading.at = start + word.text.length;
    return word.value;
  }
  reading.at = code === QUOTE ? endOfString(text, start) : endOfNumber(text, start);
  if (reading.at === MALFORMED) throw malformed(reading);
  if (!isBuilt) return null;
  return code === QUOTE
    ? unquote(text, start, reading.at)
    : reading.toNumber(text.slice(start, reading.at));
}

/** By the code of their first letter. */
const WORDS: Readonly<Record<number, { readonly text: string; readonly value: boolean | null }>> = {
  0x66: { text: 'false', value: false },
  0x6e: { text: 'null', value: null },
  0x74: { text: 'true', value: true },
};

function open(reading: Reading, code: number, isBuilt: boolean): ExactValue | typeof OPENED {
  const { text, stack, maxDepth } = reading;
  if (stack.length > maxDepth) throw refused(reading, 'too_deep');
  const isObject = code === OPEN_BRACE;
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  const built = isBuilt ? newContainer(isObject) : undefined;
  reading.at = skipSpace(text, reading.at);
  if (text.charCodeAt(reading.at) === close) {
    reading.at += 1;
    return built ?? null;
  }
  const keys = isBuilt || !isObject ? undefined : new Set<string>();
  const frame: Frame = { close, built, keys, key: isObject ? '' : 0 };
  stack.push(frame);
  if (isObject) readKey(reading, frame);
  return OPENED;
}

const newContainer = (isObject: boolean): ExactObject | ExactValue[] =>
  isObject ? (Object.create(null) as ExactObject) : [];

/** Reads a member's name and its colon. */
function readKey(reading: Reading, frame: Frame): void {
  const { text } = reading;
  const start = skipSpace(text, reading.at);
  const end = text.charCodeAt(start) === QUOTE ? endOfString(text, start) : MALFORMED;
  if (end === MALFORMED) throw malformed(reading);
  const key = unquote(text, start, end);
  frame.key = key;
  if (reading.stack.length === 1 && reading.isRefused(key))
    throw refusedAtOnce(reading, 'unknown_field');
  if (frame.keys ? frame.keys.has(key) : key in (frame.built as ExactObject))
    throw refused(reading, 'duplicate_key');
  frame.keys?.add(key);
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== COLON) throw malformed(reading);
  reading.at = skipSpace(text, colon + 1);
  if (reading.stack.length === 1 && reading.isKept(key)) reading.keptFrom = reading.at;
}

/**
 * Puts a finished value into its container, and closes containers that end with it. Returns the
 * outermost one at its end.
 */
function putValue(reading: Reading, value: ExactValue): ExactValue | KeptObject | undefined {
  const { text, stack } = reading;
  let ended: ExactValue | JsonText = value;
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    if (stack.length === 1 && reading.keptFrom >= 0) {
      ended = new JsonText(text.slice(reading.keptFrom, reading.at));
      reading.keptFrom = -1;
    }
    if (Array.isArray(frame.built)) frame.built.push(ended as ExactValue);
    else if (frame.built) frame.built[frame.key] = ended as ExactValue;
    reading.at = skipSpace(text, reading.at);
    const code = text.charCodeAt(reading.at);
    reading.at += 1;
    if (code === COMMA) {
      if (typeof frame.key === 'string') readKey(reading, frame);
      else frame.key += 1;
      return undefined;
    }
    if (code !== frame.close) throw malformed(reading);
    stack.pop();
    ended = frame.built ?? null;
  }
  return ended;
}

/** The string between two quotes. */
function unquote(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

const MESSAGES = {
  malformed_json: 'The text is not one valid JSON value.',
  duplicate_key: 'The key occurs twice in its object.',
  too_deep: 'The JSON nests too deeply.',
  unknown_field: 'is not a known field',
  too_many: 'The body has too many values.',
} as const;

/** Text that is not JSON is refused as such, whatever was found before the fault. */
function refused(reading: Reading, code: 'duplicate_key' | 'too_deep'): ExactJsonError {
  try {
    JSON.parse(reading.text);
  } catch {
    return malformed(reading);
  }
  return new ExactJsonError(code, pointerOf(reading.stack), MESSAGES[code]);
}

/** For what is cheap to find and would be expensive to look beyond, so the text after it may be no JSON. */
function refusedAtOnce({ stack }: Reading, code: 'unknown_field' | 'too_many'): ExactJsonError {
  const pointer = code === 'unknown_field' ? pointerOf(stack) : '';
  return new ExactJsonError(code, pointer, MESSAGES[code]);
}

function malformed({ text, maxDepth }: Reading): ExactJsonError {
  const code = nestsBeyond(text, maxDepth) ? 'too_deep' : 'malformed_json';
  return new ExactJsonError(code, '', MESSAGES[code]);
}

/**
 * True when the brackets of broken text open more levels than allowed. Then depth is the better
 * reason.
 */
function nestsBeyond(text: string, maxDepth: number): boolean {
  let depth = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInside = !isInside;
    else if (code === LINE_FEED) isInside = false;
    else if (isInside) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
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
  return stack.map((frame) => `/${pointerToken(frame.key)}`).join('');
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
