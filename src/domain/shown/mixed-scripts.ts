/**
 * Words whose letters look like those of another script, such as a Cyrillic а in “paypal”. Two scripts that are written
 * together, such as kanji and kana, are no such words.
 */

/** Scripts with letters that look alike. */
const LOOKALIKES = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const,
);
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/** Most text that agents send has none, so it is done with one look. */
const BEYOND_LATIN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
/** Only Latin letters and signs of all scripts. It compiles in less time. */
const PLAIN = /^[\0-\u017f\u2010-\u201f\u2022\u2026\u20ac]*$/;
export const isBeyondLatin = (text: string): boolean =>
  !PLAIN.test(text) && BEYOND_LATIN.test(text);

export interface MixedWord {
  readonly word: string;
  readonly scripts: readonly string[];
}

export interface LetterPiece {
  readonly text: string;
  /** Of a letter that does not belong to the script of its word. */
  readonly script: string | undefined;
}

/** In JSON source text, the letter of an escape such as `\n` does not belong to the word after it. */
const SOURCE_ESCAPES = /\\(?:u[\da-f]{4}|.)/giu;

/** The source text with blanks in place of its escapes. */
export const withoutEscapes = (source: string): string =>
  source.replaceAll(SOURCE_ESCAPES, (part) => ' '.repeat(part.length));

const NONE: ReadonlyMap<string, MixedWord> = new Map();

interface HowToRead {
  readonly isSource?: boolean;
  /** Words that look Latin and are not. They are pieces as a whole. */
  readonly lookalikes?: ReadonlyMap<string, MixedWord>;
}

/** The whole text, with each letter apart that a word takes from another script than most of its letters. */
export function letterPieces(
  text: string,
  { isSource = false, lookalikes = NONE }: HowToRead = {},
): LetterPiece[] {
  if (lookalikes.size === 0 && !isBeyondLatin(text)) return [{ text, script: undefined }];
  const words = isSource ? withoutEscapes(text) : text;
  const pieces: LetterPiece[] = [];
  let from = 0;
  const add = (piece: string, index: number, script: string): void => {
    if (index > from) pieces.push({ text: text.slice(from, index), script: undefined });
    pieces.push({ text: piece, script });
    from = index + piece.length;
  };
  for (const { 0: word, index } of words.matchAll(WORDS)) {
    const lookalike = lookalikes.get(word);
    if (lookalike) {
      add(word, index, lookalike.scripts.join());
      continue;
    }
    const letters = [...word].map((letter) => ({ letter, script: scriptOf(letter) }));
    const main = mainScriptOf(letters.map(({ script }) => script));
    let at = index;
    for (const { letter, script } of letters) {
      if (script !== undefined && script !== main) add(letter, at, script);
      at += letter.length;
    }
  }
  if (from < text.length) pieces.push({ text: text.slice(from), script: undefined });
  return pieces;
}

export const scriptOf = (letter: string): string | undefined =>
  LOOKALIKES.find(([, letters]) => letters.test(letter))?.[0];

/** Of most letters. Of as many, the first in the list above. */
function mainScriptOf(scripts: readonly (string | undefined)[]): string | undefined {
  const counts = LOOKALIKES.map(([name]) => ({
    name,
    letters: scripts.filter((script) => script === name).length,
  }));
  return counts.reduce((most, each) => (each.letters > most.letters ? each : most)).name;
}

/** The words of a text that mix such scripts, each once. */
export function mixedWords(text: string): MixedWord[] {
  if (!isBeyondLatin(text)) return [];
  const found = new Map<string, MixedWord>();
  const present = LOOKALIKES.filter(([, letters]) => letters.test(text));
  if (present.length < 2) return [];
  for (const [word] of text.matchAll(WORDS)) {
    if (found.has(word)) continue;
    const scripts = present.filter(([, letters]) => letters.test(word)).map(([name]) => name);
    if (scripts.length > 1) found.set(word, { word, scripts });
  }
  return [...found.values()];
}
