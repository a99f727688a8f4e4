/** Keys that an agent chose, as text between quotes: a key can be a sentence that looks like one of ours. */
import { decodedSource } from '../../../src/platform/json/source-values.ts';

const MOST_CHARACTERS = 60;
/** A character, or an escape that stands for one. */
const CHARACTERS = /\\.|./gsu;

export interface CutKey {
  /** With quotes at both ends, also where it is cut. */
  readonly shown: string;
  /** How many characters it does not show. */
  readonly left: number;
}

export function cutKey(keySource: string): CutKey {
  const source = decodedSource(keySource);
  const characters = source.slice(1, -1).match(CHARACTERS) ?? [];
  let length = 0;
  const end = characters.findIndex((character) => (length += character.length) > MOST_CHARACTERS);
  if (end === -1) return { shown: source, left: 0 };
  return { shown: `"${characters.slice(0, end).join('')}…"`, left: characters.length - end };
}
