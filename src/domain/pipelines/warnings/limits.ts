/** Whether a condition limits what a rule approves. */
import type { Condition } from '../../conditions/document.ts';
import { operatorOf } from '../../conditions/operators.ts';

/** False when it holds for whatever a caller sends, with some exceptions at most. */
export function isLimiting(condition: Condition): boolean {
  if ('all' in condition) return condition.all.some(isLimiting);
  if ('any' in condition) return condition.any.every(isLimiting);
  // Other items of the list may be anything.
  if ('some' in condition) return false;
  if ('every' in condition) return isLimiting(condition.every.condition);
  return operatorOf(condition.operator).limits(condition.value);
}
