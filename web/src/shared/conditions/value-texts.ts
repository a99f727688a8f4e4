/** Values of conditions as people type them: a number keeps every digit of what was typed. */
import {
  ExactJsonError,
  parseExact,
  stringifyExact,
} from '../../../../src/platform/json/exact-json.ts';
import { isNumber, type ExactValue } from '../../../../src/platform/json/exact-values.ts';

export type ValueKind = 'text' | 'number' | 'boolean' | 'null' | 'json';

export function kindOf(value: ExactValue | undefined): ValueKind {
  if (value === undefined || typeof value === 'string') return 'text';
  if (isNumber(value)) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return value === null ? 'null' : 'json';
}

/** What the field shows. */
export function typedText(value: ExactValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : stringifyExact(value);
}

/** Undefined where the text is no JSON. */
export function parsed(text: string): ExactValue | undefined {
  try {
    return parseExact(text, { spelled: true });
  } catch (error) {
    if (error instanceof ExactJsonError) return undefined;
    throw error;
  }
}

/**
 * The JSON of what was typed. What is not of the kind becomes a text, which the service then
 * refuses at its place: nothing that was typed is lost.
 */
export function valueSource(typed: string, kind: ValueKind): string {
  const isValue = kind !== 'text' && (kind === 'json' || kindOf(parsed(typed)) === kind);
  return isValue && parsed(typed) !== undefined ? typed.trim() : stringifyExact(typed);
}

/** Whether what was typed is of the kind. */
export const isOfKind = (typed: string, kind: ValueKind): boolean =>
  kind === 'text' ||
  (kind === 'json' ? parsed(typed) !== undefined : kindOf(parsed(typed)) === kind);
