/**
 * Text that agents, people and other systems wrote. Characters that hide, cover or reorder text are
 * drawn as marked escapes. Letters and digits of another script are marked, and words that only look Latin. No letter changes the order of the
 * signs around it.
 */
import { digitPieces, digitRuns, foreignNumbers } from '../../../../src/domain/shown/digits.ts';
import { lookalikeWords } from '../../../../src/domain/shown/lookalikes.ts';
import {
  letterPieces,
  withoutEscapes,
  type MixedWord,
} from '../../../../src/domain/shown/mixed-scripts.ts';
import { foldText, textPieces, type TextPiece } from '../../../../src/domain/shown/text-pieces.ts';
import { exact as words } from '../text/exact.ts';
import classes from './foreign-text.module.css';
import { directedPieces } from './directions.ts';

interface DrawnProps {
  /** True for a part of the source text of JSON, which has escapes. */
  readonly isSource?: boolean;
  /** True for names: a line break in one would draw lines that look like ours. */
  readonly isName?: boolean;
  /** True for a command, whose options are not broken after their hyphens. */
  readonly isCommand?: boolean;
}

export function ForeignText({ text, ...drawn }: DrawnProps & { readonly text: string }) {
  return <ForeignPieces pieces={textPieces(text)} {...drawn} />;
}

interface ForeignPiecesProps extends DrawnProps {
  readonly pieces: readonly TextPiece[];
}

export function ForeignPieces({ pieces, ...drawn }: ForeignPiecesProps) {
  const { isSource = false, isName = false, isCommand = false } = drawn;
  const shown = isName ? pieces.flatMap(withBreaksShown) : pieces;
  const marks = marksIn(pieces, isSource);
  return (
    <bdi dir="ltr" translate="no" className={classes['foreign']}>
      {shown.map((piece, index) => (
        // Pieces never change their order: they are parts of one text.
        <Piece key={index} {...{ piece, isSource, isCommand, marks }} />
      ))}
    </bdi>
  );
}

/** What is marked depends on the whole text: a word that looks Latin may be one of a Russian sentence. */
interface Marks {
  readonly lookalikes: ReadonlyMap<string, MixedWord>;
  readonly digits: ReadonlySet<string>;
}

function marksIn(pieces: readonly TextPiece[], isSource: boolean): Marks {
  const shown = pieces.map(({ kind, text }) => (kind === 'text' ? text : ' ')).join('');
  const text = isSource ? withoutEscapes(shown) : shown;
  return {
    lookalikes: new Map(lookalikeWords(text).map((word) => [word.word, word])),
    digits: new Set(foreignNumbers(text).flatMap(({ word }) => digitRuns(word))),
  };
}

/** Line breaks and tabs as escapes, too. */
function withBreaksShown(piece: TextPiece): readonly TextPiece[] {
  if (piece.kind !== 'text') return [piece];
  return piece.text
    .split(/([\n\t])/)
    .filter((part) => part !== '')
    .map((part) =>
      part === '\n' || part === '\t'
        ? { kind: 'escape', text: part === '\n' ? String.raw`\n` : String.raw`\t`, count: 1 }
        : { ...piece, text: part },
    );
}

interface PieceProps extends Omit<PartProps, 'text'> {
  readonly piece: TextPiece;
}

/** A folded run takes one place. It stays in the page, so that a copy of the text has it. */
function Piece({ piece: { kind, text, count }, ...how }: PieceProps) {
  if (kind === 'text') return <Directed text={text} {...how} />;
  if (kind === 'escape')
    return (
      <mark className={classes['escape']} title={words.hidden}>
        {text}
      </mark>
    );
  const label = foldText(kind, count);
  return (
    <span role="img" aria-label={label} className={classes['fold']} data-label={label}>
      <span className={classes['blanks']}>{text}</span>
    </span>
  );
}

interface PartProps {
  readonly text: string;
  readonly isSource: boolean;
  readonly isCommand: boolean;
  readonly marks: Marks;
}

function Directed({ text, ...how }: PartProps) {
  return directedPieces(text).map(({ text: piece, isRightToLeft }, index) =>
    isRightToLeft ? (
      <bdi key={index} dir="rtl">
        <Digits text={piece} {...how} />
      </bdi>
    ) : (
      <Digits key={index} text={piece} {...how} />
    ),
  );
}

/** Digits of another script are marked where they are. */
function Digits({ text, ...how }: PartProps) {
  const { digits } = how.marks;
  const pieces = digits.size === 0 ? [] : digitPieces(text, (run) => digits.has(run));
  if (pieces.length === 0) return <Letters text={text} {...how} />;
  return pieces.map(({ text: piece, system }, index) =>
    system === undefined ? (
      <Letters key={index} text={piece} {...how} />
    ) : (
      <Marked key={index} text={piece} label={words.foreignDigits(system, piece)} />
    ),
  );
}

/** So are letters that look like those of another script, and whole words that look Latin. */
function Letters({ text, isSource, isCommand, marks: { lookalikes } }: PartProps) {
  return letterPieces(text, { isSource, lookalikes }).map(({ text: piece, script }, index) =>
    script === undefined ? (
      isCommand ? (
        <Words key={index} text={piece} />
      ) : (
        piece
      )
    ) : (
      <Marked key={index} text={piece} label={words.foreignLetters(script, piece)} />
    ),
  );
}

/** Browsers break lines after hyphens. A word with one moves to the next line whole. */
function Words({ text }: { readonly text: string }) {
  return text.split(/(\s+)/).map((word, index) =>
    word.includes('-') ? (
      <span key={index} className={classes['word']}>
        {word}
      </span>
    ) : (
      word
    ),
  );
}

function Marked({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span role="img" aria-label={label} title={label} className={classes['letter']}>
      {text}
    </span>
  );
}
