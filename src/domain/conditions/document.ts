/** The grammar of condition trees. */
import { z } from 'zod';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import {
  isExactObject,
  isNumber,
  type ExactObject,
  type ExactValue,
} from '../../platform/json/exact-values.ts';
import { list, object, picked, problem, text, type ReadAs } from '../grammar.ts';
import { isStorable, STORABLE_RULE } from '../labels.ts';
import { isKnownField, parseField, ROOT_POINTERS } from './fields.ts';
import { parseInstant } from './instants.ts';
import { CONDITION_OPERATORS, operatorOf, type LiteralKind } from './operators.ts';
import { CONDITION_LIMITS } from './types.ts';

const conditionId = () => text('Unique in the document.', { max: CONDITION_LIMITS.idLength });

export const FIELD_RULE = `must be a JSON pointer that begins with one of ${ROOT_POINTERS.join(', ')}`;

/** For the description: all of the previous metadata is one root. */
const DESCRIBED_ROOTS = [
  ...new Set(ROOT_POINTERS.map((pointer) => pointer.replace(/^(\/previous_metadata)\/.*/, '$1'))),
].map((pointer) => `\`${pointer}\``);

const field = () =>
  z
    .string()
    .refine(isField, { error: `${FIELD_RULE}, or inside some and every with /item` })
    .meta({
      description:
        `JSON pointer to what is tested, beginning with ${DESCRIBED_ROOTS.slice(0, -1).join(', ')} or ` +
        `${DESCRIBED_ROOTS.at(-1)}; inside \`some\` and \`every\` also with \`/item\`.`,
      examples: ['/request/arguments/amount'],
    });

/** Whether a condition can name the field, inside `some` and `every` at least. */
export function isField(value: string): boolean {
  if (
    value.length > CONDITION_LIMITS.fieldLength &&
    [...value].length > CONDITION_LIMITS.fieldLength
  )
    return false;
  const path = isStorable(value) ? parseField(value) : undefined;
  return path !== undefined && isKnownField(path, true);
}

const leafCondition = object({
  id: conditionId(),
  field: field(),
  operator: z.enum(CONDITION_OPERATORS).meta({
    description:
      'How the field is tested. A missing field, or one of the wrong type, makes every operator false but `not_exists`. ' +
      '`matches` takes RE2 syntax. Numbers compare as exact decimals, RFC 3339 times as instants.',
  }),
  value: z
    .custom<ExactValue>()
    .meta({
      description:
        'What the field is compared with; absent exactly for `exists` and `not_exists`. Numbers keep every digit.',
      override: {},
    })
    .exactOptional(),
})
  .check(({ value: leaf, issues }) => {
    issues.push(...literalProblems(leaf));
  })
  .meta({ id: 'LeafCondition', description: 'Tests one field.' });

const itemsCondition = (description: string) =>
  object({
    field: field(),
    get condition() {
      return conditionSchema;
    },
  }).meta({ description });

const allCondition = object({
  id: conditionId(),
  get all() {
    return list(conditionSchema).min(1).meta({ description: 'All of these hold.' });
  },
}).meta({ id: 'AllCondition', description: 'True when every part is.' });

const anyCondition = object({
  id: conditionId(),
  get any() {
    return list(conditionSchema).min(1).meta({ description: 'At least one of these holds.' });
  },
}).meta({ id: 'AnyCondition', description: 'True when at least one part is.' });

const someCondition = object({
  id: conditionId(),
  some: itemsCondition('A list, and what at least one item, `/item`, is tested with.'),
}).meta({
  id: 'SomeCondition',
  description: 'True when the condition holds for at least one item of the list.',
});

const everyCondition = object({
  id: conditionId(),
  every: itemsCondition('A list, and what each item, `/item`, is tested with.'),
}).meta({
  id: 'EveryCondition',
  description: 'True when the list has items and the condition holds for each.',
});

/** A condition tree. */
export const conditionSchema = picked(
  [leafCondition, allCondition, anyCondition, someCondition, everyCondition],
  branchOf,
).meta({
  id: 'Condition',
  description:
    `A tree of tests: at most ${CONDITION_LIMITS.depth} levels, ${CONDITION_LIMITS.leavesPerCondition} leaves in one tree and ` +
    `${CONDITION_LIMITS.leavesPerDocument} in one document.`,
});

export type Condition = ReadAs<typeof conditionSchema>;
export type LeafCondition = ReadAs<typeof leafCondition>;
/** A list field, and the condition for its items (`/item`). */
export type ItemsCondition = ReadAs<typeof someCondition>['some'];

/** The kind of a condition object, by its members. */
function branchOf(value: ExactObject): z.core.$ZodType {
  if (value['all'] !== undefined) return allCondition;
  if (value['any'] !== undefined) return anyCondition;
  if (value['some'] !== undefined) return someCondition;
  return value['every'] === undefined ? leafCondition : everyCondition;
}

interface LiteralRule {
  readonly fits: (value: ExactValue) => boolean;
  readonly rule: string;
}

const LITERAL_RULES: Readonly<Record<Exclude<LiteralKind, 'none'>, LiteralRule>> = {
  ordered: {
    fits: (value: ExactValue) =>
      isNumber(value) || (typeof value === 'string' && parseInstant(value) !== undefined),
    rule: 'must be a number or an RFC 3339 time for this operator',
  },
  list: { fits: Array.isArray, rule: 'must be a list for this operator' },
  text: {
    fits: (value: ExactValue) => typeof value === 'string',
    rule: 'must be a string for this operator',
  },
  pattern: {
    fits: (value: ExactValue) =>
      typeof value === 'string' && value.length <= CONDITION_LIMITS.patternLength,
    rule: `must be a regular expression of at most ${CONDITION_LIMITS.patternLength} characters`,
  },
  any: { fits: () => true, rule: '' },
};

type RawIssue = ReturnType<typeof problem>;

function* literalProblems({ operator, value }: LeafCondition): Generator<RawIssue> {
  const kind = operatorOf(operator).literal;
  if (kind === 'none') {
    if (value !== undefined)
      yield problem('unknown_field', 'must be absent for this operator', ['value']);
  } else if (value === undefined)
    yield problem('required', 'is required for this operator', ['value']);
  else if (isLong(value)) {
    const rule = `must have at most ${CONDITION_LIMITS.literalBytes} bytes as JSON`;
    yield problem('invalid_value', rule, ['value']);
  } else if (!LITERAL_RULES[kind].fits(value))
    yield problem('invalid_value', LITERAL_RULES[kind].rule, ['value']);
  else yield* unstorableTexts(value, ['value']);
}

const utf8 = new TextEncoder();

function isLong(value: ExactValue): boolean {
  if (typeof value === 'string' && value.length < CONDITION_LIMITS.literalBytes / 6 - 2)
    return false;
  return utf8.encode(stringifyExact(value)).length > CONDITION_LIMITS.literalBytes;
}

function* unstorableTexts(value: ExactValue, path: PropertyKey[]): Generator<RawIssue> {
  if (typeof value === 'string') {
    if (!isStorable(value)) yield problem('invalid_value', STORABLE_RULE, path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unstorableTexts(item, [...path, index]);
  } else if (isExactObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield* unstorableTexts(name, [...path, name]);
      yield* unstorableTexts(member, [...path, name]);
    }
  }
}
