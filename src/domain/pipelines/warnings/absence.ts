/**
 * Negative operators that let absent data pass. Every operator is false for an absent field, so a
 * rule that denies what is "not in" a list says nothing about a call without the field.
 */
import type { Condition, LeafCondition } from '../../conditions/document.ts';
import { operatorOf, type ConditionOperator } from '../../conditions/operators.ts';

const isNegative = ({ operator }: LeafCondition): boolean =>
  operatorOf(operator).isNegative === true;

/** Fields that every request has, and the items of a list. */
const ALWAYS_THERE: ReadonlySet<string> = new Set([
  '/request/tool',
  '/request/arguments',
  '/agent/slug',
  '/agent/name',
  '/item',
]);

/** Fields whose absence is treated on purpose. */
export interface KnownFields {
  readonly has: (field: string) => boolean;
}

/** Both. Nothing is copied: a document can have thousands of fields, and as many places that add to them. */
export const withFields = (known: KnownFields, more: KnownFields): KnownFields => ({
  has: (field) => more.has(field) || known.has(field),
});

/**
 * The leaves with a negative operator on a field that can be absent. `covered` has the fields whose
 * absence the rule, or one before it, treats on purpose.
 */
export function uncoveredNegatives(
  condition: Condition,
  covered: KnownFields,
): readonly LeafCondition[] {
  if ('all' in condition || 'any' in condition) {
    const parts = 'all' in condition ? condition.all : condition.any;
    // `all` with `exists` says that it is about calls that have the field.
    const operator = 'all' in condition ? 'exists' : 'not_exists';
    const own = new Set(parts.flatMap((part) => fieldsOf(part, operator)));
    const known = own.size > 0 ? withFields(covered, own) : covered;
    return parts.flatMap((part) => uncoveredNegatives(part, known));
  }
  if ('every' in condition) return uncoveredInItems(condition.every, covered);
  if ('some' in condition) return uncoveredInItems(condition.some, covered);
  const { field } = condition;
  const fires = !isNegative(condition) || ALWAYS_THERE.has(field) || covered.has(field);
  return fires ? [] : [condition];
}

/** A list that is absent, or empty, has no item to be tested. */
function uncoveredInItems(
  { field, condition }: { readonly field: string; readonly condition: Condition },
  covered: KnownFields,
): readonly LeafCondition[] {
  const inside = { has: (name: string) => !name.startsWith('/item') && covered.has(name) };
  if (ALWAYS_THERE.has(field) || covered.has(field)) return uncoveredNegatives(condition, inside);
  return negativesIn(condition);
}

function negativesIn(condition: Condition): readonly LeafCondition[] {
  if ('all' in condition) return condition.all.flatMap(negativesIn);
  if ('any' in condition) return condition.any.flatMap(negativesIn);
  if ('some' in condition) return negativesIn(condition.some.condition);
  if ('every' in condition) return negativesIn(condition.every.condition);
  return isNegative(condition) ? [condition] : [];
}

/** The fields that `condition`, alone or as a part of an `any`, tests with the operator. */
function fieldsOf(condition: Condition, operator: ConditionOperator): readonly string[] {
  if ('any' in condition && operator === 'not_exists')
    return condition.any.flatMap((part) => fieldsOf(part, operator));
  if ('all' in condition && operator === 'exists')
    return condition.all.flatMap((part) => fieldsOf(part, operator));
  return 'operator' in condition && condition.operator === operator ? [condition.field] : [];
}

/** The fields whose absence the condition asks about. */
export function fieldsMissed(condition: Condition): readonly string[] {
  if ('all' in condition) return condition.all.flatMap(fieldsMissed);
  if ('any' in condition) return condition.any.flatMap(fieldsMissed);
  return fieldsOf(condition, 'not_exists');
}
