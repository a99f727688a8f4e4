/**
 * A condition as a person reads it: `amount is more than 500 and currency is not one of EUR, USD`. A pure function of the
 * document. Names and values are foreign text: what is not a plain word is quoted, with its invisible characters as escapes.
 */
import { stringifyExact } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import { countText } from '../shown/text-pieces.ts';
import { ownLength, quotedText, shortText } from '../shown/value-text.ts';
import type { Condition, ItemsCondition, LeafCondition } from './document.ts';
import { parseField } from './fields.ts';
import { operatorOf } from './operators.ts';

const MOST_SENTENCE = 500;
const MOST_VALUE = 80;
const MOST_CHOICES = 5;

/** At most some 500 characters. It says how many tests it leaves out. */
export function conditionText(condition: Condition): string {
  return textOf(condition, { left: MOST_SENTENCE }, 'alone');
}

interface Room {
  left: number;
}

type Around = 'all' | 'any' | 'alone';

function textOf(condition: Condition, room: Room, around: Around): string {
  if ('all' in condition) return partsText(condition.all, { room, around, kind: 'all' });
  if ('any' in condition) return partsText(condition.any, { room, around, kind: 'any' });
  if ('some' in condition)
    return itemsText('for at least one item of', condition.some, { room, around });
  if ('every' in condition)
    return itemsText('for every item of', condition.every, { room, around });
  const text = leafText(condition);
  room.left -= text.length;
  return text;
}

interface Within {
  readonly room: Room;
  readonly around: Around;
}

function partsText(
  parts: readonly Condition[],
  { room, around, kind }: Within & { readonly kind: 'all' | 'any' },
): string {
  const [only] = parts;
  if (only && parts.length === 1) return textOf(only, room, around);
  const texts: string[] = [];
  for (const part of parts) {
    if (room.left <= 0) break;
    texts.push(textOf(part, room, kind));
    room.left -= ' and '.length;
  }
  const left = parts.length - texts.length;
  if (left > 0) texts.push(`${countText(left)} more ${left === 1 ? 'test' : 'tests'}`);
  const joined = texts.join(kind === 'all' ? ' and ' : ' or ');
  return around === 'alone' || around === kind ? joined : `(${joined})`;
}

function itemsText(
  before: string,
  { field, condition }: ItemsCondition,
  { room, around }: Within,
): string {
  const start = `${before} ${fieldText(field)}, `;
  room.left -= start.length;
  const text = `${start}${textOf(condition, room, 'alone')}`;
  return around === 'alone' ? text : `(${text})`;
}

function leafText({ field, operator, value }: LeafCondition): string {
  const subject = fieldText(field);
  const { words, timeWords, literal } = operatorOf(operator);
  if (value === undefined) return `${subject} ${words}`;
  const verb = typeof value === 'string' ? (timeWords ?? words) : words;
  return `${subject} ${verb} ${literal === 'list' && Array.isArray(value) ? choicesText(value) : valueText(value)}`;
}

function choicesText(choices: readonly ExactValue[]): string {
  if (choices.length === 0) return 'no values';
  const named = choices.slice(0, MOST_CHOICES).map(valueText).join(', ');
  const more = choices.length - MOST_CHOICES;
  return more > 0 ? `${named} and ${countText(more)} more` : named;
}

/** What needs no quotes: it cannot be read as anything but a value or a name. */
const WORD = /^[A-Za-z_][\w-]*$/;
const KEYWORDS = new Set(['true', 'false', 'null', 'and', 'or', 'is', 'not', 'the', 'no', 'more']);
const isWord = (text: string): boolean =>
  text.length <= MOST_VALUE && WORD.test(text) && !KEYWORDS.has(text.toLowerCase());

/** A value as in JSON, without the quotes of a plain word. Digits stay as they are written. */
export function valueText(value: ExactValue): string {
  const room = { most: MOST_VALUE, lengthOf: ownLength };
  if (typeof value === 'string') return isWord(value) ? value : quotedText(value, room).text;
  return shortText(stringifyExact(value), room).text;
}

const ROOTS: readonly (readonly [path: string, name: string])[] = [
  ['/request/tool', 'the tool'],
  ['/request/server', 'the server'],
  ['/request/agent_reasoning', "the agent's reasoning"],
  ['/agent/slug', "the agent's slug"],
  ['/agent/name', "the agent's name"],
  ['/request/arguments', 'the arguments'],
  ['/request/context', 'the context'],
  ['/previous_metadata/organization', 'the metadata of organization blocks'],
  ['/previous_metadata/agent', 'the metadata of agent blocks'],
  ['/item', 'the item'],
];

/** `customer.id` for an argument. What is elsewhere says where: `id of the item`. */
export function fieldText(field: string): string {
  const root = ROOTS.find(([path]) => field === path || field.startsWith(`${path}/`));
  const [path = '', name = ''] = root ?? [];
  const tokens = parseField(field.slice(path.length)) ?? [];
  if (tokens.length === 0) return root ? name : valueText(field);
  const isPlain = tokens.every(
    (token, index) => isWord(token) || (index > 0 && /^\d+$/.test(token)),
  );
  const inside =
    isPlain && tokens.join('.').length <= MOST_VALUE
      ? tokens.join('.')
      : quotedText(field.slice(path.length), { most: MOST_VALUE, lengthOf: ownLength }).text;
  return name === 'the arguments' ? inside : `${inside} of ${name}`;
}
