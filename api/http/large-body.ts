/** Reads a large body in a thread of the worker pool, and hands back no more of it than its endpoint asks for. */
import { MAX_ISSUES, AppError, type Issue } from '../../src/domain/errors.ts';
import { isExactObject, JsonText, type ExactValue } from '../../src/platform/exact-json.ts';
import { parseBody, type BodyRules } from './json-body.ts';

export interface LargeBody extends Omit<BodyRules, 'bodyLimit'> {
  readonly text: string;
  /** The members the endpoint knows. */
  readonly known: readonly string[];
}

/**
 * A member as it crosses threads: its text where the endpoint keeps it exactly, else only what a
 * schema can tell apart.
 */
type Member = readonly [
  name: string,
  member: { readonly text: string } | { readonly value: unknown },
];

export type LargeBodyAnswer =
  | { readonly issues: readonly Issue[] }
  | { readonly root: unknown }
  | { readonly members: readonly Member[] };

export function readLargeBody({ text, known, ...rules }: LargeBody): LargeBodyAnswer {
  try {
    const body = parseBody(text, rules);
    if (!isExactObject(body)) return { root: outlineOf(body as ExactValue) };
    const names = Object.keys(body);
    const unknown = names.filter((name) => !known.includes(name)).slice(0, MAX_ISSUES);
    const asked = [...names.filter((name) => known.includes(name)), ...unknown];
    return { members: asked.map((name) => [name, memberOf(body[name] as ExactValue | JsonText)]) };
  } catch (error) {
    if (error instanceof AppError) return { issues: (error.details?.['issues'] ?? []) as Issue[] };
    throw error;
  }
}

const memberOf = (value: ExactValue | JsonText): Member[1] =>
  value instanceof JsonText ? { text: value.text } : { value: outlineOf(value) };

/** Containers a large body may have are kept exactly; any other is wrong whatever is in it. */
function outlineOf(value: ExactValue): unknown {
  if (Array.isArray(value)) return [];
  return isExactObject(value) ? {} : typeof value === 'object' && value !== null ? 0 : value;
}

/** The body as its schema takes it. */
export function rebuiltBody(answer: Exclude<LargeBodyAnswer, { issues: unknown }>): unknown {
  if ('root' in answer) return answer.root;
  const body = Object.create(null) as Record<string, unknown>;
  for (const [name, member] of answer.members)
    body[name] = 'text' in member ? new JsonText(member.text) : member.value;
  return body;
}
