/** Fields of a condition: RFC 6901 pointers into the facts, or into the item of a list. */
import { JsonText } from '../../platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import type { ConditionFacts } from './types.ts';

/** The unescaped reference tokens of a pointer. */
export type FieldPath = readonly string[];

/** With what a field begins. Below an `open` root it may continue, at another it must end. */
const ROOTS: readonly { readonly path: FieldPath; readonly open: boolean }[] = [
  { path: ['request', 'tool'], open: false },
  { path: ['request', 'server'], open: false },
  { path: ['request', 'arguments'], open: true },
  { path: ['request', 'agent_reasoning'], open: false },
  { path: ['request', 'context'], open: true },
  { path: ['agent', 'slug'], open: false },
  { path: ['agent', 'name'], open: false },
  { path: ['previous_metadata', 'organization'], open: true },
  { path: ['previous_metadata', 'agent'], open: true },
];

/** The roots as JSON pointers. */
export const ROOT_POINTERS = ROOTS.map(({ path }) => `/${path.join('/')}`);

const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** The tokens of a non-empty RFC 6901 pointer; undefined for other text. */
export function parseField(pointer: string): FieldPath | undefined {
  if (!POINTER.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** True when a condition may read the field. `/item` exists only inside `some` and `every`. */
export function isKnownField(path: FieldPath, insideItems: boolean): boolean {
  if (path[0] === 'item') return insideItems;
  return ROOTS.some(
    (root) =>
      (root.open || root.path.length === path.length) &&
      root.path.every((token, index) => path[index] === token),
  );
}

/**
 * The value of a field, or undefined when there is none. Only own members count, never those of a
 * prototype.
 */
export function resolveField(
  path: FieldPath,
  facts: ConditionFacts,
  item: ExactValue | undefined,
): ExactValue | undefined {
  const [root = '', ...rest] = path;
  const tokens = root === 'item' ? rest : path;
  let value: unknown = root === 'item' ? item : facts;
  for (const token of tokens) {
    value = memberOf(value instanceof JsonText ? value.value : value, token);
    if (value === undefined) return undefined;
  }
  return (value instanceof JsonText ? value.value : value) as ExactValue | undefined;
}

function memberOf(container: unknown, token: string): unknown {
  if (Array.isArray(container))
    return /^(?:0|[1-9][0-9]*)$/.test(token) ? (container as unknown[])[Number(token)] : undefined;
  return isExactObject(container) && Object.hasOwn(container, token) ? container[token] : undefined;
}
