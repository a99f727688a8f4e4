/** Where the values of a JSON text begin and end: one pass, and lists of numbers instead of objects. */
import { endOfNumber, endOfString, MALFORMED, skipSpace } from './json-tokens.ts';

export type SourceKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Values by their number, in the order of the text. -1 where there is none. */
export interface Tree {
  readonly text: string;
  readonly kinds: SourceKind[];
  readonly starts: number[];
  readonly ends: number[];
  readonly keyStarts: number[];
  readonly keyEnds: number[];
  readonly parents: number[];
  readonly firsts: number[];
  readonly lasts: number[];
  readonly nexts: number[];
  readonly sizes: number[];
  /** Which one of its siblings it is. */
  readonly positions: number[];
  /** The text ends inside the document. */
  isCut: boolean;
}

export const NONE = -1;
interface Reading {
  readonly tree: Tree;
  /** The containers that are open, outermost first. */
  readonly open: number[];
  at: number;
  keyStart: number;
  keyEnd: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Undefined where the text is no JSON, and no beginning of one. */
export function readTree(text: string): Tree | undefined {
  const tree: Tree = {
    ...{ text, kinds: [], starts: [], ends: [], keyStarts: [], keyEnds: [] },
    ...{ parents: [], firsts: [], lasts: [], nexts: [], sizes: [], positions: [] },
    isCut: false,
  };
  const reading: Reading = { tree, open: [], at: 0, keyStart: NONE, keyEnd: NONE };
  for (let goesOn = true; goesOn;) {
    const isRead = readValue(reading);
    if (isRead === 'opened') continue;
    goesOn = isRead === 'whole' && readOn(reading);
  }
  const isAtEnd = skipSpace(text, reading.at) >= text.length;
  if (!isAtEnd) return undefined;
  // A container or a value was not over.
  tree.isCut = reading.open.length > 0 || tree.ends[0] === NONE || tree.ends.length === 0;
  for (const at of reading.open) tree.ends[at] = text.length;
  const lastValue = tree.ends.length - 1;
  if (tree.ends[lastValue] === NONE) tree.ends[lastValue] = text.length;
  return tree;
}

/** `stopped`: the text ends in the value, or is no JSON. */
function readValue(reading: Reading): 'whole' | 'opened' | 'stopped' {
  const { tree } = reading;
  const { text } = tree;
  const start = skipSpace(text, reading.at);
  const code = text.charCodeAt(start);
  const kind = kindOf(text, start);
  if (kind === undefined) {
    reading.at = start;
    return 'stopped';
  }
  const node = add(reading, kind, start);
  if (kind === 'object' || kind === 'array') return openContainer(reading, node, code);
  const end = endOfScalar(text, start, kind);
  if (end === MALFORMED) {
    // Only the end of the text may cut a value.
    reading.at = isCutScalar(text, start, kind) ? text.length : start;
    return 'stopped';
  }
  tree.ends[node] = end;
  reading.at = end;
  return 'whole';
}

function openContainer(
  reading: Reading,
  node: number,
  code: number,
): 'whole' | 'opened' | 'stopped' {
  const { tree, open } = reading;
  const start = skipSpace(tree.text, (tree.starts[node] ?? 0) + 1);
  const close = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
  reading.at = start;
  if (tree.text.charCodeAt(start) === close) {
    reading.at = start + 1;
    tree.ends[node] = reading.at;
    return 'whole';
  }
  open.push(node);
  return code === OPEN_BRACKET || readKey(reading) ? 'opened' : 'stopped';
}

/** What follows a value: false at the end of the document, or where it stops. */
function readOn(reading: Reading): boolean {
  const { tree, open } = reading;
  const { text } = tree;
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const isObject = tree.kinds[node] === 'object';
    const at = skipSpace(text, reading.at);
    const code = text.charCodeAt(at);
    reading.at = at;
    if (code === COMMA) {
      reading.at = at + 1;
      return !isObject || readKey(reading);
    }
    if (code !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return false;
    open.pop();
    reading.at = at + 1;
    tree.ends[node] = reading.at;
  }
  return false;
}

function readKey(reading: Reading): boolean {
  const { text } = reading.tree;
  const start = skipSpace(text, reading.at);
  reading.at = start;
  if (text.charCodeAt(start) !== QUOTE) return false;
  const end = endOfString(text, start);
  if (end === MALFORMED) {
    if (isCutScalar(text, start, 'string')) reading.at = text.length;
    return false;
  }
  const colon = skipSpace(text, end);
  reading.at = colon;
  if (text.charCodeAt(colon) !== COLON) return false;
  reading.at = colon + 1;
  reading.keyStart = start;
  reading.keyEnd = end;
  return true;
}

function add(reading: Reading, kind: SourceKind, start: number): number {
  const { tree, open } = reading;
  const node = tree.starts.length;
  const parent = open.at(-1) ?? NONE;
  tree.kinds.push(kind);
  tree.starts.push(start);
  tree.ends.push(NONE);
  tree.keyStarts.push(reading.keyStart);
  tree.keyEnds.push(reading.keyEnd);
  tree.parents.push(parent);
  tree.firsts.push(NONE);
  tree.lasts.push(NONE);
  tree.nexts.push(NONE);
  tree.sizes.push(0);
  tree.positions.push(tree.sizes[parent] ?? 0);
  reading.keyStart = NONE;
  if (parent === NONE) return node;
  const before = tree.lasts[parent] ?? NONE;
  if (before === NONE) tree.firsts[parent] = node;
  else tree.nexts[before] = node;
  tree.lasts[parent] = node;
  tree.sizes[parent] = (tree.sizes[parent] ?? 0) + 1;
  return node;
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

function kindOf(text: string, at: number): SourceKind | undefined {
  const code = text.charCodeAt(at);
  if (code === OPEN_BRACE) return 'object';
  if (code === OPEN_BRACKET) return 'array';
  if (code === QUOTE) return 'string';
  const first = text.charAt(at);
  if (first === 't' || first === 'f') return 'boolean';
  if (first === 'n') return 'null';
  return /[-\d]/.test(first) ? 'number' : undefined;
}

function endOfScalar(text: string, start: number, kind: SourceKind): number {
  if (kind === 'string') return endOfString(text, start);
  const word = WORDS[text.charAt(start)];
  if (word === undefined) return endOfNumber(text, start);
  return text.startsWith(word, start) ? start + word.length : MALFORMED;
}

/** Whether what begins here could continue after the end of the text. */
function isCutScalar(text: string, start: number, kind: SourceKind): boolean {
  if (kind === 'string') return true;
  const rest = text.slice(start);
  return kind === 'number'
    ? /^-?[\d.eE+-]*$/.test(rest)
    : (WORDS[rest.charAt(0)] ?? '').startsWith(rest);
}
