/** Turns untrusted JSON into a condition tree, or into the list of what is wrong with it. */
import {
  isNumber,
  stringifyExact,
  type ExactObject,
  type ExactValue,
} from '../../platform/exact-json.ts';
import {
  memberOf,
  newIssueList,
  readAnyObject,
  readItems,
  readObject,
  readText,
  readWord,
  takeId,
} from '../document-reader.ts';
import type { IssueList, Located } from '../document-reader.ts';
import type { Issue } from '../errors.ts';
import { isKnownField, parseField } from './fields.ts';
import { parseInstant } from './instants.ts';
import { compilePattern, LITERAL_KINDS, type LiteralKind } from './operators.ts';
import {
  CONDITION_LIMITS,
  CONDITION_OPERATORS,
  type Condition,
  type ConditionOperator,
  type ItemsCondition,
} from './types.ts';

/** What all conditions of one document share: its ids are unique and its totals limited. */
export interface ConditionDocument {
  /** Ids taken so far, of conditions and of whatever else the document names. */
  readonly ids: Set<string>;
  leaves: number;
  patternInstructions: number;
}

export function newConditionDocument(ids: Set<string> = new Set()): ConditionDocument {
  return { ids, leaves: 0, patternInstructions: 0 };
}

export type ParsedCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Reads one condition standing at `at.pointer`. Ids, leaves and patterns are added to `document`. */
export function parseCondition(at: Located, document: ConditionDocument): ParsedCondition {
  const list = newIssueList();
  const condition = readCondition(at, document, list);
  if (condition && list.issues.length === 0) return { ok: true, condition };
  return { ok: false, issues: list.issues };
}

/** Like `parseCondition`, but adds its issues to a list; the tree is usable only when it added none. */
export function readCondition(
  at: Located,
  document: ConditionDocument,
  list: IssueList,
): Condition | undefined {
  const leavesBefore = document.leaves;
  const condition = readNode(at, { document, list, depth: 1, insideItems: false });
  if (document.leaves - leavesBefore > CONDITION_LIMITS.leavesPerCondition) {
    list.add(
      at.pointer,
      'too_many',
      `must have at most ${CONDITION_LIMITS.leavesPerCondition} leaves`,
    );
  }
  return condition;
}

interface Reading {
  readonly document: ConditionDocument;
  readonly list: IssueList;
  readonly depth: number;
  readonly insideItems: boolean;
}

const KINDS = ['all', 'any', 'some', 'every'] as const;

function readNode(at: Located, reading: Reading): Condition | undefined {
  const { pointer } = at;
  const { list, depth } = reading;
  if (depth > CONDITION_LIMITS.depth) {
    list.add(pointer, 'too_deep', `must not nest over ${CONDITION_LIMITS.depth} levels deep`);
    return undefined;
  }
  const value = readAnyObject(at, list);
  if (!value) return undefined;
  const kinds = KINDS.filter((kind) => value[kind] !== undefined);
  const [kind] = kinds;
  const members =
    kind === undefined
      ? { required: ['id', 'field', 'operator'], optional: ['value'] }
      : { required: ['id', kind] };
  readObject(at, members, list);
  const id = readId(memberOf(value, pointer, 'id'), reading);
  const inner = { ...reading, depth: depth + 1 };
  if (kind === undefined) return readLeaf(at, value, { ...reading, id });
  const child = memberOf(value, pointer, kind);
  if (kind === 'all' || kind === 'any') {
    const parts = readParts(child, inner);
    return kind === 'all' ? { id, all: parts } : { id, any: parts };
  }
  const items = readListTest(child, inner);
  if (!items) return undefined;
  return kind === 'some' ? { id, some: items } : { id, every: items };
}

function readId(at: Located, { document, list }: Reading): string {
  const max = CONDITION_LIMITS.idLength;
  const id = readText(at, { max, rule: `have 1 to ${max} characters` }, list);
  if (id === undefined) return '';
  takeId(id, at.pointer, { ids: document.ids, list });
  return id;
}

function readParts(at: Located, reading: Reading): Condition[] {
  return readItems(at, { min: 1 }, reading.list).flatMap((part) => readNode(part, reading) ?? []);
}

