/**
 * All that is known of each operator. The grammar, the compiler, the sentences, the warnings and the editor of the web app read it here.
 * It does not import the library of regular expressions, because the web app loads that only where someone tries a pattern.
 */
import {
  compareDecimals,
  exactEquals,
  isNumber,
  type ExactValue,
} from '../../platform/json/exact-values.ts';
import {
  costOfChoosing,
  costOfComparing,
  costOfMatching,
  costOfSearching,
  type Cost,
  type PreparedLiteral,
} from './costs.ts';
import { compareInstants, parseInstant } from './instants.ts';

/** The type of a leaf's value: none, any JSON, a number or time, a list, a text, a regular expression. */
export type LiteralKind = 'none' | 'any' | 'ordered' | 'list' | 'text' | 'pattern';

/** The type of a field's value, as JSON has it. */
export type FieldType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

type Test = (field: ExactValue, literal: PreparedLiteral) => boolean;

export interface Operator {
  /** What a sentence says between the field and the value. */
  readonly words: string;
  /** The same where the value is a time. */
  readonly timeWords?: string;
  /** What the editor shows, where a sign is shorter than the words. */
  readonly sign?: string;
  readonly literal: LiteralKind;
  /** For a field that is present, of any type. It never throws. */
  readonly holds: Test;
  /** A missing field makes every operator false but the one that asks for it. */
  readonly holdsWithout?: true;
  /** Of a test of a field that is there. */
  readonly cost: Cost;
  /**
   * Whether a test with the value says what may pass, or gives an upper bound. Operators that only exclude something, or give a
   * lower bound, limit nothing.
   */
  readonly limits: (value: ExactValue | undefined) => boolean;
  /** The opposite of another operator. A missing field passes a rule that denies with it. */
  readonly isNegative?: true;
  /** Types of fields for which the editor offers it. `ordered` ones are offered for times, too. */
  readonly fields: readonly FieldType[];
}

const ALL = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;

const always = (): boolean => true;
const never = (): boolean => false;
/** Every string contains the empty string. */
const unlessEmpty = (value: ExactValue | undefined): boolean => value !== '';
const unlessAnyText = (value: ExactValue | undefined): boolean =>
  typeof value !== 'string' || !/^(?:\(\?[a-zA-Z]+\))?\^?(?:\.[*+])?\$?$/.test(value);

const compares =
  (holds: (order: number) => boolean): Test =>
  (field, literal) => {
    const order = compareOrdered(field, literal);
    return order !== undefined && holds(order);
  };

const ofTexts =
  (holds: (field: string, value: string) => boolean): Test =>
  (field, { value }) =>
    typeof field === 'string' && typeof value === 'string' && holds(field, value);

const presence = { literal: 'none', cost: () => 1, limits: never, fields: ALL } as const;
const equality = { literal: 'any', cost: costOfComparing, fields: ALL } as const;
const order = { literal: 'ordered', cost: costOfComparing, fields: ['number'] } as const;
const choice = { literal: 'list', cost: costOfChoosing, fields: ['string', 'number'] } as const;
const search = { literal: 'any', cost: costOfSearching, fields: ['string', 'array'] } as const;
const affix = { literal: 'text', cost: costOfComparing, fields: ['string'] } as const;
const pattern = { literal: 'pattern', cost: costOfMatching, fields: ['string'] } as const;

/** In the order of the documentation. */
export const OPERATORS = {
  exists: { ...presence, words: 'is present', holds: always },
  not_exists: { ...presence, words: 'is absent', holds: never, holdsWithout: true },
  equals: {
    ...equality,
    words: 'is',
    holds: (field, { value }) => exactEquals(field, value),
    limits: always,
  },
  not_equals: {
    ...equality,
    words: 'is not',
    holds: (field, { value }) => !exactEquals(field, value),
    limits: never,
    isNegative: true,
  },
  less_than: {
    ...order,
    ...{ words: 'is less than', timeWords: 'is before', sign: '<' },
    holds: compares((sign) => sign < 0),
    limits: always,
  },
  less_than_or_equal: {
    ...order,
    ...{ words: 'is at most', timeWords: 'is no later than', sign: '≤' },
    holds: compares((sign) => sign <= 0),
    limits: always,
  },
  greater_than: {
    ...order,
    ...{ words: 'is more than', timeWords: 'is after', sign: '>' },
    holds: compares((sign) => sign > 0),
    limits: never,
  },
  greater_than_or_equal: {
    ...order,
    ...{ words: 'is at least', timeWords: 'is no earlier than', sign: '≥' },
    holds: compares((sign) => sign >= 0),
    limits: never,
  },
  in: {
    ...choice,
    words: 'is one of',
    holds: (field, { value }) =>
      Array.isArray(value) && value.some((one) => exactEquals(field, one)),
    limits: always,
  },
  not_in: {
    ...choice,
    words: 'is not one of',
    holds: (field, { value }) =>
      Array.isArray(value) && !value.some((one) => exactEquals(field, one)),
    limits: never,
    isNegative: true,
  },
  contains: {
    ...search,
    words: 'contains',
    holds: (field, { value }) => contains(field, value) === true,
    limits: unlessEmpty,
  },
  not_contains: {
    ...search,
    words: 'does not contain',
    holds: (field, { value }) => contains(field, value) === false,
    limits: never,
    isNegative: true,
  },
  starts_with: {
    ...affix,
    words: 'starts with',
    holds: ofTexts((field, value) => field.startsWith(value)),
    limits: unlessEmpty,
  },
  ends_with: {
    ...affix,
    words: 'ends with',
    holds: ofTexts((field, value) => field.endsWith(value)),
    limits: unlessEmpty,
  },
  matches: {
    ...pattern,
    words: 'matches',
    holds: (field, literal) =>
      typeof field === 'string' && literal.pattern !== undefined && literal.pattern.test(field),
    limits: unlessAnyText,
  },
  not_matches: {
    ...pattern,
    words: 'does not match',
    holds: (field, literal) =>
      typeof field === 'string' && literal.pattern !== undefined && !literal.pattern.test(field),
    limits: never,
    isNegative: true,
  },
} as const satisfies Readonly<Record<string, Operator>>;

export type ConditionOperator = keyof typeof OPERATORS;

export const CONDITION_OPERATORS = Object.keys(OPERATORS) as readonly ConditionOperator[];

export const operatorOf = (name: ConditionOperator): Operator => OPERATORS[name];

function compareOrdered(field: ExactValue, literal: PreparedLiteral): -1 | 0 | 1 | undefined {
  if (isNumber(field))
    return isNumber(literal.value) ? compareDecimals(field, literal.value) : undefined;
  if (typeof field !== 'string' || !literal.instant) return undefined;
  const instant = parseInstant(field);
  return instant && compareInstants(instant, literal.instant);
}

/**
 * Whether a text contains the part, or a list the member. Undefined when the field is neither or
 * the part is not a text.
 */
function contains(field: ExactValue, value: ExactValue): boolean | undefined {
  if (Array.isArray(field)) return field.some((one) => exactEquals(one, value));
  return typeof field === 'string' && typeof value === 'string' ? field.includes(value) : undefined;
}
