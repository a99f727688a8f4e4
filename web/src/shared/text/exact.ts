/** English texts about exact values. */
import { countText, someText } from './numbers.ts';

export const exact = {
  hidden: 'A character that hides, covers or reorders text, shown as its code',
  showAll: (characters: number) => `Show all ${countText(characters)} characters`,
  cut: (characters: number) => `(${countText(characters)} characters)`,
  /** Drawn between the first and the last part of a text. */
  between: (characters: number) =>
    `… of ${countText(characters)} characters, the middle is not shown …`,
  showLess: 'Show less',
  emptyText: 'empty text',
  items: (items: number) => someText(items, 'item', 'items'),
  members: (members: number) => someText(members, 'member', 'members'),
  reveal: 'Show',
  revealParts: (parts: number) =>
    parts === 1 ? 'Show hidden part' : `Show ${countText(parts)} hidden parts`,
  notRevealed: 'Not shown: the service could not record that you looked at it. Try again.',
  concealed: 'hidden because it is sensitive',
  /** Comes after a key that is cut. */
  leftOut: (characters: number) => `(${someText(characters, 'more character', 'more characters')})`,
  scrolls: (lines: number) => `${countText(lines)} lines. This box scrolls.`,
  /** How deep a value is inside others. */
  level: (depth: number) => `level ${depth}`,
  foreignLetters: (script: string, letters: string) =>
    `${script} ${[...letters].length === 1 ? 'letter' : 'letters'} ${letters}`,
  foreignDigits: (system: string, digits: string) =>
    `${system} ${[...digits].length === 1 ? 'digit' : 'digits'} ${digits}`,
} as const;
