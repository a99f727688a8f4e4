/** Turns untrusted JSON into a condition tree, or into the list of what is wrong with it. */
import { isNumber, stringifyExact, type ExactObject, type ExactValue } from '../../platform/exact-json.ts';
import { memberOf, newIssueList, readObject, readText, readWord, type IssueList, type Located } from './document-reader.ts';
import { isKnownField, isObject, parseField } from './fields.ts';
import { parseInstant } from './instants.ts';
import { compilePattern, LITERAL_KINDS, type LiteralKind } from './operators.ts';
import { CONDITION_LIMITS, CONDITION_OPERATORS, type Condition, type ConditionOperator, type ItemsCondition } from './types.ts';
import type { Issue } from '../errors.ts';

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
  { readonly ok: true; readonly condition: Condition } | { readonly ok: false; readonly issues: readonly Issue[] };

/** Reads one condition standing at `at.pointer`. Ids, leaves and patterns are added to `document`. */
export function parseCondition(at: Located, document: ConditionDocument): ParsedCondition {
  const list = newIssueList();
  const condition = readCondition(at, document, list);
  if (condition && list.issues.length === 0) return { ok: true, condition };
  return { ok: false, issues: list.issues };
}

/** Like `parseCondition`, but adds its issues to a list; the tree is usable only when it added none. */
export function readCondition(at: Located, document: ConditionDocument, list: IssueList): Condition | undefined {
  const leavesBefore = document.leaves;
  const condition = readNode(at, { document, list, depth: 1, insideItems: false });
  if (document.leaves - leavesBefore > CONDITION_LIMITS.leavesPerCondition) {
    list.add(at.pointer, 'too_many', `A condition has at most ${CONDITION_LIMITS.leavesPerCondition} leaves.`);
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
  const { value, pointer } = at;
  const { list, depth } = reading;
  if (depth > CONDITION_LIMITS.depth) {
    list.add(pointer, 'too_deep', `Conditions nest at most ${CONDITION_LIMITS.depth} levels deep.`);
    return undefined;
  }
  if (!isObject(value)) {
    list.add(pointer, value === undefined ? 'required' : 'invalid_type', 'A condition object is expected here.');
    return undefined;
  }
  const kinds = KINDS.filter((kind) => value[kind] !== undefined);
  const [kind] = kinds;
  const members = kind === undefined ? { required: ['id', 'field', 'operator'], optional: ['value'] } : { required: ['id', kind] };
  readObject(at, members, list);
  const id = readId(memberOf(value, pointer, 'id'), reading);
  const inner = { ...reading, depth: depth + 1 };
  if (kind === undefined) return readLeaf(at, value, { ...reading, id });
  const child = memberOf(value, pointer, kind);
  if (kind === 'all' || kind === 'any') {
    const parts = readParts(child, inner);
    return kind === 'all' ? { id, all: parts } : { id, any: parts };
  }
  const items = readItems(child, inner);
  if (!items) return undefined;
  return kind === 'some' ? { id, some: items } : { id, every: items };
}

function readId(at: Located, { document, list }: Reading): string {
  const max = CONDITION_LIMITS.idLength;
  const id = readText(at, { max, rule: `An id has 1 to ${max} characters.` }, list);
  if (id === undefined) return '';
  takeId(id, at.pointer, { ids: document.ids, list });
  return id;
}

/** Notes an id as taken; an issue when it already was. */
export function takeId(id: string, pointer: string, { ids, list }: { ids: Set<string>; list: IssueList }): void {
  if (ids.has(id)) list.add(pointer, 'duplicate_id', 'Another block or condition of the document has this id.');
  ids.add(id);
}

function readParts({ value, pointer }: Located, reading: Reading): Condition[] {
  if (!Array.isArray(value) || value.length === 0) {
    reading.list.add(
      pointer,
      Array.isArray(value) ? 'invalid_value' : 'invalid_type',
      'A list of at least one condition is expected here.',
    );
    return [];
  }
  return value.flatMap((part, index) => readNode({ value: part, pointer: `${pointer}/${index}` }, reading) ?? []);
}

function readItems(at: Located, reading: Reading): ItemsCondition | undefined {
  const object = readObject(at, { required: ['field', 'condition'] }, reading.list);
  if (!object) return undefined;
  const field = readField(memberOf(object, at.pointer, 'field'), reading);
  if (object['condition'] === undefined) return undefined;
  const condition = readNode(memberOf(object, at.pointer, 'condition'), { ...reading, insideItems: true });
  return condition && field !== undefined ? { field, condition } : undefined;
}

function readField(at: Located, { list, insideItems }: Reading): string | undefined {
  const max = CONDITION_LIMITS.fieldLength;
  const field = readText(at, { min: 0, max, rule: `A field has at most ${max} characters.` }, list);
  if (field === undefined) return undefined;
  const path = parseField(field);
  if (path && isKnownField(path, insideItems)) return field;
  const roots = '/request/tool, /request/server, /request/arguments, /request/agent_reasoning, /request/context, /agent/slug, /agent/name';
  const message = `A field is a JSON pointer that begins with one of ${roots}, /previous_metadata/organization, /previous_metadata/agent`;
  list.add(at.pointer, 'invalid_value', insideItems ? `${message}, or /item.` : `${message}.`);
  return undefined;
}

function readLeaf({ pointer }: Located, value: ExactObject, reading: Reading & { id: string }): Condition | undefined {
  const { document, list, id } = reading;
  document.leaves += 1;
  if (document.leaves === CONDITION_LIMITS.leavesPerDocument + 1) {
    list.add(pointer, 'too_many', `A document has at most ${CONDITION_LIMITS.leavesPerDocument} leaves.`);
  }
  const field = readField(memberOf(value, pointer, 'field'), reading);
  const operator = readWord(memberOf(value, pointer, 'operator'), CONDITION_OPERATORS, list);
  if (operator === undefined) return undefined;
  const literal = memberOf(value, pointer, 'value');
  checkLiteral(literal, operator, reading);
  if (field === undefined) return undefined;
  return literal.value === undefined ? { id, field, operator } : { id, field, operator, value: literal.value };
}

const LITERAL_RULES: Readonly<Record<Exclude<LiteralKind, 'none' | 'any'>, { fits: (value: ExactValue) => boolean; rule: string }>> = {
  ordered: {
    fits: (value) => isNumber(value) || (typeof value === 'string' && parseInstant(value) !== undefined),
    rule: 'This operator compares with a number or an RFC 3339 time.',
  },
  list: { fits: Array.isArray, rule: 'This operator takes a list.' },
  text: { fits: (value) => typeof value === 'string', rule: 'This operator takes a string.' },
  pattern: {
    fits: (value) => typeof value === 'string' && value.length <= CONDITION_LIMITS.patternLength,
    rule: `This operator takes a regular expression of at most ${CONDITION_LIMITS.patternLength} characters.`,
  },
};

function checkLiteral({ value, pointer }: Located, operator: ConditionOperator, { document, list }: Reading): void {
  const kind = LITERAL_KINDS[operator];
  if (kind === 'none') {
    if (value !== undefined) list.add(pointer, 'unknown_field', 'This operator takes no value.');
  } else if (value === undefined) list.add(pointer, 'required', 'This operator takes a value.');
  else if (Buffer.byteLength(stringifyExact(value)) > CONDITION_LIMITS.literalBytes) {
    list.add(pointer, 'invalid_value', `A value has at most ${CONDITION_LIMITS.literalBytes} bytes as JSON.`);
  } else if (kind !== 'any' && !LITERAL_RULES[kind].fits(value)) list.add(pointer, 'invalid_value', LITERAL_RULES[kind].rule);
  else if (kind === 'pattern') checkPattern({ value, pointer }, document, list);
}

function checkPattern({ value, pointer }: Located, document: ConditionDocument, list: IssueList): void {
  if (document.patternInstructions > CONDITION_LIMITS.patternInstructions) return;
  try {
    document.patternInstructions += compilePattern(value ?? null).programSize();
  } catch {
    list.add(pointer, 'invalid_pattern', 'The regular expression is not valid RE2 syntax.');
  }
  if (document.patternInstructions > CONDITION_LIMITS.patternInstructions) {
    list.add(pointer, 'too_many', 'The regular expressions of the document are too large; counted repeats multiply their size.');
  }
}
