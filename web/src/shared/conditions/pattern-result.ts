/** Whether a pattern matches, with the syntax of the service itself: RE2. Code of its own, because it is long. */
import { applyOperator, prepareLiteral } from '../../../../src/domain/conditions/apply-operator.ts';

export type PatternResult = 'badPattern' | 'matches' | 'matchesNot';

export function patternResult(pattern: string, tried: string): PatternResult {
  try {
    return applyOperator('matches', tried, prepareLiteral('matches', pattern))
      ? 'matches'
      : 'matchesNot';
  } catch {
    return 'badPattern';
  }
}
