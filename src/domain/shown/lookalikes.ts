// cspell:disable
/**
 * Words that read as Latin ones although their letters are of another script, such as `аррӏе` in Cyrillic. A word is one where it
 * stands in one piece with Latin letters, as in `аррӏе.com`, or where no letter of its script in the whole text is one that only
 * that script has: text that is really Russian or Greek always has some.
 */
import { isBeyondLatin, scriptOf, type MixedWord } from './mixed-scripts.ts';

/** Letters that look like Latin ones, by their script. */
const ALIKE: Readonly<Record<string, RegExp>> = {
  Cyrillic: /^[асԁеһіјӏорԛѕԝхуѵАВСЕНІЈКМОРԚЅТԜХУӀ]+$/u,
  Greek: /^[αικνορυγχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ]+$/u,
  Armenian: /^[օոսհցքզյԼՏՕՍ]+$/u,
  Cherokee: /^[ᎠᎢᎪᎫᎬᎳᎻᎽᏀᏃᏎᏒᏔᏚᏞᏢᏦᏧᏴᏼᎥᏂᏌᏏᏙᏟᏳꭰꭱꭲꭵꮃꮪꮯꮩꮲꮢꮤ]+$/u,
  Coptic: /^[ⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲁⲉⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ]+$/u,
  Lisu: /^[ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ]+$/u,
};

const CHUNKS = /\S+/gu;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Letters for formulas, which look like those of another font. */
const MATHEMATICAL = /[\u{1d400}-\u{1d7ff}]/u;
/** A Latin character that is no usual letter, next to a usual one: `ⅼs`, `ɡo`. */
const UNUSUAL_LETTER = String.raw`[\u2160-\u217f\u0251\u0261\u0269]`;
const USUAL_LETTER = String.raw`(?!${UNUSUAL_LETTER})\p{Script=Latin}`;
const UNUSUAL = new RegExp(
  `${UNUSUAL_LETTER}${USUAL_LETTER}|${USUAL_LETTER}${UNUSUAL_LETTER}`,
  'u',
);
const PLAIN = /^[\0-\u017f\u2010-\u201f\u2022\u2026\u20ac]*$/;

const lettersOf = (word: string): string => word.normalize('NFD').replaceAll(/[\p{M}\p{N}]/gu, '');

/** The words of a text that look Latin and are not, each once. */
export function lookalikeWords(text: string): MixedWord[] {
  if (PLAIN.test(text)) return [];
  const found = new Map<string, MixedWord>();
  for (const [word] of MATHEMATICAL.test(text) ? text.matchAll(WORDS) : [])
    if (MATHEMATICAL.test(word)) found.set(word, { word, scripts: ['mathematical'] });
  for (const [word] of UNUSUAL.test(text) ? text.matchAll(WORDS) : [])
    if (UNUSUAL.test(word)) found.set(word, { word, scripts: ['unusual Latin'] });
  if (!isBeyondLatin(text)) return [...found.values()];
  const candidates: (MixedWord & { readonly script: string; readonly isBesideLatin: boolean })[] =
    [];
  const genuine = new Set<string>();
  for (const [chunk] of text.matchAll(CHUNKS)) {
    const isBesideLatin = LATIN.test(chunk);
    for (const [word] of chunk.matchAll(WORDS)) {
      const script = scriptOf(word);
      if (script === undefined || script === 'Latin') continue;
      // Nothing depends on further words of a text that is really written in their script.
      if (genuine.has(script) && !isBesideLatin) continue;
      const letters = lettersOf(word);
      if (ALIKE[script]?.test(letters))
        candidates.push({ word, scripts: [script], script, isBesideLatin });
      else genuine.add(script);
    }
  }
  for (const { word, scripts, script, isBesideLatin } of candidates)
    if (isBesideLatin || !genuine.has(script)) found.set(word, { word, scripts });
  return [...found.values()];
}

/** Signs that look like `/`, `.`, `:`, `;`, `|` and a backslash, between letters as in a name or a path: `paypal.com∕login.example`. */
const SIGNS = String.raw`[\u037e\u0589\u05c3\u2024\u2044\u2215\u2216\u2223\u2236\u29f8\u29f9\ua789\u01c0]`;
const SIGN_WITHIN = new RegExp(
  String.raw`[a-z]${SIGNS}[a-z\d/.]|\d${SIGNS}[a-z]|[a-z\d]\u037e`,
  'i',
);

/** The words with such signs, each once. */
export function wordsWithSigns(text: string): string[] {
  if (PLAIN.test(text)) return [];
  return [...new Set((text.match(CHUNKS) ?? []).filter((word) => SIGN_WITHIN.test(word)))];
}

/** Names of hosts, and what looks like one. An expression that looked for more would take minutes for a long text. */
const NAMES = /[\p{L}\p{N}][\p{L}\p{N}.-]*/gu;
/** A host or a name whose letters are encoded: what it shows where it is used is another text. */
const ENCODED = /(?<![\p{L}\p{N}])xn--[a-z\d]/iu;

export const encodedNames = (text: string): string[] =>
  /xn--/i.test(text)
    ? [
        ...new Set(
          (text.match(NAMES) ?? [])
            .filter((name) => ENCODED.test(name))
            .map((name) => name.replace(/\.$/, '')),
        ),
      ]
    : [];
