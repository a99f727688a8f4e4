/** What someone changed of the settings and did not save yet. Pure. */
import { parseDuration } from '../../../../src/domain/durations.ts';
import type { Terms } from './organization-data.ts';

export type Term = keyof Terms;
export type Draft = Partial<Terms>;

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** `15m` and `900s` are the same. */
const comparable = (value: unknown): unknown =>
  typeof value === 'string' ? (parseDuration(value) ?? value.trim()) : value;

/** The terms of a section that differ from what is in force. */
export function changesOf(draft: Draft, base: Terms, terms: readonly Term[]): Draft {
  const changed = terms.filter(
    (term) => draft[term] !== undefined && !isSame(comparable(draft[term]), comparable(base[term])),
  );
  return Object.fromEntries(changed.map((term) => [term, draft[term]]));
}

/** The draft without the terms of a section. */
export const without = (draft: Draft, terms: readonly Term[]): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([term]) => !terms.includes(term as Term)));
