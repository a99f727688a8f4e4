/** What people do to rules, as changes of the document's text. */
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { readSource } from '../../../../../src/platform/json/source-values.ts';
import {
  sourceAt,
  withItem,
  withMoved,
  withoutValue,
  withValue,
  type ItemPlace,
} from '../../../shared/editor/splices.ts';
import { withFreshIds } from '../../../shared/editor/fresh-ids.ts';
import { lastTokenOf, parentOf } from '../../../shared/editor/json-places.ts';

/** Adds a block with new ids. */
export const addBlock = (text: string, place: ItemPlace, block: object): string =>
  withItem(text, place, withFreshIds(text, stringifyExact(block)));

/** The copy follows the block, with new ids and a name that says so. */
export function duplicateBlock(text: string, pointer: string, copied: string): string {
  const source = sourceAt(text, pointer);
  if (source === undefined) return text;
  const name = readSource(source)?.at('/name');
  const named = name ? withValue(source, '/name', stringifyExact(copied)) : source;
  const place = { list: parentOf(pointer), index: Number(lastTokenOf(pointer)) + 1 };
  return withItem(text, place, withFreshIds(text, named));
}

export const removeBlock = (text: string, pointer: string): string => withoutValue(text, pointer);

/** The first of its list cannot move up, and the last cannot move down. */
export function moveBlock(text: string, pointer: string, by: -1 | 1): string {
  const list = parentOf(pointer);
  const to = Number(lastTokenOf(pointer)) + by;
  const size = readSource(text)?.at(list)?.size ?? 0;
  return to < 0 || to >= size ? text : withMoved(text, pointer, { list, index: to });
}

/** Before the block with this index of the same list, or to its end. */
export function moveTo(text: string, pointer: string, before: number): string {
  const own = Number(lastTokenOf(pointer));
  if (before === own || before === own + 1) return text;
  const index = before > own ? before - 1 : before;
  return withMoved(text, pointer, { list: parentOf(pointer), index });
}

/** To the end of a branch, or after the branch that it is in. */
export function moveIntoBranch(text: string, pointer: string, branch: string): string {
  const list = `${branch}/config/blocks`;
  const size = readSource(text)?.at(list)?.size ?? 0;
  return withMoved(text, pointer, { list, index: size });
}

export function moveOutOfBranch(text: string, pointer: string): string {
  // `…/3/config/blocks/1` goes after `…/3`.
  const branch = pointer.replace(/\/config\/blocks\/\d+$/, '');
  if (branch === pointer) return text;
  return withMoved(text, pointer, {
    list: parentOf(branch),
    index: Number(lastTokenOf(branch)) + 1,
  });
}

/** Sets a member, or removes it. */
export const setMember = (text: string, pointer: string, value: string | undefined): string =>
  value === undefined ? withoutValue(text, pointer) : withValue(text, pointer, value);

export const setText = (text: string, pointer: string, value: string | undefined): string =>
  setMember(text, pointer, value === undefined ? undefined : stringifyExact(value));

/** An optional text is absent when it is empty. */
export const setOptionalText = (text: string, pointer: string, value: string): string =>
  setText(text, pointer, value === '' ? undefined : value);

export const withoutPath = (text: string, config: string): string =>
  withoutValue(text, `${config}/escalation_path`);
