/** Turns the untrusted body of a pipeline revision into a document, or into the list of what is wrong with it. */
import { isNumber, type ExactObject, type ExactValue } from '../../platform/exact-json.ts';
import {
  memberOf,
  newIssueList,
  readObject,
  readText,
  readWord,
  refuseUnstorableText,
  type IssueList,
  type Located,
} from '../conditions/document-reader.ts';
import { newConditionDocument, readCondition, takeId, type ConditionDocument } from '../conditions/validate.ts';
import { parseDuration } from '../durations.ts';
import type { Issue } from '../errors.ts';
import {
  ALWAYS_OUTCOMES,
  BLOCK_OUTCOMES,
  BLOCK_TYPES,
  KEY_PATTERN,
  PIPELINE_LIMITS,
  type AlwaysConfig,
  type Block,
  type CelConfig,
  type PipelineDocument,
} from './types.ts';

export type ParsedPipelineDocument =
  { readonly ok: true; readonly document: PipelineDocument } | { readonly ok: false; readonly issues: Issue[] };

interface Reading {
  readonly list: IssueList;
  readonly conditions: ConditionDocument;
}

/** Reads `{blocks, default_escalation_path?}`. Pointers of issues are relative to that body. */
export function parsePipelineDocument(value: ExactValue): ParsedPipelineDocument {
  const list = newIssueList();
  const reading: Reading = { list, conditions: newConditionDocument() };
  const body = readObject({ value, pointer: '' }, { required: ['blocks'], optional: ['default_escalation_path'] }, list);
  if (!body) return { ok: false, issues: list.issues };
  const blocks = readBlocks(memberOf(body, '', 'blocks'), reading);
  const path = readKey(memberOf(body, '', 'default_escalation_path'), list);
  refuseUnstorableText({ value, pointer: '' }, list);
  if (list.issues.length > 0) return { ok: false, issues: list.issues };
  return { ok: true, document: path === undefined ? { blocks } : { blocks, default_escalation_path: path } };
}

/** Every escalation path a document names, with the pointer to where it does. */
export function namedEscalationPaths(document: PipelineDocument): { readonly pathKey: string; readonly pointer: string }[] {
  const named = document.blocks.map(({ config }, index) => ({
    pathKey: config.escalation_path,
    pointer: `/blocks/${index}/config/escalation_path`,
  }));
  named.push({ pathKey: document.default_escalation_path, pointer: '/default_escalation_path' });
  return named.flatMap(({ pathKey, pointer }) => (pathKey === undefined ? [] : [{ pathKey, pointer }]));
}

function readBlocks({ value, pointer }: Located, reading: Reading): Block[] {
  if (!Array.isArray(value)) {
    if (value !== undefined) reading.list.add(pointer, 'invalid_type', 'A list of blocks is expected here.');
    return [];
  }
  if (value.length > PIPELINE_LIMITS.blocks) {
    reading.list.add(pointer, 'too_many', `A revision has at most ${PIPELINE_LIMITS.blocks} blocks.`);
    return [];
  }
  return value.flatMap((block, index) => readBlock({ value: block, pointer: `${pointer}/${index}` }, reading) ?? []);
}

function readBlock(at: Located, reading: Reading): Block | undefined {
  const { list, conditions } = reading;
  const members = { required: ['id', 'name', 'type', 'config'], optional: ['enabled', 'timeout', 'max_attempts'] };
  const object = readObject(at, members, list);
  if (!object) return undefined;
  const member = (key: string): Located => memberOf(object, at.pointer, key);
  const id = readKey(member('id'), list);
  if (id !== undefined) takeId(id, `${at.pointer}/id`, { ids: conditions.ids, list });
  const { nameLength } = PIPELINE_LIMITS;
  const name = readText(member('name'), { max: nameLength, rule: `A name has 1 to ${nameLength} characters.` }, list);
  const type = BLOCK_TYPES.find((one) => one === object['type']);
  if (type === undefined && object['type'] !== undefined) {
    list.add(`${at.pointer}/type`, 'unknown_block_type', `A block's type is one of ${BLOCK_TYPES.join(', ')}.`);
  }
  const envelope = {
    enabled: readBoolean(member('enabled'), list),
    timeout: readTimeout(member('timeout'), list),
    max_attempts: readAttempts(member('max_attempts'), list),
  };
  const configAt = member('config');
  if (type === undefined || configAt.value === undefined) return undefined;
  if (type === 'always') {
    const config = readAlways(configAt, reading);
    return config && id !== undefined && name !== undefined ? { id, name, type, ...envelope, config } : undefined;
  }
  const config = readCel(configAt, reading);
  return config && id !== undefined && name !== undefined ? { id, name, type, ...envelope, config } : undefined;
}

