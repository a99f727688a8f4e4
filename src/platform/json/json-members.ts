/**
 * Takes known JSON, such as stored documents, apart: the members of an object, the length of a list.
 * It is quick because it checks nothing.
 */
import { JsonText, parseExact, type KeptObject } from './exact-json.ts';
import { endOfString, skipSpace } from './json-tokens.ts';

/** The members of an object; those of `keep` as their text. */
export function knownMembers(text: string, keep: readonly string[]): KeptObject {
  const members = Object.create(null) as KeptObject;
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charAt(at) === '"') {
    const colon = endOfString(text, at);
    const name = JSON.parse(text.slice(at, colon)) as string;
    const start = skipSpace(text, skipSpace(text, colon) + 1);
    const end = endOfKnownValue(text, start);
    const value = text.slice(start, end);
    members[name] = keep.includes(name) ? new JsonText(value) : parseExact(value);
    at = skipSpace(text, end + 1);
  }
  return members;
}

/** How many items a list has. */
export function knownLength(text: string): number {
  let count = 0;
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    count += 1;
    at = endOfKnownValue(text, at);
    if (text.charCodeAt(at) === COMMA) at += 1;
  }
  return count;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The position of the comma or bracket after a value. */
function endOfKnownValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (depth === 0 && (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET))
      return at;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return text.length;
}