function readListTest(at: Located, reading: Reading): ItemsCondition | undefined {
  const object = readObject(at, { required: ['field', 'condition'] }, reading.list);
  if (!object) return undefined;
  const field = readField(memberOf(object, at.pointer, 'field'), reading);
  if (object['condition'] === undefined) return undefined;
  const condition = readNode(memberOf(object, at.pointer, 'condition'), {
    ...reading,
    insideItems: true,
  });
  return condition && field !== undefined ? { field, condition } : undefined;
}

function readField(at: Located, { list, insideItems }: Reading): string | undefined {
  const max = CONDITION_LIMITS.fieldLength;
  const field = readText(at, { min: 0, max, rule: `have at most ${max} characters` }, list);
  if (field === undefined) return undefined;
  const path = parseField(field);
  if (path && isKnownField(path, insideItems)) return field;
  const roots =
    '/request/tool, /request/server, /request/arguments, /request/agent_reasoning, /request/context, /agent/slug, /agent/name';
  const message = `must be a JSON pointer that begins with one of ${roots}, /previous_metadata/organization, /previous_metadata/agent`;
  list.add(at.pointer, 'invalid_value', insideItems ? `${message}, /item` : message);
  return undefined;
}

function readLeaf(
  { pointer }: Located,
  value: ExactObject,
  reading: Reading & { id: string },
): Condition | undefined {
  const { document, list, id } = reading;
  document.leaves += 1;
  if (document.leaves === CONDITION_LIMITS.leavesPerDocument + 1) {
    list.add(
      pointer,
      'too_many',
      `must not bring the document over ${CONDITION_LIMITS.leavesPerDocument} leaves`,
    );
  }
  const field = readField(memberOf(value, pointer, 'field'), reading);
  const operator = readWord(memberOf(value, pointer, 'operator'), CONDITION_OPERATORS, list);
  if (operator === undefined) return undefined;
  const literal = memberOf(value, pointer, 'value');
  checkLiteral(literal, operator, reading);
  if (field === undefined) return undefined;
  return literal.value === undefined
    ? { id, field, operator }
    : { id, field, operator, value: literal.value };
}

const LITERAL_RULES: Readonly<
  Record<
    Exclude<LiteralKind, 'none' | 'any'>,
    { fits: (value: ExactValue) => boolean; rule: string }
  >
> = {
  ordered: {
    fits: (value) =>
      isNumber(value) || (typeof value === 'string' && parseInstant(value) !== undefined),
    rule: 'must be a number or an RFC 3339 time for this operator',
  },
  list: { fits: Array.isArray, rule: 'must be a list for this operator' },
  text: { fits: (value) => typeof value === 'string', rule: 'must be a string for this operator' },
  pattern: {
    fits: (value) => typeof value === 'string' && value.length <= CONDITION_LIMITS.patternLength,
    rule: `must be a regular expression of at most ${CONDITION_LIMITS.patternLength} characters`,
  },
};

function checkLiteral(
  { value, pointer }: Located,
  operator: ConditionOperator,
  { document, list }: Reading,
): void {
  const kind = LITERAL_KINDS[operator];
  if (kind === 'none') {
    if (value !== undefined) list.add(pointer, 'unknown_field', 'must be absent for this operator');
  } else if (value === undefined) list.add(pointer, 'required', 'is required for this operator');
  else if (Buffer.byteLength(stringifyExact(value)) > CONDITION_LIMITS.literalBytes) {
    list.add(
      pointer,
      'invalid_value',
      `must have at most ${CONDITION_LIMITS.literalBytes} bytes as JSON`,
    );
  } else if (kind !== 'any' && !LITERAL_RULES[kind].fits(value))
    list.add(pointer, 'invalid_value', LITERAL_RULES[kind].rule);
  else if (kind === 'pattern') checkPattern({ value, pointer }, document, list);
}

function checkPattern(
  { value, pointer }: Located,
  document: ConditionDocument,
  list: IssueList,
): void {
  if (document.patternInstructions > CONDITION_LIMITS.patternInstructions) return;
  try {
    document.patternInstructions += compilePattern(value ?? null).programSize();
  } catch {
    list.add(pointer, 'invalid_pattern', 'must be a regular expression in RE2 syntax');
  }
  if (document.patternInstructions > CONDITION_LIMITS.patternInstructions) {
    list.add(
      pointer,
      'too_many',
      'must not make the regular expressions of the document too large; counted repeats multiply their size',
    );
  }
}
