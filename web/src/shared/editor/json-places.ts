/** Places in a JSON text: the entries of its objects and lists, and pointers to them. */
import { skipSpace } from '../../../../src/platform/json/json-tokens.ts';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';

/** A member with its name, or an item: from its first character to the one after its last. */
export interface Entry {
  readonly from: number;
  readonly to: number;
  /** Where the white space before it begins. */
  readonly gap: number;
}

export const endOf = (value: SourceValue): number => value.offset + value.length;

/** The entries of an object or a list, in the order of the text. */
export function entriesOf(text: string, container: SourceValue): Entry[] {
  const entries: Entry[] = [];
  let gap = container.offset + 1;
  for (const { value } of container.children()) {
    const to = endOf(value);
    entries.push({ gap, from: skipSpace(text, gap), to });
    // After the comma.
    gap = skipSpace(text, to) + 1;
  }
  return entries;
}

/** The white space with which the line of a place begins. */
export function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The pointer of the value that has this one. */
export const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** The last token of a pointer, without its escapes. */
export const lastTokenOf = (pointer: string): string =>
  pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

/** Whether a pointer is another one, or leads to a part of its value. */
export const isWithin = (pointer: string, outer: string): boolean =>
  pointer === outer || pointer.startsWith(`${outer}/`);
