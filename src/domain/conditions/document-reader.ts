/** Reads an untrusted JSON document member by member, collecting an issue for each thing that is wrong with it. */
import type { ExactObject, ExactValue } from '../../platform/exact-json.ts';
import { pointerToken } from '../../platform/exact-json.ts';
import type { Issue } from '../errors.ts';
import { isObject } from './fields.ts';

/** More issues than this help nobody and make answers as large as the worst document. */
const MAX_ISSUES = 100;

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

/** The object, when it is one; a missing or unknown member is an issue of its own. */
export function readObject(
  { value, pointer }: Located,
  members: { readonly required: readonly string[]; readonly optional?: readonly string[] },
  list: IssueList,
): ExactObject | undefined {
  if (!isObject(value)) {
    list.add(pointer, value === undefined ? 'required' : 'invalid_type', 'An object is expected here.');
    return undefined;
  }
  for (const key of members.required) {
    if (value[key] === undefined) list.add(`${pointer}/${pointerToken(key)}`, 'required', `The member \`${key}\` is required.`);
  }
  const known = [...members.required, ...(members.optional ?? [])];
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) list.add(`${pointer}/${pointerToken(key)}`, 'unknown_field', 'There is no such member.');
  }
  return value;
}

export interface TextRules {
  readonly min?: number;
  readonly max: number;
  readonly pattern?: RegExp;
  /** A sentence saying what is allowed. */
  readonly rule: string;
}

/** The text, when it obeys the rules. A missing value is left to `readObject`. Lengths are in Unicode characters. */
export function readText({ value, pointer }: Located, rules: TextRules, list: IssueList): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    list.add(pointer, 'invalid_type', 'A string is expected here.');
    return undefined;
  }
  const length = value.length > rules.max ? [...value].length : value.length;
  const fits = length >= (rules.min ?? 1) && length <= rules.max && (rules.pattern?.test(value) ?? true);
  if (fits) return value;
  list.add(pointer, 'invalid_value', rules.rule);
  return undefined;
}

/** One of the words, when it is one. A missing value is left to `readObject`. */
export function readWord<Word extends string>({ value, pointer }: Located, words: readonly Word[], list: IssueList): Word | undefined {
  const word = words.find((one) => one === value);
  if (word === undefined && value !== undefined) list.add(pointer, 'invalid_value', `One of ${words.join(', ')} is expected here.`);
  return word;
}

/** An issue for every text in the document that a database or a browser could not keep: NUL, or half a surrogate pair. */
export function refuseUnstorableText({ value, pointer }: Located, list: IssueList): void {
  if (typeof value === 'string') refuseText(value, pointer, list);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorableText({ value: item, pointer: `${pointer}/${index}` }, list);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = memberOf(value, pointer, key);
      refuseText(key, member.pointer, list);
      refuseUnstorableText(member, list);
    }
  }
}

function refuseText(text: string, pointer: string, list: IssueList): void {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text)) {
    list.add(pointer, 'invalid_value', 'Text may contain neither NUL nor half of a surrogate pair.');
  }
}