function readAlways(at: Located, { list }: Reading): AlwaysConfig | undefined {
  const object = readObject(at, { required: ['outcome', 'reason'], optional: ['escalation_path'] }, list);
  if (!object) return undefined;
  const outcome = readWord(memberOf(object, at.pointer, 'outcome'), ALWAYS_OUTCOMES, list);
  const reason = readReason(memberOf(object, at.pointer, 'reason'), list);
  const path = readPath(object, at.pointer, { outcome, list });
  return outcome !== undefined && reason !== undefined ? { outcome, reason, ...path } : undefined;
}

function readCel(at: Located, { list, conditions }: Reading): CelConfig | undefined {
  const object = readObject(at, { required: ['when', 'on_match', 'reason'], optional: ['escalation_path'] }, list);
  if (!object) return undefined;
  const whenAt = memberOf(object, at.pointer, 'when');
  const when = whenAt.value === undefined ? undefined : readCondition(whenAt, conditions, list);
  const outcome = readWord(memberOf(object, at.pointer, 'on_match'), BLOCK_OUTCOMES, list);
  const reason = readReason(memberOf(object, at.pointer, 'reason'), list);
  const path = readPath(object, at.pointer, { outcome, list });
  return when && outcome !== undefined && reason !== undefined ? { when, on_match: outcome, reason, ...path } : undefined;
}

function readPath(
  object: ExactObject,
  pointer: string,
  { outcome, list }: { outcome: string | undefined; list: IssueList },
): { escalation_path?: string } {
  const at = memberOf(object, pointer, 'escalation_path');
  const path = readKey(at, list);
  if (at.value !== undefined && outcome !== undefined && outcome !== 'human') {
    list.add(at.pointer, 'invalid_value', 'An escalation path goes only with the outcome `human`.');
  }
  return path === undefined ? {} : { escalation_path: path };
}

function readKey(at: Located, list: IssueList): string | undefined {
  const rule = 'Up to 63 lowercase letters, digits, dots, underscores and hyphens, the first a letter or digit.';
  return readText(at, { max: 63, pattern: KEY_PATTERN, rule }, list);
}

function readReason(at: Located, list: IssueList): string | undefined {
  const { reasonLength } = PIPELINE_LIMITS;
  return readText(at, { max: reasonLength, rule: `A reason has 1 to ${reasonLength} characters.` }, list);
}

function readBoolean({ value, pointer }: Located, list: IssueList): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'boolean') list.add(pointer, 'invalid_type', 'A boolean is expected here.');
  return value === true;
}

function readTimeout({ value, pointer }: Located, list: IssueList): string {
  if (value === undefined) return '5s';
  if (typeof value === 'string') {
    const ms = parseDuration(value);
    if (ms !== undefined && ms >= PIPELINE_LIMITS.timeoutMs.min && ms <= PIPELINE_LIMITS.timeoutMs.max) return value;
    list.add(pointer, 'invalid_value', 'A timeout is a duration from 1s to 30s.');
  } else list.add(pointer, 'invalid_type', 'A duration such as `5s` is expected here.');
  return '5s';
}

function readAttempts({ value, pointer }: Located, list: IssueList): number {
  if (value === undefined) return 1;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= PIPELINE_LIMITS.maxAttempts) return value;
  const message = `The number of attempts is an integer from 1 to ${PIPELINE_LIMITS.maxAttempts}.`;
  list.add(pointer, isNumber(value) ? 'invalid_value' : 'invalid_type', message);
  return 1;
}
