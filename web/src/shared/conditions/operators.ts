/** Which operators a field offers, by the types that its values have. */
import {
  CONDITION_OPERATORS,
  type ConditionOperator,
} from '../../../../src/domain/conditions/types.ts';
import type { Condition } from '../../../../src/domain/conditions/document.ts';
import type { ValueKind } from './value-texts.ts';

/** A test of one field. */
export type Leaf = Extract<Condition, { readonly operator: unknown }>;

export type FieldType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

const PRESENCE = ['exists', 'not_exists'] as const;
const EQUAL = ['equals', 'not_equals', 'in', 'not_in'] as const;
const ORDER = ['less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'] as const;
const PARTS = [
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'not_matches',
] as const;

const BY_TYPE: Readonly<Record<FieldType, readonly ConditionOperator[]>> = {
  string: [...EQUAL, ...PARTS, ...PRESENCE],
  number: [...EQUAL, ...ORDER, ...PRESENCE],
  boolean: ['equals', 'not_equals', ...PRESENCE],
  null: ['equals', 'not_equals', ...PRESENCE],
  array: ['contains', 'not_contains', 'equals', 'not_equals', ...PRESENCE],
  object: ['equals', 'not_equals', ...PRESENCE],
};

/** What decides which operators a field offers. */
interface Offering {
  readonly types: readonly FieldType[];
  readonly examples: readonly string[];
}

/** Times are texts that have an order. */
const TIME = /^"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d/;

/** All, for a field with unknown types. */
export function isOffered(operator: ConditionOperator, { types, examples }: Offering): boolean {
  if (types.length === 0 || types.some((type) => BY_TYPE[type].includes(operator))) return true;
  return valueOf(operator) === 'ordered' && examples.some((example) => TIME.test(example));
}

/** `current` is always among them. */
export const operatorsFor = (
  field: Offering,
  current: ConditionOperator,
): readonly ConditionOperator[] =>
  CONDITION_OPERATORS.filter((each) => each === current || isOffered(each, field));

/** What the operator is compared with. */
type OperatorValue = 'none' | 'one' | 'list' | 'ordered' | 'text' | 'pattern';

const VALUES: Readonly<Record<ConditionOperator, OperatorValue>> = {
  exists: 'none',
  not_exists: 'none',
  equals: 'one',
  not_equals: 'one',
  less_than: 'ordered',
  less_than_or_equal: 'ordered',
  greater_than: 'ordered',
  greater_than_or_equal: 'ordered',
  in: 'list',
  not_in: 'list',
  contains: 'one',
  not_contains: 'one',
  starts_with: 'text',
  ends_with: 'text',
  matches: 'pattern',
  not_matches: 'pattern',
};

export const valueOf = (operator: ConditionOperator): OperatorValue => VALUES[operator];

/** The kind of value that a field of these types is compared with at first. */
export function firstKind(types: readonly FieldType[]): ValueKind {
  const [type = 'string'] = types;
  if (type === 'number' || type === 'boolean' || type === 'null') return type;
  return 'text';
}
