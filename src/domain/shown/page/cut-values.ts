/** Values of which a page shows only the first and the last part until a reader opens them. */
import { SourceValue } from '../../../platform/json/source-values.ts';
import type { Hidden } from '../hidden.ts';
import { cutOnPage } from '../text-pieces.ts';

/** A shorter text fits, whatever is in it: an escape has six characters. */
const SURELY_FITS = 300;
/** A text needs this many line breaks to be cut by its lines. */
const SURELY_FEW_LINES = 24;

/** In the order of the text, without those that are hidden. One that has hidden parts is cut as if it had none. */
export function cutValuesOf(outermost: SourceValue, { values }: Hidden): readonly SourceValue[] {
  const found: SourceValue[] = [];
  const { tree } = outermost;
  const end = outermost.offset + outermost.length;
  let skipTo = 0;
  for (let at = outermost.node; at < tree.starts.length; at += 1) {
    const start = tree.starts[at] ?? end;
    if (start >= end) break;
    if (start < skipTo) continue;
    if (values.has(start)) skipTo = tree.ends[at] ?? 0;
    else if (tree.kinds[at] === 'string' && isLong(tree.ends[at] ?? 0, start)) {
      const value = new SourceValue(tree, at);
      if (isCut(value)) found.push(value);
    }
  }
  return found;
}

const isLong = (end: number, start: number): boolean => end - start > SURELY_FEW_LINES;

function isCut(value: SourceValue): boolean {
  const { characters } = value;
  if (characters.length <= SURELY_FITS && characters.split('\n').length <= SURELY_FEW_LINES)
    return false;
  return cutOnPage(characters).tail !== undefined;
}
