/**
 * Which conditions rows can draw. It reads what someone wrote as it is, and gives up with a reason where it finds what it does
 * not know: that part stays JSON.
 */
import type { Condition } from '../../../../src/domain/conditions/document.ts';
import { CONDITION_OPERATORS } from '../../../../src/domain/conditions/operators.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../../src/platform/json/exact-values.ts';
import { conditions as words } from './text.ts';

export type Drawn<Value> =
  | { readonly value: Value; readonly reason?: never }
  | { readonly reason: string; readonly value?: never };

const text = words.stays;
const MOST_LEVELS = 32;

const isText = (value: ExactValue | undefined): value is string => typeof value === 'string';

/** A member that the rows do not know would be invisible. */
const hasOnly = (value: ExactObject, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

export function drawnCondition(value: ExactValue | undefined, level = 1): Drawn<Condition> {
  if (!isExactObject(value)) return { reason: text.noCondition };
  if (level > MOST_LEVELS) return { reason: text.tooDeep };
  const kinds = Object.keys(CONDITIONS).filter((kind) => Object.hasOwn(value, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1 || !hasOnly(value, ['id', ...(MEMBERS[kind] ?? [])]))
    return { reason: text.condition };
  const reason = CONDITIONS[kind]?.(value, level);
  return reason === undefined ? { value: value as unknown as Condition } : { reason };
}

type Check = (value: ExactObject, level: number) => string | undefined;

const parts =
  (kind: 'all' | 'any'): Check =>
  ({ [kind]: list }, level) => {
    if (!Array.isArray(list) || list.length === 0) return text.parts;
    for (const part of list) {
      const { reason } = drawnCondition(part, level + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };

const items =
  (kind: 'some' | 'every'): Check =>
  ({ [kind]: inner }, level) =>
    isExactObject(inner) && isText(inner['field']) && hasOnly(inner, ['field', 'condition'])
      ? drawnCondition(inner['condition'], level + 1).reason
      : text.items;

const OPERATORS: readonly string[] = CONDITION_OPERATORS;

const CONDITIONS: Readonly<Record<string, Check>> = {
  all: parts('all'),
  any: parts('any'),
  some: items('some'),
  every: items('every'),
  field: ({ field, operator }) =>
    isText(field) && isText(operator) && OPERATORS.includes(operator) ? undefined : text.operator,
};

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  ...{ all: ['all'], any: ['any'], some: ['some'], every: ['every'] },
  field: ['field', 'operator', 'value'],
};
