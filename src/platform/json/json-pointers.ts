/** Looks for places in known JSON, such as stored arguments, without building a value. */
import { endOfKnownString, endOfKnownValue } from './json-members.ts';
import { skipSpace } from './json-tokens.ts';

/** The pointers below a place: those that end there, and those that continue by a member or an index. */
interface Place {
  readonly pointers: string[];
  readonly members: Map<string, Place>;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = '\\';
const OPEN_BRACE = 0x7b;

/**
 * Which of these RFC 6901 pointers point to a value. It reads the text once, and only until all are
 * found.
 */
export function pointersInto(text: string, pointers: readonly string[]): ReadonlySet<string> {
  const root = placesOf(pointers);
  const search: Search = { text, wanted: new Set(pointers).size, found: new Set() };
  endOfSearched(search, skipSpace(text, 0), root);
  return search.found;
}

interface Search {
  readonly text: string;
  /** How many different pointers there are. */
  readonly wanted: number;
  readonly found: Set<string>;
}

function placesOf(pointers: readonly string[]): Place {
  const root: Place = { pointers: [], members: new Map() };
  for (const pointer of pointers) {
    let place = root;
    for (const token of pointer.split('/').slice(1)) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const inner = place.members.get(name) ?? { pointers: [], members: new Map() };
      place.members.set(name, inner);
      place = inner;
    }
    place.pointers.push(pointer);
  }
  return root;
}

/** The position after a value, or anywhere once all are found. */
function endOfSearched(search: Search, start: number, place: Place | undefined): number {
  const { text, found, wanted } = search;
  if (!place) return endOfKnownValue(text, start);
  for (const pointer of place.pointers) found.add(pointer);
  const code = text.charCodeAt(start);
  const isObject = code === OPEN_BRACE;
  if (place.members.size === 0 || (!isObject && code !== OPEN_BRACKET))
    return endOfKnownValue(text, start);
  let at = skipSpace(text, start + 1);
  for (let index = 0; isObject ? text.charCodeAt(at) === QUOTE : !isClosed(text, at); index += 1) {
    let name = String(index);
    if (isObject) {
      const end = endOfKnownString(text, at);
      name = unquoted(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    at = skipSpace(text, endOfSearched(search, at, place.members.get(name)));
    if (found.size === wanted) return at;
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

const isClosed = (text: string, at: number): boolean => at >= text.length || text[at] === ']';

const unquoted = (quoted: string): string =>
  quoted.includes(BACKSLASH) ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
