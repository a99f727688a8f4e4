/** The value that a name in a text has: `password=…`, `"password": "…"`, `Cookie: …`, `--token …`, `<password>…</password>`. */
import { matchAt, type TextRange } from './secret-shapes.ts';

export interface FoundName {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly words: readonly string[];
}

/** A name in quotes is one of JSON, also of JSON that is text in JSON. */
const QUOTE = /\\*["'`]/y;
const OPERATOR = /[ \t]*(?:=>|[:!]?={1,3}|:(?!:))\s*/y;
const BLANKS = /[ \t]+/y;
/** What stands before the secret itself in a header. */
const SCHEME = /(?:bearer|basic|digest|token|negotiate|apikey) +/iy;
/** Up to what ends a value in a query, a form, a command or a sentence. */
const WORD = /(?:[^\s"'`;|&<>(),\\]|,(?=[^\s])|\\(?!["'`nrt\\]))+/y;
const LINE = /[^\n]*/y;
const COOKIES = /[^\s;"'`]+(?:; *[^\s;="'`]+=[^\s;"'`]*)*/y;

/** Whether a value may follow: most words of a text are told apart by the sign after them. */
export function mayHaveValue(text: string, end: number, name: string): boolean {
  const next = text.charAt(end);
  if (/[=:!"'`\\>]/.test(next)) return true;
  if (!/[ \t]/.test(next) || /^-+no-|-stdin$/.test(name)) return false;
  return name.startsWith('-') || /password$/i.test(name) || matchAt(OPERATOR, text, end) !== '';
}

export function valueAfter(text: string, name: FoundName): TextRange | undefined {
  const { start, end } = name;
  if (text.charAt(end) === '>') return elementAt(text, name);
  const quote = matchAt(QUOTE, text, end);
  const operator = matchAt(OPERATOR, text, end + quote.length);
  if (operator !== '') {
    const at = end + quote.length + operator.length;
    return quote === '' ? plainAt(text, at, name) : memberAt(text, at);
  }
  if (quote !== '') return undefined;
  const at = end + matchAt(BLANKS, text, end).length;
  if (at === end) return undefined;
  const isOption = text.charAt(start) === '-' && !/[-`]/.test(text.charAt(at));
  if (isOption) return quotedAt(text, at) ?? wordAt(text, at);
  // As SQL has it.
  return /password$/i.test(name.name) && text.charAt(at) === "'" ? quotedAt(text, at) : undefined;
}

/** Between the tags of an element. */
function elementAt(text: string, { start, end }: FoundName): TextRange | undefined {
  if (!/<(?:[\w-]+:)?$/.test(text.slice(Math.max(0, start - 40), start))) return undefined;
  const close = text.indexOf('<', end);
  return { start: end + 1, end: close === -1 ? text.length : close };
}

/** A value of JSON. Of a list or an object, all of it. */
function memberAt(text: string, at: number): TextRange | undefined {
  const open = text.charAt(at);
  if (open !== '[' && open !== '{') return quotedAt(text, at) ?? wordAt(text, at);
  const brackets = /[[\]{}]|\\*"/g;
  brackets.lastIndex = at;
  let depth = 0;
  for (let match = brackets.exec(text); match; match = brackets.exec(text)) {
    const [sign] = match;
    if (sign.endsWith('"')) brackets.lastIndex = quotedAt(text, match.index)?.after ?? text.length;
    else depth += sign === '[' || sign === '{' ? 1 : -1;
    if (depth === 0) return { start: at, end: brackets.lastIndex };
  }
  return { start: at, end: text.length };
}

/** A value without a name in quotes: of a header, an option, a query, a file of settings, or a sentence. */
function plainAt(text: string, from: number, name: FoundName): TextRange | undefined {
  const at = from + matchAt(SCHEME, text, from).length;
  const quoted = quotedAt(text, at);
  if (quoted) return quoted;
  const isHeader = text.slice(name.end, from).trim() === ':';
  if (!isHeader) return wordAt(text, at);
  const before = text.slice(Math.max(0, name.start - MOST_BEFORE), name.start);
  const outer = /\\*["'`]$/.exec(before)?.[0];
  if (outer !== undefined) {
    const { start, end } = closedAt(text, at, outer);
    return { start, end };
  }
  if (/(?:^|\n)[ \t>*-]*$/.test(before) && (before.length < MOST_BEFORE || before.includes('\n')))
    return { start: at, end: at + matchAt(LINE, text, at).replace(/[\s;,]+$/, '').length };
  const isCookie = name.words.some((word) => /cookies?$/.test(word));
  return wordAt(text, at, isCookie ? COOKIES : WORD);
}

const MOST_BEFORE = 40;

function wordAt(text: string, at: number, expression = WORD): TextRange {
  return { start: at, end: at + matchAt(expression, text, at).length };
}

interface QuotedRange extends TextRange {
  /** Where the text continues. */
  readonly after: number;
}

function quotedAt(text: string, at: number): QuotedRange | undefined {
  const quote = matchAt(QUOTE, text, at);
  // What a shell would run is no text in quotes.
  const isCommand = quote === '`' && text.charAt(at - 1) === '=';
  return quote === '' || isCommand ? undefined : closedAt(text, at + quote.length, quote);
}

/** Up to the same quote with as many backslashes, or with fewer ones, which ends the text around it. Else to the end. */
function closedAt(text: string, start: number, quote: string): QuotedRange {
  const sign = quote.slice(-1);
  const escapes = quote.length - 1;
  if (/\$\(|`/y.test(text.slice(start, start + 2))) return { start, end: start, after: start };
  for (let at = text.indexOf(sign, start); at !== -1; at = text.indexOf(sign, at + 1)) {
    let before = 0;
    while (at - before > start && text.charAt(at - before - 1) === '\\') before += 1;
    const isClosing = escapes === 0 ? before % 2 === 0 : before <= escapes;
    if (isClosing) return { start, end: at - (escapes === 0 ? 0 : before), after: at + 1 };
  }
  return { start, end: text.length, after: text.length };
}

/** Names a secret that is elsewhere, or stands for one that was left out: a reader should see that. */
const REFERENCE =
  /^(?:\$\{?[A-Z_][A-Z\d_]*\}?|\$?\{\{[^\n]*\}\}|<[\w -]*>|%[A-Z_][A-Z\d_]*%|[*•…]+)$/;
/** What a program runs to get one. */
const COMMAND = /^(?:\$\(|\$$|`)/;
/** Words of programs. */
const CODE =
  /^(?:(?:true|false|null|nil|none|undefined|string|str|number|boolean|bool|any|bytes|await|new|function|async|required|optional)\b|(?:process|os|self|this|req|request|config|settings|context|env|args|options)\.|[A-Za-z_][\w.]*\(.*\)$)/i;
const MOST_REFERENCE = 200;

/** Whether a reader should see what the range has: it is a count, a reference or a part of a program. */
export function isNoSecret(
  text: string,
  { start, end }: TextRange,
  words: readonly string[],
): boolean {
  // A longer one is hidden without a look at it: an agent could make the service look at it for every name.
  if (end - start > MOST_REFERENCE) return false;
  const value = text.slice(start, end);
  if (/^\d+$/.test(value) && words.includes('tokens')) return true;
  if (text.charAt(end) === '(' && /^[A-Za-z_][\w.]*$/.test(value)) return true;
  return REFERENCE.test(value) || COMMAND.test(value) || CODE.test(value);
}
