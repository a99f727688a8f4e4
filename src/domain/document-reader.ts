/**
 * Reads an untrusted JSON document member by member, collecting an issue for each thing that is wrong with it. A reader
 * answers undefined, or an empty list, for what is wrong and for what is absent: `readObject` alone says what is missing.
 */
import {
  isExactObject,
  isNumber,
  pointerToken,
  type ExactObject,
  type ExactValue,
} from '../platform/exact-json.ts';
import { parseDuration } from './durations.ts';
import { MAX_ISSUES, type Issue } from './errors.ts';
import { KEY_PATTERN } from './keys.ts';
import { hasUnseen, isBlank, UNSEEN_RULE } from './labels.ts';

export interface IssueList {
  readonly issues: Issue[];
  add(pointer: string, code: string, message: string): void;
}

export function newIssueList(): IssueList {
  const issues: Issue[] = [];
  return {
    issues,
    add: (pointer, code, message) => {
      if (issues.length < MAX_ISSUES) issues.push({ pointer, code, message });
    },
  };
}

/** A value and where it stands. */
export interface Located {
  readonly value: ExactValue | undefined;
  readonly pointer: string;
}

export function memberOf(object: ExactObject, pointer: string, key: string): Located {
  return { value: object[key], pointer: `${pointer}/${pointerToken(key)}` };
}

export interface Members {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
}

/** The object, when it is one; a missing or unknown member is an issue of its own. */
export function readObject(
  at: Located,
  members: Members,
  list: IssueList,
): ExactObject | undefined {
  const object = readAnyObject(at, list);
  if (!object) return undefined;
  for (const key of members.required) {
    if (object[key] === undefined)
      list.add(memberOf(object, at.pointer, key).pointer, 'required', 'is required');
  }
  const known = [...members.required, ...(members.optional ?? [])];
  for (const key of Object.keys(object)) {
    if (!known.includes(key))
      list.add(memberOf(object, at.pointer, key).pointer, 'unknown_field', 'is not a known field');
  }
  return object;
}

/** The object, when it is one, whatever its members. */
export function readAnyObject(
  { value, pointer }: Located,
  list: IssueList,
): ExactObject | undefined {
  if (isExactObject(value)) return value;
  list.add(
    pointer,
    value === undefined ? 'required' : 'invalid_type',
    value === undefined ? 'is required' : 'must be an object',
  );
  return undefined;
}

/** The items of a list with their places; none of a list that is too long, so that work stays bounded. */
export function readItems(
  { value, pointer }: Located,
  size: { readonly min?: 1; readonly max?: number },
  list: IssueList,
): Located[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    list.add(pointer, 'invalid_type', 'must be a list');
    return [];
  }
  if (value.length < (size.min ?? 0))
    list.add(pointer, 'invalid_value', 'must have at least one item');
  if (size.max !== undefined && value.length > size.max) {
    list.add(
      pointer,
      'too_many',
      size.max === 0 ? 'must be empty' : `must have at most ${size.max} items`,
    );
    return [];
  }
  return value.map((item, index) => ({ value: item, pointer: `${pointer}/${index}` }));
}

export interface TextRules {
  readonly min?: number;
  readonly max: number;
  readonly pattern?: RegExp;
  /** What is allowed, after «must». */
  readonly rule: string;
}

/** The text, when it obeys the rules. Lengths are in Unicode characters. */
export function readText(
  { value, pointer }: Located,
  rules: TextRules,
  list: IssueList,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    list.add(pointer, 'invalid_type', 'must be a string');
    return undefined;
  }
  const length = value.length > rules.max ? [...value].length : value.length;
  const fits =
    length >= (rules.min ?? 1) && length <= rules.max && (rules.pattern?.test(value) ?? true);
  if (fits) return value;
  list.add(pointer, 'invalid_value', `must ${rules.rule}`);
  return undefined;
}

/** Text for people, in one line. NUL and lone surrogates are left to `refuseUnstorableText`. */
export function readLabel(at: Located, max: number, list: IssueList): string | undefined {
  const text = readText(at, { max, rule: `have 1 to ${max} characters` }, list);
  if (text === undefined || !isStorable(text)) return text;
  if (isBlank(text)) list.add(at.pointer, 'invalid_value', 'must not be blank');
  else if (hasUnseen(text)) list.add(at.pointer, 'invalid_value', UNSEEN_RULE);
  return text;
}

/** One of the words, when it is one. */
export function readWord<Word extends string>(
  { value, pointer }: Located,
  words: readonly Word[],
  list: IssueList,
): Word | undefined {
  const word = words.find((one) => one === value);
  if (word === undefined && value !== undefined)
    list.add(pointer, 'invalid_value', `must be one of ${words.join(', ')}`);
  return word;
}

/** A slug, path key or block id. */
export function readKey(at: Located, list: IssueList): string | undefined {
  const rule =
    'be up to 63 lowercase letters, digits, dots, underscores and hyphens, the first a letter or digit';
  return readText(at, { max: 63, pattern: KEY_PATTERN, rule }, list);
}

export interface Bounds<T> {
  readonly min: T;
  readonly max: T;
}

export function readInteger(
  { value, pointer }: Located,
  { min, max }: Bounds<number>,
  list: IssueList,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
    return value;
  list.add(
    pointer,
    isNumber(value) ? 'invalid_value' : 'invalid_type',
    `must be an integer from ${min} to ${max}`,
  );
  return undefined;
}

/** The text of a duration such as `15m`. */
export function readDuration(
  { value, pointer }: Located,
  { min, max }: Bounds<string>,
  list: IssueList,
): string | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (
    typeof value === 'string' &&
    ms !== undefined &&
    ms >= (parseDuration(min) ?? NaN) &&
    ms <= (parseDuration(max) ?? NaN)
  )
    return value;
  const message = `must be a duration such as 15m (one number, one of s, m, h) from ${min} to ${max}`;
  list.add(pointer, typeof value === 'string' ? 'invalid_value' : 'invalid_type', message);
  return undefined;
}

/** Notes an id as taken; an issue when it already was. */
export function takeId(
  id: string,
  pointer: string,
  { ids, list }: { ids: Set<string>; list: IssueList },
): void {
  if (ids.has(id)) list.add(pointer, 'duplicate_id', 'must be unique in the document');
  ids.add(id);
}

/** An issue for every text in the document that a database or a browser could not keep: NUL, or half a surrogate pair. */
export function refuseUnstorableText({ value, pointer }: Located, list: IssueList): void {
  if (typeof value === 'string') refuseText(value, pointer, list);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      refuseUnstorableText({ value: item, pointer: `${pointer}/${index}` }, list);
  } else if (isExactObject(value)) {
    for (const key of Object.keys(value)) {
      const member = memberOf(value, pointer, key);
      refuseText(key, member.pointer, list);
      refuseUnstorableText(member, list);
    }
  }
}

function refuseText(text: string, pointer: string, list: IssueList): void {
  if (!isStorable(text))
    list.add(pointer, 'invalid_value', 'must not contain NUL or a lone surrogate');
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
