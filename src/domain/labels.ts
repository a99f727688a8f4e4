/** Names people give and read. What is not seen, or makes the rest be seen otherwise, lets one name pass for another. */

/**
 * Control and format characters, those that turn the direction of writing among them, line separators, lone surrogates,
 * and characters without a shape. Not variation selectors: emoji are written with them.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800\ufffd]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;
const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu');

/** What `hasUnseen` refuses, for people. */
export const UNSEEN_RULE =
  'must not hold control or format characters, or others that are not seen';

/** Something that leaves ink on its own. */
const SEEN = /[^\s\p{Z}\p{M}\p{C}\u2800\ufffd]/u;

export function isBlank(text: string): boolean {
  return !SEEN.test(text.replaceAll(EVERY_UNSEEN, ''));
}

export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/** With a space in the place of each of them. */
export function withoutUnseen(text: string): string {
  return text.replaceAll(EVERY_UNSEEN, ' ');
}
