/**
 * Foreign text as people see it before they decide. Invisible, covering and reordering characters appear as JSON escapes, so
 * that two different names never look the same.
 */

const scripts = (...names: string[]): string =>
  names.map((name) => String.raw`\p{Script=${name}}`).join('');

/** Scripts in which invisible joiners change how text is drawn. */
const SHAPED = `[${scripts('Arabic', 'Syriac', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar')}]`;
const SHAPED_LETTER = String.raw`(?=\p{L})${SHAPED}`;
const SEPARATES = String.raw`(?<=${SHAPED})\u200c(?=${SHAPED_LETTER})`;
/** Signs such as © count as pictures, but no joined emoji has them. */
const PICTURE = String.raw`(?![\u00a9\u00ae\u203c\u2049\u2122\u2139])\p{Extended_Pictographic}`;
const JOINS = [
  String.raw`(?<=${SHAPED})\u200d(?=${SHAPED})`,
  String.raw`(?<=${PICTURE}(?:\p{Emoji_Modifier}|\ufe0f)?)\u200d(?=${PICTURE})`,
].join('|');
/** Variation selectors: they draw the character before them as text or as a picture. */
const STYLES = String.raw`[\ufe0e\ufe0f]`;

/** What is drawn above, below or across the letter before it. A heap of them covers other lines. */
const MARK = String.raw`[\p{Mn}\p{Me}]`;
/** Marks of scripts that heap vowels, accents and letters. */
const HEAPED = String.raw`[${scripts('Arabic', 'Hebrew', 'Khmer', 'Myanmar', 'Tibetan')}\u064b-\u065f\u0670]`;

const DECEPTIVE = [
  String.raw`(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u2800\ufff9-\ufffc]`,
  String.raw`(?!${SEPARATES}|${JOINS}|${STYLES})\p{Default_Ignorable_Code_Point}`,
  String.raw`(?<!\p{Extended_Pictographic})${STYLES}(?!\u20e3)`,
  String.raw`(?!${HEAPED})${MARK}(?<=${MARK}{4})`,
  String.raw`${MARK}(?<=(?:${MARK}\u200d?){6})`,
].join('|');

/**
 * Most text in Latin letters, and the dots between the parts of an excerpt: nothing of it is escaped, and each character is
 * one unit. It does without the expressions below, which take milliseconds to compile.
 */
const PLAIN = /^[\t\n\x20-\x7e\xa0-\xac\xae-\u017f\u2010-\u201f\u2022\u2026\u20ac]*$/;
const isPlain = (text: string): boolean => PLAIN.test(text);

/** What may be escaped, by itself: without looks around, it takes a fraction of the time. */
const MAYBE = String.raw`(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u2800\ufff9-\ufffc\p{Default_Ignorable_Code_Point}\p{Mn}\p{Me}]`;

/** Makes the value when it is first needed. */
const lazily = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined;
  return () => (made ??= make());
};

/** Matches one character; `deceptive` when it must be escaped. */
const piecesExpression = lazily(() => new RegExp(`(?<deceptive>${DECEPTIVE})|.`, 'gsu'));

const maybeExpression = lazily(() => new RegExp(MAYBE, 'u'));

const isHarmless = (text: string): boolean => isPlain(text) || !maybeExpression().test(text);

const deceptiveExpression = lazily(() => new RegExp(DECEPTIVE, 'gu'));

/** A part of a text as shown. An escape is ours, not text that looks like one. */
export interface ShownPiece {
  readonly text: string;
  readonly isEscape: boolean;
}

/** The whole text, with each invisible, covering or reordering character as a separate escape. */
export function shownPieces(text: string): ShownPiece[] {
  if (isHarmless(text)) return text === '' ? [] : [{ text, isEscape: false }];
  const pieces: ShownPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(deceptiveExpression())) {
    if (index > from) pieces.push({ text: text.slice(from, index), isEscape: false });
    pieces.push({ text: escaped(character), isEscape: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isEscape: false });
  return pieces;
}

/** Whether any character of the text is shown as an escape. */
export const hasEscapes = (text: string): boolean =>
  !isHarmless(text) && text.search(deceptiveExpression()) !== -1;

export interface ShownText {
  readonly text: string;
  /** True when the text was longer. */
  readonly isCut: boolean;
}

/** The share of the limit that a character or an escape uses: at least its length. */
type LengthOf = (piece: string) => number;

const ownLength: LengthOf = (piece) => piece.length;

/** The first `most` characters as shown. It never cuts inside a character or an escape. Line ends and tabs stay. */
export function shownText(text: string, most: number, lengthOf: LengthOf = ownLength): ShownText {
  // Escaping never shortens text, so characters beyond the limit here are also beyond it when
  // shown.
  const head = text.replaceAll(/\r\n?/g, '\n').slice(0, most + 2);
  // Of plain text a piece is a character, so the cut is a slice.
  if (lengthOf === ownLength && isPlain(head))
    return { text: head.slice(0, most), isCut: head.length > most };
  let shown = '';
  let left = most;
  for (const { 0: piece, groups } of head.matchAll(piecesExpression())) {
    const next = groups?.['deceptive'] === undefined ? piece : escaped(piece);
    left -= lengthOf(next);
    if (left < 0) return { text: shown, isCut: true };
    shown += next;
  }
  return { text: shown, isCut: false };
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const NAME_CHARACTERS = 120;

/** The text on one line, with an ellipsis when it is too long. */
export function shownLine(
  text: string,
  most = NAME_CHARACTERS,
  lengthOf: LengthOf = ownLength,
): string {
  const line = text.replaceAll(/\p{White_Space}+/gu, ' ').replaceAll(/^ | $/g, '');
  const whole = shownText(line, most, lengthOf);
  return whole.isCut ? `${shownText(line, most - 1, lengthOf).text}…` : whole.text;
}

/** An instant to the minute, always in UTC: a message has readers in many zones. */
export function shownInstant(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
