/**
 * Letters that are written from right to left also move the digits and signs next to them: after one, `1 - 2` is drawn as
 * `2 - 1`. Drawn apart, they keep their own order and change no other.
 */

/** The blocks of Unicode that hold such letters, their marks and their digits. */
const LETTER = String.raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`;
/** Words of one phrase with their spaces. Anything else between two words keeps its place. */
const PHRASE = new RegExp(`${LETTER}+(?: +${LETTER}+)*`, 'gu');

interface DirectedPiece {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** The whole text, with each phrase of such letters apart. */
export function directedPieces(text: string): DirectedPiece[] {
  const pieces: DirectedPiece[] = [];
  let from = 0;
  for (const { 0: phrase, index } of text.matchAll(PHRASE)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isRightToLeft: false });
    pieces.push({ text: phrase, isRightToLeft: true });
    from = index + phrase.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isRightToLeft: false });
  return pieces;
}
