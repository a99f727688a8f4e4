/** Applies operators to fields and prepared values. */
import type { ExactValue } from '../../platform/json/exact-values.ts';
import { sizeOf, type PreparedLiteral } from './costs.ts';
import { parseInstant } from './instants.ts';
import { operatorOf, type ConditionOperator } from './operators.ts';
import { compilePattern } from './patterns.ts';

/** Prepares the value of a leaf. Throws when a pattern is not RE2 syntax or too long. */
export function prepareLiteral(
  operator: ConditionOperator,
  value: ExactValue | undefined,
): PreparedLiteral {
  const literal = value ?? null;
  const kind = operatorOf(operator).literal;
  if (kind === 'pattern') return { value: literal, size: 0, pattern: compilePattern(literal) };
  const prepared = { value: literal, size: sizeOf(literal) };
  const instant = typeof literal === 'string' ? parseInstant(literal) : undefined;
  return instant && kind === 'ordered' ? { ...prepared, instant } : prepared;
}

export function applyOperator(
  operator: ConditionOperator,
  field: ExactValue | undefined,
  literal: PreparedLiteral,
): boolean {
  const { holds, holdsWithout } = operatorOf(operator);
  return field === undefined ? holdsWithout === true : holds(field, literal);
}

/** Units of work that a test costs. */
export const costOf = (
  operator: ConditionOperator,
  field: ExactValue | undefined,
  literal: PreparedLiteral,
): number => (field === undefined ? 1 : operatorOf(operator).cost(field, literal));
