/** Which passwords are guessable: known words, alone, repeated, or with digits and punctuation around them. */

const SHORTEST_PADDED_WORD = 5;
const LONGEST_TRIVIAL_REPEAT = 3;

/** As typed with or without shift, on any keyboard. */
export function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * `words`: names that are public here, such as the person's; they are also compared without spaces and punctuation.
 * `isCommon` takes folded text.
 */
export function isGuessable(
  password: string,
  {
    words,
    isCommon,
  }: { readonly words: readonly string[]; readonly isCommon: (folded: string) => boolean },
): boolean {
  const names = new Set(
    words
      .flatMap((word) => [foldPassword(word), compact(foldPassword(word))])
      .filter((word) => word !== ''),
  );
  const folded = foldPassword(password);
  const known = (text: string): boolean => isCommon(text) || names.has(text);
  return (
    known(folded) ||
    repeatedUnit(folded).length <= LONGEST_TRIVIAL_REPEAT ||
    bareForms(folded).some(known) ||
    bareForms(compact(folded)).some((text) => names.has(text))
  );
}

/** Keeps only letters and digits. */
function compact(folded: string): string {
  return folded.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The text without leading and trailing characters that are not letters, cut at each place, without
 * repetition.
 */
function bareForms(folded: string): string[] {
  const beginning = /^\P{L}*/u.exec(folded)?.[0].length ?? 0;
  const end = folded.length - (/\P{L}*$/u.exec(folded)?.[0].length ?? 0);
  const starts = beginning === folded.length ? [0] : [0, beginning];
  const forms = starts.flatMap((start) => {
    const shortest = Math.max(end, start + SHORTEST_PADDED_WORD);
    return Array.from({ length: Math.max(0, folded.length - shortest + 1) }, (_, index) =>
      folded.slice(start, shortest + index),
    );
  });
  return forms.flatMap((form) => {
    const unit = repeatedUnit(form);
    return unit === form ? [form] : [unit, unit.replaceAll(/^\P{L}+|\P{L}+$/gu, '')];
  });
}

/** `abab` and `ababa` repeat `ab`. A text without repetition stays unchanged. */
function repeatedUnit(text: string): string {
  for (let length = 1; length * 2 <= text.length; length += 1) {
    if (text.startsWith(text.slice(length))) return text.slice(0, length);
  }
  return text;
}
