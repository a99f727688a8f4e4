/**
 * Answers the conditions about the request that a walk meets. Light ones are answered on the event
 * loop. At a heavy one the walk stops: a thread answers it, and the walk starts again.
 */
import {
  compileCondition,
  evaluateCondition,
  type CompiledCondition,
} from '../../../domain/conditions/compile.ts';
import type { Condition } from '../../../domain/conditions/document.ts';
import {
  CONDITION_LIMITS,
  ConditionError,
  newEvaluationBudget,
  type ConditionFacts,
  type EvaluationBudget,
} from '../../../domain/conditions/types.ts';
import type { WalkInput } from '../../../domain/escalation/walk.ts';
import { parseExact, stringifyExact } from '../../../platform/json/exact-json.ts';
import type { Runtime } from '../../context.ts';
import { isLarge, newLightBudget } from '../../heavy-work.ts';

type Answer = ReturnType<WalkInput['matches']>;

/** Answers from threads, by the text of the condition. Neither it nor the request ever changes. */
export type HeavyAnswers = ReadonlyMap<string, Answer>;

/** Texts of conditions, the one that is needed first, and of the facts. */
interface Questions {
  readonly conditions: readonly string[];
  readonly facts: string;
}

/** Stops a walk at a condition that is too much work for the event loop. */
class HeavyCondition extends Error {
  readonly questions: Questions;

  constructor(questions: Questions) {
    super('a condition was too much work for the event loop');
    this.questions = questions;
  }
}

/**
 * Runs `walk` until it meets no heavy condition without an answer. Whatever a stopped walk did must
 * leave no trace, as in a transaction.
 */
export async function withHeavyAnswers<T>(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  onBehalfOf: string,
  walk: (answers: HeavyAnswers) => Promise<T>,
): Promise<T> {
  const answers = new Map<string, Answer>();
  for (;;) {
    try {
      return await walk(answers);
    } catch (error) {
      if (!(error instanceof HeavyCondition)) throw error;
      const { conditions } = error.questions;
      const given = await workerPool.run(answerConditions, error.questions, onBehalfOf);
      for (const [index, answer] of given.entries()) answers.set(conditions[index] ?? '', answer);
    }
  }
}

/** After this much work a thread answers no further condition, for others wait for it. */
const MOST_WORK = 5 * CONDITION_LIMITS.evaluationWork;

/** In a thread: answers at least the first condition. */
export function answerConditions({ conditions, facts: text }: Questions): Answer[] {
  const facts = parseExact(text) as unknown as ConditionFacts;
  const answers: Answer[] = [];
  let spent = 0;
  for (const condition of conditions) {
    const budget = newEvaluationBudget();
    answers.push(answerTo(parseExact(condition) as unknown as Condition, facts, budget));
    spent += CONDITION_LIMITS.evaluationWork - budget.left;
    if (spent >= MOST_WORK) break;
  }
  return answers;
}

const compiled = new WeakMap<Condition, CompiledCondition>();

function answerTo(when: Condition, facts: ConditionFacts, budget: EvaluationBudget): Answer {
  try {
    const known = compiled.get(when) ?? compileCondition(when, budget);
    compiled.set(when, known);
    return evaluateCondition(known, facts, budget);
  } catch (error) {
    if (error instanceof ConditionError) return error.code;
    throw error;
  }
}

/**
 * For one walk, which asks each condition any number of times. `all`: conditions that it may meet.
 * Without facts no condition holds.
 */
export function conditionMatcher(
  facts: ConditionFacts | undefined,
  answers: HeavyAnswers,
  all: () => readonly Condition[],
): WalkInput['matches'] {
  if (!facts) return () => false;
  let printed: string | undefined;
  let light: EvaluationBudget | undefined;
  const text = () => (printed ??= stringifyExact(facts));
  const known = new Map<Condition, Answer>();
  const lightAnswer = (when: Condition): Answer | undefined => {
    // Compiling costs about as much again.
    light ??= newLightBudget(isLarge([text()]) ? 0 : 1 / 2);
    if (light.left <= 0) return undefined;
    const answer = answerTo(when, facts, light);
    return answer === 'condition_too_costly' ? undefined : answer;
  };
  return (when) => {
    const answer = known.get(when) ?? lightAnswer(when) ?? answers.get(stringifyExact(when));
    if (answer === undefined) {
      const texts = [when, ...all()].map((each) => stringifyExact(each));
      const conditions = [...new Set(texts)].filter((each) => !answers.has(each));
      throw new HeavyCondition({ conditions, facts: text() });
    }
    known.set(when, answer);
    return answer;
  };
}
