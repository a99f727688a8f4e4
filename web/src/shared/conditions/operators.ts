/** Which operators a field offers, by the types that its values have. */
import {
  CONDITION_OPERATORS,
  operatorOf,
  type ConditionOperator,
  type FieldType,
  type LiteralKind,
} from '../../../../src/domain/conditions/operators.ts';
import type { Condition } from '../../../../src/domain/conditions/document.ts';
import type { ValueKind } from './value-texts.ts';

/** A test of one field. */
export type Leaf = Extract<Condition, { readonly operator: unknown }>;

/** What decides which operators a field offers. */
interface Offering {
  readonly types: readonly FieldType[];
  readonly examples: readonly string[];
}

/** Times are texts that have an order. */
const TIME = /^"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d/;

/** All, for a field with unknown types. */
export function isOffered(operator: ConditionOperator, { types, examples }: Offering): boolean {
  const { fields, literal } = operatorOf(operator);
  if (types.length === 0 || types.some((type) => fields.includes(type))) return true;
  return literal === 'ordered' && examples.some((example) => TIME.test(example));
}

/** `current` is always among them. */
export const operatorsFor = (
  field: Offering,
  current: ConditionOperator,
): readonly ConditionOperator[] =>
  CONDITION_OPERATORS.filter((each) => each === current || isOffered(each, field));

/** What the operator is compared with. */
export const valueOf = (operator: ConditionOperator): LiteralKind => operatorOf(operator).literal;

/** Its words, and its sign where it has one. */
export function nameOf(operator: ConditionOperator): string {
  const { words, sign } = operatorOf(operator);
  return sign === undefined ? words : `${words} (${sign})`;
}

/** The kind of value that a field of these types is compared with at first. */
export function firstKind(types: readonly FieldType[]): ValueKind {
  const [type = 'string'] = types;
  if (type === 'number' || type === 'boolean' || type === 'null') return type;
  return 'text';
}
