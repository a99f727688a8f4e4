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

export interface MixedWord {
  readonly word: string;
  readonly scripts: readonly string[];
}

/** The words of a text that mix such scripts, each once. */
export function mixedWords(text: string): MixedWord[] {
  if (!BEYOND_LATIN.test(text)) return [];
  const found = new Map<string, MixedWord>();
  for (const [word] of text.matchAll(WORDS)) {
    if (found.has(word)) continue;
    const scripts = LOOKALIKES.filter(([, letters]) => letters.test(word)).map(([name]) => name);
    if (scripts.length > 1) found.set(word, { word, scripts });
  }
  return [...found.values()];
}
