/** Rules for names that people choose. Invisible and reordering characters could make one name look like another. */

/**
 * Control and format characters (including bidirectional ones), line separators, lone surrogates and characters without a
 * shape. Variation selectors are allowed, since emoji need them.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800\ufffd]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;
const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu');

/** A character that is visible on its own. */
const SEEN = /[^\s\p{Z}\p{M}\p{C}\u2800\ufffd]/u;

export function isBlank(text: string): boolean {
  return !SEEN.test(text.replaceAll(EVERY_UNSEEN, ''));
}

export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

export const BLANK_RULE = 'must not be blank';
export const UNSEEN_RULE = 'must not contain control, format or invisible characters';

/** Why text is not fit to be read in one line, for people; undefined when it is. */
export function labelProblem(text: string): string | undefined {
  if (isBlank(text)) return BLANK_RULE;
  return hasUnseen(text) ? UNSEEN_RULE : undefined;
}

/** Replaces each invisible character with a space. */
export function withoutUnseen(text: string): string {
  return text.replaceAll(EVERY_UNSEEN, ' ');
}

/** False for text that a database or a browser could not keep. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** What `isStorable` refuses, for people. */
export const STORABLE_RULE = 'must not contain NUL or a lone surrogate';
