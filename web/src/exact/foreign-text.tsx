/**
 * Text that agents, people and other systems wrote. Characters that hide or reorder text are drawn
 * as marked escapes, and the direction of the text stays inside its element.
 */
import { hasEscapes, shownPieces } from '../../../src/domain/shown-text.ts';
import { exact as words } from '../text/exact.ts';
import classes from './foreign-text.module.css';
import { mixedWords } from './mixed-scripts.ts';

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

/** Line ends of Windows deceive no reader. */
const withoutCarriageReturns = (text: string): string => text.replaceAll('\r\n', '\n');

/** What a reader should know before they trust a text. */
export function warningsOf(foreign: string): string[] {
  const text = withoutCarriageReturns(foreign);
  return [
    ...(hasEscapes(text) ? [words.hasHidden] : []),
    ...mixedWords(text).map(({ word, scripts }) => words.mixed(word, scripts)),
  ];
}
