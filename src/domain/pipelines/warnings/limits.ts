/** Whether a condition limits what a rule approves. */
import type { Condition, LeafCondition } from '../../conditions/document.ts';
import type { ConditionOperator } from '../../conditions/types.ts';

/** They name what passes. All others name what does not, or only a lower bound. */
const LIMITING: ReadonlySet<ConditionOperator> = new Set([
  'equals',
  'in',
  'contains',
  'starts_with',
  'ends_with',
  'matches',
  'less_than',
  'less_than_or_equal',
]);

/** False when it holds for whatever a caller sends, with some exceptions at most. */
export function isLimiting(condition: Condition): boolean {
  if ('all' in condition) return condition.all.some(isLimiting);
  if ('any' in condition) return condition.any.every(isLimiting);
  // Other items of the list may be anything.
  if ('some' in condition) return false;
  if ('every' in condition) return isLimiting(condition.every.condition);
  return LIMITING.has(condition.operator) && !matchesAnything(condition);
}

/** Patterns and texts that every text has. */
function matchesAnything({ operator, value }: LeafCondition): boolean {
  if (typeof value !== 'string') return false;
  if (operator === 'matches') return /^(?:\(\?[a-zA-Z]+\))?\^?(?:\.[*+])?\$?$/.test(value);
  return value === '' && operator !== 'equals';
}
