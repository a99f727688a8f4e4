/** What a search finds in a value, and what a copy of it has. Neither tells anything of what is still hidden. */
import { CONCEALED, withoutParts, type Hidden } from '../../../../../src/domain/shown/hidden.ts';
import { NONE } from '../../../../../src/platform/json/source-tree.ts';
import { SourceValue, unquoted } from '../../../../../src/platform/json/source-values.ts';

/** What a reader has not been shown. */
export function stillHidden(
  { values, parts }: Hidden,
  isRevealed: (offset: number) => boolean,
): Hidden {
  const isLeft = (offset: number): boolean => !isRevealed(offset);
  return {
    values: new Set([...values].filter(isLeft)),
    parts: new Map([...parts].filter(([offset]) => isLeft(offset))),
  };
}

/** More are not counted. */
export const MOST_FOUND = 1_000;

/** The values, by their numbers in the tree, whose keys or own characters have the text. Upper and lower case are the same. */
export function valuesWith(outermost: SourceValue, text: string, hidden: Hidden): number[] {
  const { tree, node: root } = outermost;
  const wanted = text.toLowerCase();
  const found: number[] = [];
  const end = tree.ends[root] ?? 0;
  let skipTo = 0;
  const has = (characters: string): boolean => characters.toLowerCase().includes(wanted);
  for (let at = root; at < tree.starts.length && found.length < MOST_FOUND; at += 1) {
    const start = tree.starts[at] ?? end;
    if (start >= end) break;
    if (start < skipTo) continue;
    const isHidden = hidden.values.has(start);
    if (isHidden) skipTo = tree.ends[at] ?? 0;
    const key = tree.keyStarts[at] ?? NONE;
    const isKeyed = at !== root && key !== NONE;
    if (
      (isKeyed && has(unquoted(tree.text.slice(key, tree.keyEnds[at])))) ||
      (!isHidden && tree.firsts[at] === NONE && has(shownText(new SourceValue(tree, at), hidden)))
    )
      found.push(at);
  }
  return found;
}

const shownText = (value: SourceValue, { parts }: Hidden): string =>
  value.kind === 'string' ? withoutParts(value.characters, parts.get(value.offset)) : value.source;

/** Its source text, with a placeholder for each value and each part that is hidden. */
export function copyOf(outermost: SourceValue, { values, parts }: Hidden): string {
  const { tree, offset: from, length } = outermost;
  const replaced = [...values, ...parts.keys()]
    .filter((offset) => offset >= from && offset < from + length)
    .toSorted((one, other) => one - other)
    .map((offset) => outermost.from(offset));
  const copied: string[] = [];
  let at = from;
  for (const value of replaced) {
    const own = parts.get(value.offset);
    const by = own ? withoutParts(value.characters, own) : CONCEALED;
    copied.push(tree.text.slice(at, value.offset), JSON.stringify(by));
    at = value.offset + value.length;
  }
  return [...copied, tree.text.slice(at, from + length)].join('');
}
