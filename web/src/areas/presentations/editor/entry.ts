/**
 * A presentation as its editor reads and changes it. The text is the truth: members that this page does not draw, such as the
 * language of an item, stay in it. Pure.
 */
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import type { Field } from '../../../shared/call/presented-call.ts';
import { withItem, withMoved, withoutValue, withValue } from '../../../shared/editor/splices.ts';

interface ColumnView {
  readonly path: string;
  readonly label: string;
  readonly kind: string;
}

export interface FieldView extends ColumnView {
  readonly role: string;
  readonly language: string;
  readonly before: string;
  readonly after: string;
  readonly hasItem: boolean;
  readonly itemKind: string;
  readonly columns: readonly ColumnView[];
}

export interface EntryView {
  readonly tool: string;
  readonly server: string;
  readonly title: string;
  readonly fields: readonly FieldView[];
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly Members[] =>
  Array.isArray(value) ? value.map(membersOf) : [];

const columnOf = ({ path, label, kind }: Members): ColumnView => ({
  path: textOf(path),
  label: textOf(label),
  kind: textOf(kind),
});

function fieldOf(field: Members): FieldView {
  const item = membersOf(field['item']);
  return {
    ...columnOf(field),
    role: textOf(field['role']),
    language: textOf(field['language']),
    before: textOf(field['before']),
    after: textOf(field['after']),
    hasItem: field['item'] !== undefined,
    itemKind: textOf(item['kind']),
    columns: listOf(item['fields']).map(columnOf),
  };
}

/** A draft of an older version of this page may hold anything. */
export function readEntry(value: unknown): EntryView {
  const entry = membersOf(value);
  return {
    tool: textOf(entry['tool']),
    server: textOf(entry['server']),
    title: textOf(entry['title']),
    fields: listOf(entry['fields']).map(fieldOf),
  };
}

export type Edit = (text: string) => string;

/** Sets a text, or takes the member away where it may be absent. */
export const setText =
  (pointer: string, value: string, { isOptional = false } = {}): Edit =>
  (text) =>
    isOptional && value === ''
      ? withoutValue(text, pointer)
      : withValue(text, pointer, stringifyExact(value));

/** Another kind takes along only what it can have. */
export const setKind =
  (pointer: string, kind: string): Edit =>
  (text) => {
    const absent = [
      ...(kind === 'diff' ? [] : ['before', 'after']),
      ...(kind === 'list' || kind === 'table' ? [] : ['item']),
    ];
    const rest = absent.reduce((found, name) => withoutValue(found, `${pointer}/${name}`), text);
    return withValue(rest, `${pointer}/kind`, stringifyExact(kind));
  };

export const setItemKind =
  (pointer: string, kind: string, { hasItem }: Pick<FieldView, 'hasItem'>): Edit =>
  (text) => {
    if (hasItem) return setText(`${pointer}/item/kind`, kind, { isOptional: true })(text);
    return kind === '' ? text : withValue(text, `${pointer}/item`, stringifyExact({ kind }));
  };

const NEW_COLUMN: ColumnView = { path: '', label: '', kind: 'text' };

export const addColumn =
  (pointer: string, { hasItem, columns }: FieldView): Edit =>
  (text) => {
    if (columns.length > 0)
      return withItem(
        text,
        { list: `${pointer}/item/fields`, index: columns.length },
        stringifyExact(NEW_COLUMN),
      );
    return hasItem
      ? withValue(text, `${pointer}/item/fields`, stringifyExact([NEW_COLUMN]))
      : withValue(text, `${pointer}/item`, stringifyExact({ fields: [NEW_COLUMN] }));
  };

export type NewField = Pick<Field, 'path' | 'label' | 'kind'> &
  Partial<Pick<Field, 'role' | 'item'>>;

export const addFields =
  (at: number, fields: readonly NewField[]): Edit =>
  (text) =>
    fields.reduce(
      (found, field, index) =>
        withItem(found, { list: '/fields', index: at + index }, stringifyExact(field)),
      text,
    );

export const moveField =
  (from: number, to: number): Edit =>
  (text) =>
    withMoved(text, `/fields/${from}`, { list: '/fields', index: to });

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const isPointer = (text: string): boolean => POINTER.test(text);

/** What can be drawn of it while it is written: fields with a label and a pointer, as the API would have them. */
export function presentationOf({ title, fields }: EntryView): {
  readonly title: string;
  readonly fields: readonly Field[];
} {
  const shown = fields.filter(
    ({ label, path, before, after }) => label !== '' && [path, before, after].every(isPointer),
  );
  return {
    title,
    fields: shown.map(({ path, label, kind, role, before, after, itemKind, columns }) => ({
      path,
      label,
      kind: kind as Field['kind'],
      ...(role !== '' && { role: role as NonNullable<Field['role']> }),
      ...(before !== '' && { before }),
      ...(after !== '' && { after }),
      item: {
        ...(itemKind !== '' && { kind: itemKind as Field['kind'] }),
        ...(columns.length > 0 && {
          fields: columns
            .filter((column) => isPointer(column.path))
            .map((column) => ({ ...column, kind: column.kind as Field['kind'] })),
        }),
      },
    })),
  };
}
