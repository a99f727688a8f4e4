/** Arguments of which only the ends are read: the end belongs to the last text of the start if no quotation mark is between them. */
import { readBeginning, readSource, type SourceValue } from '../../platform/json/source-values.ts';
import type { LeftOut } from '../shown/value-text.ts';

/** The text of arguments, or its ends. */
export interface ExcerptSource {
  readonly start: string;
  /** The last characters, if no quotation mark is between the start and them. */
  readonly end: string | null;
  /** Of all of it. */
  readonly characters: number;
}

interface Ends {
  readonly whole: SourceValue | undefined;
  /** Absent where the end is not read. */
  readonly leftOut?: LeftOut;
}

/** Up to the quotation mark that ends a string. */
const INSIDE = /^(?:[^"\\]|\\.)*/s;
/** What is before it may be the end of a token or a password. */
const NEXT_WORD = /\s|\\[nrt]/;
const KEY_ENDS = '-----END';

export function readEnds({ start, end, characters }: ExcerptSource): Ends {
  const whole = readBeginning(start);
  const last = whole && lastOf(whole);
  if (!last || end === null || !isCutString(last)) return { whole };
  const [inside = ''] = INSIDE.exec(end) ?? [];
  const word = Math.max(inside.search(NEXT_WORD), inside.lastIndexOf(KEY_ENDS));
  if (inside.length === end.length || word === -1) return { whole };
  const beginning = `${start.slice(0, last.offset)}${JSON.stringify(last.characters).slice(0, -1)}`;
  const joined = `${beginning} … ${end.slice(word)}`;
  const both = readSource(joined);
  const left = Math.max(0, characters - joined.length);
  return both ? { whole: both, leftOut: { at: last.offset, characters: left } } : { whole };
}

function lastOf(whole: SourceValue): SourceValue {
  let last = whole;
  for (let next = last.lastChild; next; next = last.lastChild) last = next;
  return last;
}

/** A string of which the end is missing. One that ends where the text does is whole. */
function isCutString(value: SourceValue): boolean {
  if (value.kind !== 'string' || !value.isCut) return false;
  try {
    JSON.parse(value.source);
    return false;
  } catch {
    return true;
  }
}
