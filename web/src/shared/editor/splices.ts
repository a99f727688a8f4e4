/**
 * Changes of one place in a JSON text. Everything else stays character for character: digits, the order of members, members
 * that this app does not know, white space. A place that does not exist is an error of the caller.
 */
import { pointerToken, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { readSource, type SourceValue } from '../../../../src/platform/json/source-values.ts';
import { entriesOf, endOf, indentAt, lastTokenOf, parentOf, type Entry } from './json-places.ts';
import { printedJson } from './printed-json.ts';

function valueAt(text: string, pointer: string): SourceValue {
  const value = readSource(text)?.at(pointer);
  if (!value) throw new RangeError(`The document has nothing at "${pointer}".`);
  return value;
}

/** The source text of the value at a pointer; undefined where there is none. */
export const sourceAt = (text: string, pointer: string): string | undefined =>
  readSource(text)?.at(pointer)?.source;

/** Replaces the value, or adds the member at the end of its object. `source` is JSON. */
export function withValue(text: string, pointer: string, source: string): string {
  const value = readSource(text)?.at(pointer);
  if (value) {
    const printed = printedJson(source, indentAt(text, value.offset));
    return spliced(text, [value.offset, endOf(value)], printed);
  }
  const object = valueAt(text, parentOf(pointer));
  const name = stringifyExact(lastTokenOf(pointer));
  const place = { container: object, index: object.size };
  return inserted(text, place, (indent) => `${name}: ${printedJson(source, indent)}`);
}

/** Removes a member or an item, if it is there. */
export function withoutValue(text: string, pointer: string): string {
  const root = readSource(text);
  const value = root?.at(pointer);
  const container = root?.at(parentOf(pointer));
  if (!value || !container || pointer === '') return text;
  const entries = entriesOf(text, container);
  const index = entries.findIndex(({ to }) => to === endOf(value));
  return removed(text, { container, entries, index });
}

/** Where an item goes: before the one with this index, or at the end. For an item that moves, once it is gone from its place. */
export interface ItemPlace {
  readonly list: string;
  readonly index: number;
}

/** Puts an item there. `source` is JSON. */
export function withItem(text: string, { list, index }: ItemPlace, source: string): string {
  const container = valueAt(text, list);
  return inserted(text, { container, index }, (indent) => printedJson(source, indent));
}

/** Moves an item with its text, in its list or to another one. Its lines get the indent of their new place. */
export function withMoved(text: string, item: string, { list, index }: ItemPlace): string {
  const { offset, source } = valueAt(text, item);
  const before = indentAt(text, offset);
  const rest = withoutValue(text, item);
  const container = valueAt(rest, afterRemoval(list, item));
  return inserted(rest, { container, index }, (indent) =>
    source.replaceAll(`\n${before}`, `\n${indent}`),
  );
}

/** What a pointer is called once an item before it in the same list is gone. */
export function afterRemoval(pointer: string, item: string): string {
  const list = parentOf(item);
  if (!pointer.startsWith(`${list}/`)) return pointer;
  const [index = '', ...rest] = pointer.slice(list.length + 1).split('/');
  if (Number(index) <= Number(lastTokenOf(item))) return pointer;
  return [list, pointerToken(Number(index) - 1), ...rest].join('/');
}

type Range = readonly [from: number, to: number];

const spliced = (text: string, [from, to]: Range, part: string): string =>
  text.slice(0, from) + part + text.slice(to);

const insideOf = (container: SourceValue): Range => [container.offset + 1, endOf(container) - 1];

function removed(
  text: string,
  place: {
    readonly container: SourceValue;
    readonly entries: readonly Entry[];
    readonly index: number;
  },
): string {
  const { container, entries, index } = place;
  const [entry, before, after] = [entries[index], entries[index - 1], entries[index + 1]];
  if (!entry) return text;
  if (before) return spliced(text, [before.to, entry.to], '');
  if (after) return spliced(text, [entry.from, after.from], '');
  return spliced(text, insideOf(container), '');
}

/** `entry` gets the indent of the line that it will begin on. */
function inserted(
  text: string,
  { container, index }: { readonly container: SourceValue; readonly index: number },
  entry: (indent: string) => string,
): string {
  const entries = entriesOf(text, container);
  const [next, last] = [entries[index], entries.at(-1)];
  const model = next ?? last;
  if (!model) {
    const outer = indentAt(text, container.offset);
    const isOnLines = text.includes('\n');
    const indent = isOnLines ? `${outer}  ` : outer;
    const part = isOnLines ? `\n${indent}${entry(indent)}\n${outer}` : entry(indent);
    return spliced(text, insideOf(container), part);
  }
  const gap = text.slice(model.gap, model.from);
  const isOnLines = gap.includes('\n');
  const indent = isOnLines
    ? gap.slice(gap.lastIndexOf('\n') + 1)
    : indentAt(text, container.offset);
  const space = isOnLines ? `\n${indent}` : ' ';
  return next
    ? spliced(text, [next.from, next.from], `${entry(indent)},${space}`)
    : spliced(text, [model.to, model.to], `,${space}${entry(indent)}`);
}
