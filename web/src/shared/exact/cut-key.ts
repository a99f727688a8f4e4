/** Keys that an agent chose, as text between quotes: a key can be a sentence that looks like one of ours. */
import { decodedSource } from '../../../../src/platform/json/source-values.ts';

const MOST_CHARACTERS = 60;
/** Of a longer key: what is at its end can matter most. */
const LAST_CHARACTERS = 15;
/** A character, or an escape that stands for one. */
const CHARACTERS = /\\.|./gsu;

interface CutKey {
  /** With quotes at both ends, also where its middle is left out. */
  readonly shown: string;
  /** How many characters it does not show. */
  readonly left: number;
}

export function cutKey(keySource: string): CutKey {
  const source = decodedSource(keySource);
  const characters = source.slice(1, -1).match(CHARACTERS) ?? [];
  if (fitting(characters, MOST_CHARACTERS).length === characters.length)
    return { shown: source, left: 0 };
  const first = fitting(characters, MOST_CHARACTERS - LAST_CHARACTERS);
  const last = fitting(characters.toReversed(), LAST_CHARACTERS).reverse();
  return {
    shown: `"${first.join('')}…${last.join('')}"`,
    left: characters.length - first.length - last.length,
  };
}

function fitting(characters: readonly string[], most: number): string[] {
  let length = 0;
  const end = characters.findIndex((character) => (length += character.length) > most);
  return characters.slice(0, end === -1 ? characters.length : end);
}
