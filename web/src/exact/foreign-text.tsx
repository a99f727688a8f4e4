/**
 * Text that agents, people and other systems wrote. Characters that hide or reorder text are drawn
 * as marked escapes, and the direction of the text stays inside its element.
 */
import { shownPieces } from '../../../src/domain/shown-text.ts';
import { exact as words } from '../text/exact.ts';
import classes from './foreign-text.module.css';
import { withoutCarriageReturns } from './warnings.ts';

export function ForeignText({ text }: { readonly text: string }) {
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
          piece
        ),
      )}
    </bdi>
  );
}
