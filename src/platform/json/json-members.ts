/**
 * Takes known JSON, such as stored documents, apart: the members of an object, the length of a list.
 * It is quick because it checks nothing.
 */
import { JsonText, parseExact, type KeptObject } from './exact-json.ts';
import { skipSpace } from './json-tokens.ts';

/** The members of an object; those of `keep` as their text. */
export function knownMembers(text: string, keep: readonly string[]): KeptObject {
  const members = Object.create(null) as KeptObject;
  for (const [name, value] of knownEntries(text))
    members[name] = keep.includes(name) ? new JsonText(value) : parseExact(value);
  return members;
}

/** The names and texts of an object's members. */
export function* knownEntries(text: string): Generator<readonly [name: string, value: string]> {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charAt(at) === '"') {
    const colon = endOfKnownString(text, at);
    const name = JSON.parse(text.slice(at, colon)) as string;
    const start = skipSpace(text, skipSpace(text, colon) + 1);
    const end = endOfKnownValue(text, start);
    yield [name, text.slice(start, end).trimEnd()];
    at = skipSpace(text, end + 1);
  }
}

/** How many items a list has. */
export function knownLength(text: string): number {
  return [...knownItems(text)].length;
}

/** The texts of a list's items. */
export function* knownItems(text: string): Generator<string> {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = endOfKnownValue(text, at);
    yield text.slice(at, end).trimEnd();
    at = text.charCodeAt(end) === COMMA ? skipSpace(text, end + 1) : end;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The position of the comma or bracket after a value. */
export function endOfKnownValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfKnownString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (depth === 0 && (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET))
      return at;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return text.length;
}

/** The position after a string. The engine looks for its end much faster than a loop over it. */
export function endOfKnownString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end > at; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escapes only itself.
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}
