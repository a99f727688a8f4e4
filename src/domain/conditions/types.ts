/** The condition language: trees of leaves and composites that are true or false for a request. */
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { ExactObject, ExactValue } from '../../platform/json/exact-values.ts';

export const CONDITION_LIMITS = {
  /** Characters of a condition's id. */
  idLength: 64,
  /** Levels of a tree; the root is the first. */
  depth: 32,
  /** Leaves of one tree. */
  leavesPerCondition: 500,
  /** Leaves of all trees of one document. */
  leavesPerDocument: 10_000,
  /** Characters of a field's pointer. */
  fieldLength: 1_024,
  /** UTF-8 bytes of a leaf's value, as JSON. */
  literalBytes: 4_096,
  /** Characters of a regular expression. */
  patternLength: 512,
  /**
   * Instructions that all regular expressions of one document compile to, and what reading their
   * character classes costs.
   */
  patternWork: 100_000,
  /**
   * Units of work that evaluating one pipeline may cost, about 2 µs each. Lists and long texts cost
   * more than one.
   */
  evaluationWork: 100_000,
} as const;

/** The input of a condition. A `JsonText` is parsed only when a field leads into it. */
export interface ConditionFacts {
  readonly request: {
    readonly tool: string;
    readonly server?: string | undefined;
    readonly arguments: ExactValue | JsonText;
    readonly agent_reasoning?: ExactValue | JsonText | undefined;
    readonly context?: ExactValue | JsonText | undefined;
  };
  readonly agent: { readonly slug: string; readonly name: string };
  /** Metadata that earlier blocks returned, by scope and block id. */
  readonly previous_metadata: {
    readonly organization: ExactObject | JsonText;
    readonly agent: ExactObject | JsonText;
  };
}

/** Work left for an evaluation, shared by the blocks of one pipeline run. */
export interface EvaluationBudget {
  left: number;
  /** Work left for compiling regular expressions, which says nothing about the request. */
  patterns: number;
}

export function newEvaluationBudget(
  left: number = CONDITION_LIMITS.evaluationWork,
  patterns = Infinity,
): EvaluationBudget {
  return { left, patterns };
}

/** Why a condition could not be compiled or evaluated. */
export type ConditionErrorCode = 'condition_invalid' | 'condition_too_costly' | 'condition_failed';

/** A condition that could not be compiled or evaluated: its block has failed. The message never quotes the request. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
  readonly code: ConditionErrorCode;

  constructor(code: ConditionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Takes work from a budget. Throws `condition_too_costly` when there is not enough left. */
export function spend(budget: EvaluationBudget, work: number): void {
  budget.left -= work;
  if (budget.left < 0) throw tooCostly();
}

/** The same for compiling regular expressions. */
export function spendOnPatterns(budget: EvaluationBudget, work: number): void {
  if (work > budget.patterns) throw tooCostly();
  budget.patterns -= work;
}

function tooCostly(): ConditionError {
  const message = 'The conditions take too much work on this request.';
  return new ConditionError('condition_too_costly', message);
}
