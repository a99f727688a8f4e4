/** The fields that a condition can test: those of every request, those of tools' schemas, and those that calls really had. */
import { pointerToken, stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../../src/platform/json/exact-values.ts';
import type { FieldType } from '../../../../src/domain/conditions/operators.ts';
import { conditions as text } from './text.ts';

export interface FieldChoice {
  readonly pointer: string;
  /** The lists that it is in, outermost first. */
  readonly lists: readonly string[];
  readonly types: readonly FieldType[];
  /** Values as JSON, or parts of long ones. */
  readonly examples: readonly string[];
  /** In how many calls it was, of how many. */
  readonly seen?: { readonly count: number; readonly requests: number };
  readonly isHidden?: boolean;
  /** What a schema says about it. */
  readonly description?: string;
}

const plain = (pointer: string, types: readonly FieldType[]): FieldChoice => ({
  ...{ pointer, types },
  ...{ lists: [], examples: [] },
});

/** Of every request. */
export const FIXED_FIELDS: readonly FieldChoice[] = [
  plain('/request/tool', ['string']),
  plain('/request/server', ['string']),
  plain('/agent/slug', ['string']),
  plain('/agent/name', ['string']),
  plain('/request/agent_reasoning', ['string']),
];

/** A field as people call it: `customer.id` for an argument. */
export function fieldLabel(pointer: string): string {
  if (Object.hasOwn(text.fields, pointer)) return text.fields[pointer as keyof typeof text.fields];
  const argument = pointer.replace(/^\/request\/arguments\//, '');
  if (argument === pointer) return pointer;
  return argument.split('/').map(unescaped).join('.');
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

const MOST_LEVELS = 4;
const MOST_FIELDS = 200;
const ARGUMENTS = '/request/arguments';

/** The fields of a JSON Schema of arguments. */
export function schemaFields(schema: ExactValue | undefined): readonly FieldChoice[] {
  const fields: FieldChoice[] = [];
  const add = (each: ExactValue | undefined, pointer: string, lists: readonly string[]): void => {
    const level = pointer.split('/').length + 2 * lists.length;
    if (!isExactObject(each) || fields.length >= MOST_FIELDS || level > 2 * MOST_LEVELS) return;
    const { properties, items } = each;
    if (pointer !== ARGUMENTS && pointer !== '/item') fields.push(choiceOf(each, pointer, lists));
    if (pointer === '/item' && !isExactObject(properties))
      fields.push(choiceOf(each, pointer, lists));
    if (isExactObject(properties))
      for (const [name, member] of Object.entries(properties))
        add(member, `${pointer}/${pointerToken(name)}`, lists);
    if (isExactObject(items)) add(items, '/item', [...lists, pointer]);
  };
  add(schema, ARGUMENTS, []);
  return fields;
}

function choiceOf(schema: ExactObject, pointer: string, lists: readonly string[]): FieldChoice {
  const { description, enum: choices } = schema;
  return {
    ...{ pointer, lists, types: typesOf(schema['type']) },
    examples: Array.isArray(choices) ? choices.slice(0, 2).map(stringifyExact) : [],
    ...(typeof description === 'string' && { description }),
  };
}

const TYPES: Readonly<Record<string, FieldType>> = {
  object: 'object',
  array: 'array',
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typesOf(type: ExactValue | undefined): readonly FieldType[] {
  const names = Array.isArray(type) ? type : [type];
  return names.flatMap((name) =>
    typeof name === 'string' && Object.hasOwn(TYPES, name) ? (TYPES[name] ?? []) : [],
  );
}

export const placeOf = ({ lists, pointer }: Pick<FieldChoice, 'lists' | 'pointer'>): string =>
  [...lists, pointer].join(' ');

/** By place: what calls had comes first, with what the schema says about it. */
export function joinedFields(
  seen: readonly FieldChoice[],
  schemas: readonly FieldChoice[],
): readonly FieldChoice[] {
  const fields = new Map<string, FieldChoice>();
  for (const field of [...seen, ...schemas]) {
    const place = placeOf(field);
    const before = fields.get(place);
    fields.set(place, before ? joined(before, field) : field);
  }
  return [...fields.values()];
}

const joined = (one: FieldChoice, other: FieldChoice): FieldChoice => ({
  ...other,
  ...one,
  types: [...new Set([...one.types, ...other.types])],
  examples: [...new Set([...one.examples, ...other.examples])].slice(0, 2),
});

/** Those that can be tested in a place: outside of lists, or for the items of these lists. */
export const fieldsIn = (
  fields: readonly FieldChoice[],
  lists: readonly string[],
): readonly FieldChoice[] =>
  fields.filter(
    (field) =>
      field.lists.length === 0 ||
      placeOf({ ...field, pointer: '' }) === placeOf({ lists, pointer: '' }),
  );
