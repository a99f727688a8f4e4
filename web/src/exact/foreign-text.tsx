/**
 * Text that agents, people and other systems wrote. Characters that hide, cover or reorder text are
 * drawn as marked escapes. Letters of another script are marked. No letter changes the order of the
 * signs around it.
 */
import { letterPieces } from '../../../src/domain/shown/mixed-scripts.ts';
import { foldText, textPieces, type TextPiece } from '../../../src/domain/shown/text-pieces.ts';
import { exact as words } from '../text/exact.ts';
import classes from './foreign-text.module.css';
import { directedPieces } from './directions.ts';

interface DrawnProps {
  /** True for a part of the source text of JSON, which has escapes. */
  readonly isSource?: boolean;
  /** True for names: a line break in one would draw lines that look like ours. */
  readonly isName?: boolean;
}

export function ForeignText({ text, ...drawn }: DrawnProps & { readonly text: string }) {
  return <ForeignPieces pieces={textPieces(text)} {...drawn} />;
}

interface ForeignPiecesProps extends DrawnProps {
  readonly pieces: readonly TextPiece[];
}

export function ForeignPieces({ pieces, isSource = false, isName = false }: ForeignPiecesProps) {
  const shown = isName ? pieces.flatMap(withBreaksShown) : pieces;
  return (
    <bdi dir="ltr" className={classes['foreign']}>
      {shown.map((piece, index) => (
        // Pieces never change their order: they are parts of one text.
        <Piece key={index} piece={piece} isSource={isSource} />
      ))}
    </bdi>
  );
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

interface PieceProps {
  readonly piece: TextPiece;
  readonly isSource: boolean;
}

/** A folded run takes one place. It stays in the page, so that a copy of the text has it. */
function Piece({ piece: { kind, text, count }, isSource }: PieceProps) {
  if (kind === 'text') return <Directed text={text} isSource={isSource} />;
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
}

function Directed({ text, isSource }: PartProps) {
  return directedPieces(text).map(({ text: piece, isRightToLeft }, index) =>
    isRightToLeft ? (
      <bdi key={index} dir="rtl">
        <Letters text={piece} isSource={isSource} />
      </bdi>
    ) : (
      <Letters key={index} text={piece} isSource={isSource} />
    ),
  );
}

/** Letters that look like those of another script are marked where they are. */
function Letters({ text, isSource }: PartProps) {
  return letterPieces(text, isSource).map(({ text: piece, script }, index) => {
    if (script === undefined) return piece;
    const label = words.foreignLetter(script, piece);
    return (
      <span key={index} role="img" aria-label={label} title={label} className={classes['letter']}>
        {piece}
      </span>
    );
  });
}
