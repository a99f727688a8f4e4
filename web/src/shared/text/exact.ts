/** English texts about exact values. */
import { countText, someText } from './numbers.ts';

export const exact = {
  hidden: 'A character that hides, covers or reorders text. Its code is shown instead',
  showAll: (characters: number) => `Show all ${countText(characters)} characters`,
  cut: (characters: number) => `(${countText(characters)} characters)`,
  /** Drawn between the first and the last part of a text. */
  between: (characters: number) =>
    `… of ${countText(characters)} characters, the middle is not shown …`,
  showLess: 'Show less',
  emptyText: 'empty text',
  items: (items: number) => someText(items, 'item', 'items'),
  members: (members: number) => someText(members, 'field', 'fields'),
  reveal: 'Show',
  revealParts: (parts: number) =>
    parts === 1 ? 'Show hidden part' : `Show ${countText(parts)} hidden parts`,
  notRevealed: 'Not shown: the service could not record that you looked at it. Try again.',
  concealed: 'hidden because it is sensitive',
  /** Comes after a key that is cut. */
  leftOut: (characters: number) => `(${someText(characters, 'more character', 'more characters')})`,
  scrolls: (lines: number) => `${countText(lines)} lines. This box scrolls.`,
  /** Of a big value. */
  tools: (what: string) => `${what}: search, fold and copy`,
  search: (what: string) => `Search in: ${what}`,
  searchHint: 'Search here',
  found: (number: number, all: number, isMore: boolean) =>
    `${countText(number)} of ${countText(all)}${isMore ? '+' : ''}`,
  notFound: 'Nothing found.',
  previous: 'Previous',
  next: 'Next',
  fold: 'Fold all',
  unfold: 'Unfold all',
  copy: 'Copy',
  copyText: 'Copy text',
  copied: (hidden: number) =>
    hidden === 0
      ? 'Copied.'
      : `Copied, without ${someText(hidden, 'hidden value', 'hidden values')}.`,
  /** Between the size of a container and its key. */
  inKey: 'in',
  /** Heads the positions in a list. */
  item: 'Item',
  itemsFrom: (first: number, last: number) =>
    first === last ? countText(first) : `${countText(first)}–${countText(last)}`,
  /** How deep a value is inside others. */
  level: (depth: number) => `level ${depth}`,
  foreignLetters: (script: string, letters: string) =>
    `${script} ${[...letters].length === 1 ? 'letter' : 'letters'} ${letters}`,
  foreignDigits: (system: string, digits: string) =>
    `${system} ${[...digits].length === 1 ? 'digit' : 'digits'} ${digits}`,
} as const;
