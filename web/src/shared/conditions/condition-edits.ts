/** What people do to conditions, as changes of the document's text. */
import { stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { readSource } from '../../../../src/platform/json/source-values.ts';
import type { ConditionOperator } from '../../../../src/domain/conditions/operators.ts';
import { lastTokenOf, parentOf } from '../editor/json-places.ts';
import { sourceAt, withItem, withoutValue, withValue } from '../editor/splices.ts';
import { freeId, takenIds, withFreshIds } from '../editor/fresh-ids.ts';
import type { FieldChoice } from './field-choices.ts';
import { firstKind, isOffered, valueOf } from './operators.ts';
import { kindOf, parsed, typedText, valueSource, type ValueKind } from './value-texts.ts';

const TOOL_TEST = { id: 'tool', field: '/request/tool', operator: 'equals', value: '' };
export const newTest = (field = '/request/tool') => ({
  ...TOOL_TEST,
  id: lastTokenOf(field) || 'test',
  field,
});

/** At the end of a group. */
export const addPart = (text: string, list: string, part: object): string =>
  withItem(
    text,
    { list, index: readSource(text)?.at(list)?.size ?? 0 },
    withFreshIds(text, stringifyExact(part)),
  );

/** A single test becomes a group, so that another one can stand next to it. */
export function wrapInGroup(text: string, pointer: string, kind: 'all' | 'any'): string {
  const source = sourceAt(text, pointer);
  if (source === undefined) return text;
  const id = freeId(takenIds(text), kind);
  return withValue(text, pointer, `{"id":${stringifyExact(id)},"${kind}":[${source}]}`);
}

/** Members of a group keep their place: only the name of its list changes. */
export function setGroupKind(text: string, pointer: string, kind: 'all' | 'any'): string {
  const group = readSource(text)?.at(pointer);
  const other = kind === 'all' ? 'any' : 'all';
  const parts = group?.at(`/${other}`)?.source;
  if (!group || parts === undefined) return text;
  return renamed(text, pointer, { from: other, to: kind });
}

export function setItemsKind(text: string, pointer: string, kind: 'some' | 'every'): string {
  return renamed(text, pointer, { from: kind === 'some' ? 'every' : 'some', to: kind });
}

/** Gives a member another name where it stands. */
function renamed(
  text: string,
  pointer: string,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const object = readSource(text)?.at(pointer);
  const member = object?.members.find(({ key }) => key === from);
  if (!object || !member) return text;
  const before = text.lastIndexOf(member.keySource, member.value.offset);
  return text.slice(0, before) + stringifyExact(to) + text.slice(before + member.keySource.length);
}

/** The last part of a group takes the group with it. Without its root a condition is no longer one. */
export function removePart(text: string, pointer: string): string {
  const list = parentOf(pointer);
  const size = readSource(text)?.at(list)?.size ?? 0;
  return size > 1 ? withoutValue(text, pointer) : text;
}

/** Holds together with the test at the pointer. */
export function addBeside(text: string, pointer: string, test: object): string {
  const list = parentOf(pointer);
  if (!list.endsWith('/all'))
    return addPart(wrapInGroup(text, pointer, 'all'), `${pointer}/all`, test);
  const place = { list, index: Number(lastTokenOf(pointer)) + 1 };
  return withItem(text, place, withFreshIds(text, stringifyExact(test)));
}

export const setField = (text: string, pointer: string, field: string): string =>
  withValue(text, `${pointer}/field`, stringifyExact(field));

/** The field of a test, and an operator and a value that go with its type. A value that someone gave stays. */
export function chooseField(
  text: string,
  pointer: string,
  { pointer: field, types, examples }: Pick<FieldChoice, 'examples' | 'pointer' | 'types'>,
): string {
  const changed = setField(text, pointer, field);
  const operator = readSource(changed)?.at(`${pointer}/operator`)?.characters as ConditionOperator;
  const kind = firstKind(types);
  const next = isOffered(operator, { types, examples })
    ? changed
    : setOperator(changed, pointer, {
        operator: types.includes('array') ? 'contains' : 'equals',
        kind,
      });
  const isEmpty = sourceAt(next, `${pointer}/value`) === '""';
  if (isEmpty && (kind === 'boolean' || kind === 'null'))
    return setValue(next, pointer, kind === 'boolean' ? 'true' : 'null');
  return next;
}

/** The operator, and a value that it can be compared with, made of the one before. */
export function setOperator(
  text: string,
  pointer: string,
  { operator, kind }: { readonly operator: ConditionOperator; readonly kind: ValueKind },
): string {
  const at = `${pointer}/value`;
  const changed = withValue(text, `${pointer}/operator`, stringifyExact(operator));
  const value = parsed(sourceAt(changed, at) ?? '');
  const one = Array.isArray(value) ? value[0] : value;
  const typed = kindOf(one) === 'json' ? '' : typedText(one);
  switch (valueOf(operator)) {
    case 'none':
      return withoutValue(changed, at);
    case 'list':
      if (Array.isArray(value)) return changed;
      return withValue(changed, at, typed === '' ? '[]' : `[${stringifyExact(one)}]`);
    case 'ordered':
      return withValue(changed, at, valueSource(typed, 'number'));
    case 'text':
    case 'pattern':
      return withValue(changed, at, valueSource(typed, 'text'));
    case 'any':
      if (value !== undefined && !Array.isArray(value)) return changed;
      return withValue(
        changed,
        at,
        one === undefined ? valueSource('', kind) : stringifyExact(one),
      );
  }
}

export const setValue = (text: string, pointer: string, source: string): string =>
  withValue(text, `${pointer}/value`, source);
