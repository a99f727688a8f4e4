/** What each test of a condition sees in a request, by the operators of the service itself. */
import type { Condition, LeafCondition } from '../../../../../src/domain/conditions/document.ts';
import { parseField, resolveField } from '../../../../../src/domain/conditions/fields.ts';
import {
  applyOperator,
  prepareLiteral,
} from '../../../../../src/domain/conditions/apply-operator.ts';
import { valueText } from '../../../../../src/domain/conditions/sentences.ts';
import type { ConditionFacts } from '../../../../../src/domain/conditions/types.ts';
import type { ExactValue } from '../../../../../src/platform/json/exact-values.ts';

interface SeenTest {
  readonly test: Condition;
  /** What the request has; absent where it has nothing. */
  readonly value: string | undefined;
  readonly holds: boolean;
}

/** `shown`: the same without hidden values. */
interface SeenFacts {
  readonly facts: ConditionFacts;
  readonly shown: ConditionFacts;
}

/** Tests outside of lists, and a test of list items as a whole. */
export function seenTests(condition: Condition, seen: SeenFacts): readonly SeenTest[] {
  if ('all' in condition) return condition.all.flatMap((part) => seenTests(part, seen));
  if ('any' in condition) return condition.any.flatMap((part) => seenTests(part, seen));
  const field = 'some' in condition ? condition.some.field : fieldOf(condition);
  const value = resolveField(parseField(field) ?? [''], seen.shown, undefined);
  return [
    {
      test: condition,
      value: value === undefined ? undefined : valueText(value),
      holds: holdsFor(condition, { facts: seen.facts, item: undefined }),
    },
  ];
}

const fieldOf = (condition: Exclude<Condition, { readonly some: unknown }>): string =>
  'every' in condition ? condition.every.field : (condition as LeafCondition).field;

interface Place {
  readonly facts: ConditionFacts;
  readonly item: ExactValue | undefined;
}

function holdsFor(condition: Condition, place: Place): boolean {
  if ('all' in condition) return condition.all.every((part) => holdsFor(part, place));
  if ('any' in condition) return condition.any.some((part) => holdsFor(part, place));
  if ('some' in condition || 'every' in condition) {
    const items = 'some' in condition ? condition.some : condition.every;
    const list = resolveField(parseField(items.field) ?? [''], place.facts, place.item);
    if (!Array.isArray(list) || list.length === 0) return false;
    const holds = (item: ExactValue) => holdsFor(items.condition, { ...place, item });
    return 'some' in condition ? list.some(holds) : list.every(holds);
  }
  return leafHolds(condition, place);
}

function leafHolds({ field, operator, value }: LeafCondition, { facts, item }: Place): boolean {
  try {
    const literal = prepareLiteral(operator, value);
    return applyOperator(operator, resolveField(parseField(field) ?? [''], facts, item), literal);
  } catch {
    // A pattern that is none.
    return false;
  }
}
