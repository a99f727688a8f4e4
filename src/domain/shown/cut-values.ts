/** Values of which a page shows only the first and the last part until a reader opens them. */
import type { SourceValue } from '../../platform/json/source-values.ts';
import type { Hidden } from './hidden.ts';
import { cutOnPage, textPieces } from './text-pieces.ts';

/** A shorter text fits, whatever is in it: an escape has six characters. */
const SURELY_FITS = 300;
/** A text needs this many line breaks to be cut by its lines. */
const SURELY_FEW_LINES = 24;

/** In the order of the text, without those that are hidden. One that has hidden parts is cut as if it had none. */
export function cutValuesOf(outermost: SourceValue, { values }: Hidden): readonly SourceValue[] {
  const found: SourceValue[] = [];
  const stack = [outermost];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (values.has(next.offset)) continue;
    if (next.kind === 'string' && isCut(next)) found.push(next);
    const children = [...next.children()];
    for (const { value } of children.reverse()) stack.push(value);
  }
  return found;
}

function isCut(value: SourceValue): boolean {
  if (value.length <= SURELY_FEW_LINES) return false;
  const { characters } = value;
  if (characters.length <= SURELY_FITS && characters.split('\n').length <= SURELY_FEW_LINES)
    return false;
  return cutOnPage(textPieces(characters)).tail !== undefined;
}
