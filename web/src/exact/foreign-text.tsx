/**
 * Text that agents, people and other systems wrote. Characters that hide or reorder text are drawn
 * as marked escapes, letters of another script are marked, and the direction of the text stays inside its element.
 */
import { shownPieces } from '../../../src/domain/shown-text.ts';
import { exact as words } from '../text/exact.ts';
import classes from './foreign-text.module.css';
import { letterPieces } from './mixed-scripts.ts';
import { withoutCarriageReturns } from './warnings.ts';

interface ForeignTextProps {
  readonly text: string;
  /** True for a part of the source text of JSON, which has escapes. */
  readonly isSource?: boolean;
}

export function ForeignText({ text, isSource = false }: ForeignTextProps) {
  const pieces = shownPieces(withoutCarriageReturns(text));
  return (
    <bdi className={classes['foreign']}>
      {pieces.map(({ text: piece, isEscape }, index) =>
        isEscape ? (
          // Pieces never change their order: they are parts of one text.
          <mark key={index} className={classes['escape']} title={words.hidden}>
            {piece}
          </mark>
        ) : (
          <Letters key={index} text={piece} isSource={isSource} />
        ),
      )}
    </bdi>
  );
}

/** Letters that look like those of another script are marked where they are. */
function Letters({ text, isSource }: Required<ForeignTextProps>) {
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
