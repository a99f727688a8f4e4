/** Units of work that tests cost: one, plus those for long texts, numbers, lists and objects. They are measured. */
import type { RE2JS } from 're2js';
import { ExactNumber, isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import type { ExactInstant } from './instants.ts';

/** A leaf's value, prepared once. */
export interface PreparedLiteral {
  readonly value: ExactValue;
  readonly size: number;
  readonly pattern?: RE2JS;
  readonly instant?: ExactInstant;
}

export type Cost = (field: ExactValue, literal: PreparedLiteral) => number;

/** Of comparing all of the field with all of the value. */
export const costOfComparing: Cost = (field, { value, size }) => costOf(field, [value], size);

/** Of comparing the field with each value of a list. */
export const costOfChoosing: Cost = (field, { value, size }) =>
  costOf(field, Array.isArray(value) ? value : [], size);

function costOf(field: ExactValue, choices: readonly ExactValue[], size: number): number {
  const compared = choices.filter((choice) => isComposite(choice) === isComposite(field)).length;
  return 1 + (compared * sizeOf(field) + size) / 100;
}

/** Of looking for an item in a list, or for a part in a text: every letter of the part at every place, at its worst. */
export const costOfSearching: Cost = (field, { value, size }) => {
  if (Array.isArray(field))
    return 1 + (sizeOf(field) + (isComposite(value) ? field.length * size : 0)) / 100;
  return typeof field === 'string' && typeof value === 'string'
    ? 1 + field.length / 1_000 + (field.length * value.length) / 6_000
    : 1;
};

/** Patterns at their worst cost more. */
export const costOfMatching: Cost = (field, { pattern }) =>
  typeof field === 'string' && pattern ? 1 + (field.length * pattern.programSize()) / 200 : 1;

const isComposite = (value: ExactValue): boolean => Array.isArray(value) || isExactObject(value);

/** Of lists and objects, because many tests may look at the same one. */
const sizes = new WeakMap<object, number>();

/** What looking at all of a value costs, in hundredths of a unit. */
export function sizeOf(value: ExactValue): number {
  if (typeof value === 'string') return value.length / 10;
  if (value instanceof ExactNumber) return value.source.length * 5;
  if (value === null || typeof value !== 'object') return 0;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 0;
  if (Array.isArray(value)) for (const item of value) size += 10 + sizeOf(item);
  else for (const key in value) size += 10 + key.length / 10 + sizeOf(value[key] ?? null);
  sizes.set(value, size);
  return size;
}
