/**
 * Reads a YAML file to exact values, and remembers where each of them is. It takes plain YAML 1.2 (core schema) only:
 * no anchors, aliases, tags, directives or further documents. Numbers are those of JSON, and keep their spelling.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Node,
  type Scalar,
} from 'yaml';
import { pointerToken } from '../../../src/platform/json/exact-json.ts';
import {
  spelledNumber,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';

/** Both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What is wrong, and where. */
export interface Fault extends Place {
  readonly message: string;
}

export interface YamlSource {
  readonly value: ExactValue;
  /** The place of the value that an RFC 6901 pointer names, or of the closest one around it. */
  readonly placeOf: (pointer: string) => Place;
}

export type ReadYaml =
  | { readonly ok: true; readonly source: YamlSource }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** Far more than a document of the API may nest, and little enough for a recursive parser. */
const DEEPEST = 100;
const WIDEST_INDENT = 400;

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
/** Numbers of the core schema that JSON does not have. */
const OTHER_NUMBER =
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^0o[0-7]+$|^0x[0-9a-fA-F]+$|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;
const WORDS: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

interface Reading {
  readonly faults: Fault[];
  /** Offsets by pointer. */
  readonly offsets: Map<string, number>;
  readonly placeAt: (offset: number) => Place;
}

/** Reads the text of one file. Reports at most one fault of the syntax, and all others. */
export function readYaml(text: string): ReadYaml {
  const nested = tooDeep(text);
  if (nested) return { ok: false, faults: [nested] };
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = parseDocument(text, {
    // Only strings: which words and numbers there are is decided below.
    ...{ schema: 'failsafe', version: '1.2', uniqueKeys: false, prettyErrors: false },
    ...{ merge: false, lineCounter: lines, logLevel: 'error' },
  });
  const reading: Reading = { faults: [], offsets: new Map(), placeAt };
  const { errors, directives } = document;
  if (directives.yaml.explicit === true || Object.keys(directives.tags).length > 1)
    reading.faults.push({ ...placeAt(0), message: 'directives such as %YAML are not allowed' });
  for (const { message, pos } of errors.slice(0, 1))
    reading.faults.push({ ...placeAt(pos[0]), message: syntaxMessage(message) });
  if (reading.faults.length > 0) return { ok: false, faults: reading.faults };
  const value = valueOf(document.contents, '', reading);
  if (reading.faults.length > 0) return { ok: false, faults: reading.faults };
  return { ok: true, source: { value, placeOf: placesOf(reading) } };
}

const syntaxMessage = (message: string): string =>
  message.startsWith('Source contains multiple documents')
    ? 'a file has one document, so --- may not begin another'
    : `is no YAML: ${message}`;

/** What the lexer says that is no text of the file. */
const CONTROL_TOKENS = ['\u0002', '\u0018', '\u001f'];

/** The parser recurses, so nesting has a limit before it starts. */
function tooDeep(text: string): Fault | undefined {
  let [line, column, flow, indicators] = [1, 1, 0, 0];
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') flow += 1;
    if (token === ']' || token === '}') flow -= 1;
    if (token === '-' || token === '?') indicators += 1;
    const isIndent = column === 1 && /^ +$/.test(token);
    if (flow > DEEPEST || indicators > DEEPEST || (isIndent && token.length > WIDEST_INDENT))
      return { line, column, message: `nests deeper than ${String(DEEPEST)} levels` };
    const breaks = token.split('\n').length - 1;
    if (breaks > 0) [line, column, indicators] = [line + breaks, 1, 0];
    else if (!CONTROL_TOKENS.includes(token)) column += token.length;
  }
  return undefined;
}

function placesOf({ offsets, placeAt }: Reading): YamlSource['placeOf'] {
  return (pointer) => {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const offset = offsets.get(at);
      if (offset !== undefined) return placeAt(offset);
      if (at === '' || !at.includes('/')) return { line: 1, column: 1 };
    }
  };
}

function valueOf(node: unknown, pointer: string, reading: Reading): ExactValue {
  const fault = (message: string): null => {
    const offset = (node as Node | null)?.range?.[0] ?? 0;
    reading.faults.push({ ...reading.placeAt(offset), message });
    return null;
  };
  if (node === null || node === undefined) return null;
  if (!reading.offsets.has(pointer)) reading.offsets.set(pointer, (node as Node).range?.[0] ?? 0);
  if (isAlias(node)) return fault('aliases (*) are not allowed: write the value again');
  const { anchor, tag } = node as { anchor?: string; tag?: string };
  if (anchor !== undefined) return fault('anchors (&) are not allowed');
  if (tag !== undefined) return fault('tags (!) are not allowed');
  if (isScalar(node)) return scalarOf(node, fault);
  if (isSeq(node))
    return node.items.map((item, index) => valueOf(item, `${pointer}/${String(index)}`, reading));
  if (!isMap(node)) return fault('is no value of JSON');
  const object = Object.create(null) as ExactObject;
  for (const { key, value } of node.items) {
    const name = nameOf(key, reading);
    if (name === undefined) continue;
    const at = `${pointer}/${pointerToken(name)}`;
    if (name in object) {
      const offset = (key as Node).range?.[0] ?? 0;
      reading.faults.push({ ...reading.placeAt(offset), message: `has ${name} twice` });
      continue;
    }
    // A member is where its name is, which is what people look for.
    reading.offsets.set(at, (key as Node).range?.[0] ?? 0);
    object[name] = valueOf(value, at, reading);
  }
  return object;
}

function nameOf(key: unknown, reading: Reading): string | undefined {
  const node = key as (Node & { anchor?: string; tag?: string }) | null;
  const offset = node?.range?.[0] ?? 0;
  if (isScalar(node) && node.anchor === undefined && node.tag === undefined) {
    const { value, source } = node as Scalar;
    if (
      typeof value === 'string' &&
      (value !== '' || source === undefined || node.type !== 'PLAIN')
    )
      return value;
  }
  reading.faults.push({
    ...reading.placeAt(offset),
    message: 'the name of a member must be text without anchors or tags',
  });
  return undefined;
}

function scalarOf(node: Scalar, fault: (message: string) => null): ExactValue {
  const text = String(node.value);
  if (node.type !== 'PLAIN') return text;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (JSON_NUMBER.test(text)) return spelledNumber(text);
  if (OTHER_NUMBER.test(text))
    return fault(
      `${text.slice(0, 40)} is no number of JSON: write it as digits, such as 10 or 0.5, or put text into quotes`,
    );
  return text;
}
