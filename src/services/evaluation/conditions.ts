/**
 * What the conditions in escalation paths say about a request. Light ones are evaluated on the event loop. Those that are
 * too much work for it are evaluated in a thread.
 */
import {
  compileCondition,
  evaluateCondition,
  type CompiledCondition,
} from '../../domain/conditions/compile.ts';
import type { Condition } from '../../domain/conditions/document.ts';
import {
  CONDITION_LIMITS,
  ConditionError,
  newEvaluationBudget,
  type ConditionFacts,
  type EvaluationBudget,
} from '../../domain/conditions/types.ts';
import type { WalkInput } from '../../domain/escalation/walk.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { Runtime } from '../context.ts';
import { isLarge, newLightBudget } from '../heavy-work.ts';

type Match = ReturnType<WalkInput['matches']>;

/** By the text of the condition. Neither it nor the request ever changes, so they hold for all tries of a step. */
export type KnownMatches = Map<string, Match>;

interface Evaluating {
  readonly conditions: readonly Condition[];
  /** Without facts no condition holds. */
  readonly facts: ConditionFacts | undefined;
  readonly onBehalfOf: string;
  /** Matches of an earlier try. New ones are added. */
  readonly known?: KnownMatches;
}

/** Evaluates all the conditions. The function it returns looks one of them up. */
export async function evaluateConditions(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  { conditions, facts, onBehalfOf, known = new Map() }: Evaluating,
): Promise<WalkInput['matches']> {
  if (!facts || conditions.length === 0) return () => false;
  const texts = new Map(conditions.map((when) => [when, stringifyExact(when)]));
  const printed = stringifyExact(facts);
  // Compiling costs about as much again.
  const light = newLightBudget(isLarge([printed]) ? 0 : 1 / 2);
  const heavy: string[] = [];
  for (const [when, text] of texts) {
    if (known.has(text)) continue;
    const match = light.left > 0 ? matchOf(when, facts, light) : 'condition_too_costly';
    if (match === 'condition_too_costly') heavy.push(text);
    else known.set(text, match);
  }
  for (
    let rest = [...new Set(heavy)];
    rest.length > 0;
    rest = rest.filter((text) => !known.has(text))
  ) {
    const matches = await workerPool.run(
      matchConditions,
      { conditions: rest, facts: printed },
      onBehalfOf,
    );
    for (const [index, match] of matches.entries()) known.set(rest[index] ?? '', match);
  }
  return (when) => known.get(texts.get(when) ?? stringifyExact(when)) ?? false;
}

/** After this much work a thread evaluates no further condition, for others wait for it. */
const MOST_WORK = 5 * CONDITION_LIMITS.evaluationWork;

/** In a thread: at least the first condition. Both are texts. */
export function matchConditions({
  conditions,
  facts: text,
}: {
  readonly conditions: readonly string[];
  readonly facts: string;
}): Match[] {
  const facts = parseExact(text) as unknown as ConditionFacts;
  const matches: Match[] = [];
  let spent = 0;
  for (const condition of conditions) {
    const budget = newEvaluationBudget();
    matches.push(matchOf(parseExact(condition) as unknown as Condition, facts, budget));
    spent += CONDITION_LIMITS.evaluationWork - budget.left;
    if (spent >= MOST_WORK) break;
  }
  return matches;
}

const compiled = new WeakMap<Condition, CompiledCondition>();

function matchOf(when: Condition, facts: ConditionFacts, budget: EvaluationBudget): Match {
  try {
    const known = compiled.get(when) ?? compileCondition(when, budget);
    compiled.set(when, known);
    return evaluateCondition(known, facts, budget);
  } catch (error) {
    if (error instanceof ConditionError) return error.code;
    throw error;
  }
}
