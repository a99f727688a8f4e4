/** The beginning of a foreign text, for places that only name it. Says how long the text is when it is cut. */
import { exact as words } from '../text/exact.ts';
import { ForeignText } from './foreign-text.tsx';

const MOST_CHARACTERS = 160;

export function CutText({ text }: { readonly text: string }) {
  const head = headOf(text, MOST_CHARACTERS);
  return (
    <>
      <ForeignText isName text={head} />
      {head.length < text.length && <small> … {words.cut(text.length)}</small>}
    </>
  );
}

/** At most that many units. Cuts no character of two units in half. */
export function headOf(text: string, most: number): string {
  const isInside = text.length > most && /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return text.slice(0, isInside ? most - 1 : most);
}
