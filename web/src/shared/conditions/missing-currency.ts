/** A test of an amount means little without one of its currency. */
import type { Condition } from '../../../../src/domain/conditions/document.ts';
import { lastTokenOf, parentOf } from '../editor/json-places.ts';
import { fieldsIn, type FieldChoice } from './field-choices.ts';
import { valueOf, type Leaf } from './operators.ts';

const AMOUNT = /amount|price|total|cost|fee|sum|balance|budget/i;
const CURRENCY = /currency$/i;

interface Place {
  readonly fields: readonly FieldChoice[];
  /** The lists whose items are tested there. */
  readonly lists: readonly string[];
  /** The whole condition. */
  readonly root: Condition;
}

/** The currency that calls have next to the amount, where the condition does not look at it. */
export function missingCurrency(
  { field, operator }: Leaf,
  { fields, lists, root }: Place,
): FieldChoice | undefined {
  if (valueOf(operator) !== 'ordered' || !AMOUNT.test(lastTokenOf(field))) return undefined;
  const isOfItem = field.startsWith('/item');
  const currency = fieldsIn(fields, lists).find(
    (each) =>
      each.lists.length > 0 === isOfItem &&
      parentOf(each.pointer) === parentOf(field) &&
      CURRENCY.test(each.pointer),
  );
  return currency && testedIn(root).includes(currency.pointer) ? undefined : currency;
}

function testedIn(condition: Condition): readonly string[] {
  if ('all' in condition) return condition.all.flatMap(testedIn);
  if ('any' in condition) return condition.any.flatMap(testedIn);
  if ('some' in condition) return testedIn(condition.some.condition);
  return 'every' in condition ? testedIn(condition.every.condition) : [condition.field];
}
