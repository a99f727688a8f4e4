/**
 * The problems that a schema finds in a body, a parameter or a document, in the words of every
 * refusal.
 */
import type { z } from 'zod';
import { pointerToken } from '../platform/json/exact-json.ts';
import { ExactNumber } from '../platform/json/exact-values.ts';
import { MAX_ISSUES, type Issue } from './errors.ts';
import { isIssueCode, type IssueCode } from './issue-codes.ts';
import { pointerOf } from './pointers.ts';

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The value that the schema reads, or at most 100 issues, with pointers under `prefix`. */
export function readBy<S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix = '',
): Read<z.output<S>> {
  const parsed = schema.safeParse(value, { error: ruleOf, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const issues: Issue[] = [];
  for (const issue of parsed.error.issues) {
    if (issues.length >= MAX_ISSUES) break;
    issues.push(...toIssues(issue, prefix));
  }
  return { ok: false, issues: issues.slice(0, MAX_ISSUES) };
}

function toIssues(issue: z.core.$ZodIssue, prefix: string): Issue[] {
  const pointer = prefix + pointerOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      pointer: `${pointer}/${pointerToken(key)}`,
      code: 'unknown_field',
      message: 'is not a known field',
    }));
  }
  if (issue.input === undefined && issue.code !== 'custom')
    return [{ pointer, code: 'required', message: 'is required' }];
  return [{ pointer, code: codeOf(issue), message: issue.message }];
}

function codeOf(issue: z.core.$ZodIssue): IssueCode {
  switch (issue.code) {
    case 'custom':
      return isIssueCode(issue.params?.['code']) ? issue.params['code'] : 'invalid_value';
    case 'invalid_type':
      // A number too exact for a double has the right type where a number is expected.
      return issue.input instanceof ExactNumber && issue.expected === 'number'
        ? 'invalid_value'
        : 'invalid_type';
    case 'too_big':
      return issue.origin === 'array' ? 'too_many' : 'invalid_value';
    default:
      return 'invalid_value';
  }
}

/**
 * In JSON's words. A schema of integers names itself only when it gets a number that is not one.
 */
function kindOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (expected === 'int' || (inst && 'isInt' in inst && inst.isInt === true)) return 'an integer';
  const kind = expected === 'record' ? 'object' : expected;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function sizeRule(origin: string, most: 'at least' | 'at most', size: number): string {
  const plural = size === 1 ? '' : 's';
  if (origin === 'string') return `must be ${most} ${size} character${plural} long`;
  if (origin !== 'array') return `must be ${most} ${size}`;
  return size === 0 ? 'must be empty' : `must have ${most} ${size} item${plural}`;
}

const FORMAT_RULES: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be one email address, such as ada@example.com',
};

/** What a value must be, for schemas without a separate message. */
function ruleOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindOf(issue)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return FORMAT_RULES[issue.format] ?? 'must have the form that the API reference gives';
    case 'too_small':
      return sizeRule(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return sizeRule(issue.origin, 'at most', Number(issue.maximum));
    default:
      return undefined;
  }
}
