/**
 * A foreign text in pieces, as every reader sees it: what hides, covers or reorders text is an escape, and a long run of blanks,
 * of empty lines or of such characters is folded. Folding comes before cutting, so that no padding pushes the end out of view.
 */
import { shownPieces } from '../shown-text.ts';
import { blankPieces } from './blank-runs.ts';

export type PieceKind = 'text' | 'escape' | 'blanks' | 'breaks' | 'hidden';

export interface TextPiece {
  readonly kind: PieceKind;
  /** The characters, or their escapes. Of blanks and line breaks the very ones that were sent. */
  readonly text: string;
  /** Of a folded run: how many it has. */
  readonly count: number;
}

/** Escapes in a row that are drawn one by one. */
const MOST_ESCAPES = 9;

/** Line ends of Windows deceive no reader. */
export const withoutCarriageReturns = (text: string): string => text.replaceAll('\r\n', '\n');

export function textPieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let escapes: string[] = [];
  const endEscapes = (): void => {
    if (escapes.length > MOST_ESCAPES)
      pieces.push({ kind: 'hidden', text: escapes.join(''), count: escapes.length });
    else
      pieces.push(
        ...escapes.map((escape) => ({ kind: 'escape', text: escape, count: 1 }) as const),
      );
    escapes = [];
  };
  for (const piece of shownPieces(withoutCarriageReturns(text))) {
    if (piece.isEscape) {
      escapes.push(piece.text);
      continue;
    }
    endEscapes();
    for (const { text: part, blanks, breaks } of blankPieces(piece.text)) {
      const kind = blanks > 0 ? 'blanks' : breaks > 0 ? 'breaks' : 'text';
      pieces.push({ kind, text: part, count: blanks + breaks });
    }
  }
  endEscapes();
  return pieces;
}

const NAMES = { blanks: 'spaces', breaks: 'line breaks', hidden: 'hidden characters' } as const;

export const countText = (count: number): string => count.toLocaleString('en-US');

/** What stands for a folded run in plain text, and names it on a page. */
export const foldText = (kind: keyof typeof NAMES, count: number): string =>
  `${countText(count)} ${NAMES[kind]}`;

export interface CutPieces {
  readonly head: readonly TextPiece[];
  /** Absent where nothing is cut. */
  readonly tail?: readonly TextPiece[];
}

export interface CutLimits {
  readonly characters: number;
  readonly lines: number;
}

/** A folded run takes about this much room. */
const FOLD_CHARACTERS = 20;
/** The share of the room that the end of a text gets. */
const TAIL_SHARE = 4;

/** The first and the last part of what does not fit. It cuts inside no character and no escape. */
export function cutPieces(pieces: readonly TextPiece[], limits: CutLimits): CutPieces {
  const whole = takeFirst(pieces, limits);
  return whole.isAll ? { head: pieces } : cutEnds(pieces, pieces.toReversed(), limits);
}

/** `fromEnd`: the last piece first. */
function cutEnds(
  pieces: readonly TextPiece[],
  fromEnd: readonly TextPiece[],
  limits: CutLimits,
): Required<CutPieces> {
  const tailLimits = {
    characters: Math.floor(limits.characters / TAIL_SHARE),
    lines: Math.floor(limits.lines / TAIL_SHARE),
  };
  const headLimits = {
    characters: limits.characters - tailLimits.characters,
    lines: limits.lines - tailLimits.lines,
  };
  const tail = takeFirst(fromEnd, tailLimits, FROM_END);
  return { head: takeFirst(pieces, headLimits).taken, tail: tail.taken.toReversed() };
}

/** What a page shows of a value before a reader opens it. */
const PAGE_LIMITS = { characters: 2_000, lines: 24 };

export const cutOnPage = (text: string): CutPieces => cutText(text, PAGE_LIMITS);

/** The characters that are read first of each end of a long text. Most need no more. */
const FIRST_LOOK = 16_000;
/** What stands near the place where a look ends may be a part of something longer. */
const EDGE = 1_000;

/** As `cutPieces` of the pieces of the text, whose middle it does not read. */
export function cutText(text: string, limits: CutLimits): CutPieces {
  for (let length = FIRST_LOOK; length < text.length / 2; length *= 4) {
    const isInside = ({ taken, isAll }: Taken): boolean =>
      !isAll && 2 * taken.reduce((sum, piece) => sum + piece.text.length, 0) <= length - EDGE;
    const beginning = textPieces(text.slice(0, length));
    const end = textPieces(text.slice(-length)).toReversed();
    const from = { beginning: takeFirst(beginning, limits), end: takeFirst(end, limits, FROM_END) };
    if (isInside(from.beginning) && isInside(from.end)) return cutEnds(beginning, end, limits);
  }
  return cutPieces(textPieces(text), limits);
}

interface Taken {
  readonly taken: TextPiece[];
  readonly isAll: boolean;
}

const FROM_END = { fromEnd: true };

function takeFirst(
  pieces: readonly TextPiece[],
  { characters, lines }: CutLimits,
  { fromEnd = false } = {},
): Taken {
  const taken: TextPiece[] = [];
  const left = { characters, lines };
  for (const piece of pieces) {
    const fits = roomFor(piece, left, fromEnd);
    if (fits.length < piece.text.length) {
      if (fits !== '' && piece.kind === 'text') taken.push({ ...piece, text: fits });
      return { taken, isAll: false };
    }
    taken.push(piece);
  }
  return { taken, isAll: true };
}

/** What of the piece fits into what is left, which shrinks. */
function roomFor(
  { kind, text }: TextPiece,
  left: { characters: number; lines: number },
  fromEnd: boolean,
): string {
  if (kind !== 'text') {
    left.characters -= kind === 'escape' ? text.length : FOLD_CHARACTERS;
    left.lines -= kind === 'breaks' ? 1 : 0;
    return left.characters < 0 || left.lines < 0 ? '' : text;
  }
  const part = fromEnd ? lastLines(text, left) : firstLines(text, left);
  left.characters -= part.length;
  left.lines -= part.split('\n').length - 1;
  return part;
}

function firstLines(text: string, { characters, lines }: CutLimits): string {
  let end = Math.min(text.length, characters);
  if (end < text.length && isInside(text, end)) end -= 1;
  let line = -1;
  for (let count = 0; count <= lines; count += 1) {
    line = text.indexOf('\n', line + 1);
    if (line === -1 || line >= end) return text.slice(0, end);
  }
  return text.slice(0, line);
}

function lastLines(text: string, { characters, lines }: CutLimits): string {
  let start = Math.max(0, text.length - characters);
  if (start > 0 && isInside(text, start)) start += 1;
  let line = text.length;
  for (let count = 0; count <= lines; count += 1) {
    line = line === 0 ? -1 : text.lastIndexOf('\n', line - 1);
    if (line === -1 || line < start) return text.slice(start);
  }
  return text.slice(line + 1);
}

/** Whether the place is between the two units of one character. */
const isInside = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
