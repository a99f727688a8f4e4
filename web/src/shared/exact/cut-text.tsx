/** A foreign text in a place that only names it. Of a long one the first and the last part, and how long it is. */
import { cutText } from '../../../../src/domain/shown/text-pieces.ts';
import { exact as words } from '../text/exact.ts';
import { ForeignPieces } from './foreign-text.tsx';

const LIMITS = { characters: 160, lines: 160 };

export function CutText({ text }: { readonly text: string }) {
  const { head, tail } = cutText(text, LIMITS);
  if (!tail) return <ForeignPieces isName pieces={head} />;
  return (
    <>
      <ForeignPieces isName pieces={head} />
      <small> … {words.cut(text.length)} … </small>
      <ForeignPieces isName pieces={tail} />
    </>
  );
}
