/**
 * Text that agents, people and other systems wrote. Characters that hide, cover or reorder text are
 * drawn as marked escapes. Letters of another script are marked. No letter changes the order of the
 * signs around it.
 */
import { shownPieces, type ShownPiece } from '../../../src/domain/shown-text.ts';
import { exact as words } from '../text/exact.ts';
import classes from './foreign-text.module.css';
import { blankPieces } from './blank-runs.ts';
import { directedPieces } from './directions.ts';
import { letterPieces } from './mixed-scripts.ts';
import { withoutCarriageReturns } from './warnings.ts';

interface ForeignTextProps {
  readonly text: string;
  /** True for a part of the source text of JSON, which has escapes. */
  readonly isSource?: boolean;
  /** True for names: a line break in one would draw lines that look like ours. */
  readonly isName?: boolean;
}

export function ForeignText({ text, isSource = false, isName = false }: ForeignTextProps) {
  const shown = shownPieces(withoutCarriageReturns(text));
  const pieces = isName ? shown.flatMap(withBreaksShown) : shown;
  return (
    <bdi dir="ltr" className={classes['foreign']}>
      {pieces.map(({ text: piece, isEscape }, index) =>
        isEscape ? (
          // Pieces never change their order: they are parts of one text.
          <mark key={index} className={classes['escape']} title={words.hidden}>
            {piece}
          </mark>
        ) : (
          <Folded key={index} text={piece} isSource={isSource} />
        ),
      )}
    </bdi>
  );
}

/** Line breaks and tabs as escapes, too. */
function withBreaksShown({ text, isEscape }: ShownPiece): readonly ShownPiece[] {
  if (isEscape) return [{ text, isEscape }];
  return text
    .split(/([\n\t])/)
    .filter((part) => part !== '')
    .map((part) =>
      part === '\n' || part === '\t'
        ? { text: part === '\n' ? String.raw`\n` : String.raw`\t`, isEscape: true }
        : { text: part, isEscape: false },
    );
}

type PartProps = Required<Pick<ForeignTextProps, 'text' | 'isSource'>>;

/** A long run of blanks takes one place. It stays in the page, so that a copy of the text has it. */
function Folded({ text, isSource }: PartProps) {
  return blankPieces(text).map(({ text: piece, blanks, breaks }, index) => {
    if (blanks === 0 && breaks === 0)
      return <Directed key={index} text={piece} isSource={isSource} />;
    const label = blanks > 0 ? words.blanks(blanks) : words.breaks(breaks);
    return (
      <span
        key={index}
        role="img"
        aria-label={label}
        className={classes['fold']}
        data-label={label}
      >
        <span className={classes['blanks']}>{piece}</span>
      </span>
    );
  });
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
