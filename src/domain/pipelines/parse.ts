/** Turns the untrusted body of a pipeline revision into a document, or into the list of what is wrong with it. */
import type { ExactObject, ExactValue } from '../../platform/exact-json.ts';
import {
  memberOf,
  newIssueList,
  readDuration,
  readInteger,
  readItems,
  readKey,
  readLabel,
  readObject,
  readText,
  readWord,
  refuseUnstorableText,
  takeId,
  type IssueList,
  type Located,
} from '../document-reader.ts';
import {
  newConditionDocument,
  readCondition,
  type ConditionDocument,
} from '../conditions/validate.ts';
import type { Issue } from '../errors.ts';
import {
  ALWAYS_OUTCOMES,
  BLOCK_OUTCOMES,
  BLOCK_TYPES,
  PIPELINE_LIMITS,
  type AlwaysConfig,
  type Block,
  type CelConfig,
  type PipelineDocument,
} from './types.ts';

export type ParsedPipelineDocument =
  | { readonly ok: true; readonly document: PipelineDocument }
  | { readonly ok: false; readonly issues: Issue[] };

interface Reading {
  readonly list: IssueList;
  readonly conditions: ConditionDocument;
}

/** Reads `{blocks, default_escalation_path?}`. Pointers of issues are relative to that body. */
export function parsePipelineDocument(value: ExactValue): ParsedPipelineDocument {
  const list = newIssueList();
  const reading: Reading = { list, conditions: newConditionDocument() };
  const body = readObject(
    { value, pointer: '' },
    { required: ['blocks'], optional: ['default_escalation_path'] },
    list,
  );
  if (!body) return { ok: false, issues: list.issues };
  const blocks = readItems(
    memberOf(body, '', 'blocks'),
    { max: PIPELINE_LIMITS.blocks },
    list,
  ).flatMap((at) => readBlock(at, reading) ?? []);
  const path = readKey(memberOf(body, '', 'default_escalation_path'), list);
  refuseUnstorableText({ value, pointer: '' }, list);
  if (list.issues.length > 0) return { ok: false, issues: list.issues };
  return {
    ok: true,
    document: path === undefined ? { blocks } : { blocks, default_escalation_path: path },
  };
}

/** Every escalation path a document names, with the pointer to where it does. */
export function namedEscalationPaths(
  document: PipelineDocument,
): { readonly pathKey: string; readonly pointer: string }[] {
  const named = document.blocks.map(({ config }, index) => ({
    pathKey: config.escalation_path,
    pointer: `/blocks/${index}/config/escalation_path`,
  }));
  named.push({ pathKey: document.default_escalation_path, pointer: '/default_escalation_path' });
  return named.flatMap(({ pathKey, pointer }) =>
    pathKey === undefined ? [] : [{ pathKey, pointer }],
  );
}

function readBlock(at: Located, reading: Reading): Block | undefined {
  const { list, conditions } = reading;
  const members = {
    required: ['id', 'name', 'type', 'config'],
    optional: ['enabled', 'timeout', 'max_attempts'],
  };
  const object = readObject(at, members, list);
  if (!object) return undefined;
  const member = (key: string): Located => memberOf(object, at.pointer, key);
  const id = readKey(member('id'), list);
  if (id !== undefined) takeId(id, `${at.pointer}/id`, { ids: conditions.ids, list });
  const name = readLabel(member('name'), PIPELINE_LIMITS.nameLength, list);
  const type = BLOCK_TYPES.find((one) => one === object['type']);
  if (type === undefined && object['type'] !== undefined) {
    list.add(
      `${at.pointer}/type`,
      'unknown_block_type',
      `must be one of ${BLOCK_TYPES.join(', ')}`,
    );
  }
  const envelope = {
    enabled: readBoolean(member('enabled'), list),
    timeout: readDuration(member('timeout'), PIPELINE_LIMITS.timeout, list) ?? '5s',
    max_attempts:
      readInteger(member('max_attempts'), { min: 1, max: PIPELINE_LIMITS.maxAttempts }, list) ?? 1,
  };
  const configAt = member('config');
  if (type === undefined || configAt.value === undefined) return undefined;
  if (type === 'always') {
    const config = readAlways(configAt, reading);
    return config && id !== undefined && name !== undefined
      ? { id, name, type, ...envelope, config }
      : undefined;
  }
  const config = readCel(configAt, reading);
  return config && id !== undefined && name !== undefined
    ? { id, name, type, ...envelope, config }
    : undefined;
}

function readAlways(at: Located, { list }: Reading): AlwaysConfig | undefined {
  const object = readObject(
    at,
    { required: ['outcome', 'reason'], optional: ['escalation_path'] },
    list,
  );
  if (!object) return undefined;
  const outcome = readWord(memberOf(object, at.pointer, 'outcome'), ALWAYS_OUTCOMES, list);
  const reason = readReason(memberOf(object, at.pointer, 'reason'), list);
  const path = readPath(object, at.pointer, { outcome, list });
  return outcome !== undefined && reason !== undefined ? { outcome, reason, ...path } : undefined;
}

function readCel(at: Located, { list, conditions }: Reading): CelConfig | undefined {
  const object = readObject(
    at,
    { required: ['when', 'on_match', 'reason'], optional: ['escalation_path'] },
    list,
  );
  if (!object) return undefined;
  const whenAt = memberOf(object, at.pointer, 'when');
  const when = whenAt.value === undefined ? undefined : readCondition(whenAt, conditions, list);
  const outcome = readWord(memberOf(object, at.pointer, 'on_match'), BLOCK_OUTCOMES, list);
  const reason = readReason(memberOf(object, at.pointer, 'reason'), list);
  const path = readPath(object, at.pointer, { outcome, list });
  return when && outcome !== undefined && reason !== undefined
    ? { when, on_match: outcome, reason, ...path }
    : undefined;
}

function readPath(
  object: ExactObject,
  pointer: string,
  { outcome, list }: { outcome: string | undefined; list: IssueList },
): { escalation_path?: string } {
  const at = memberOf(object, pointer, 'escalation_path');
  const path = readKey(at, list);
  if (at.value !== undefined && outcome !== undefined && outcome !== 'human') {
    list.add(at.pointer, 'invalid_value', 'must be absent unless the outcome is human');
  }
  return path === undefined ? {} : { escalation_path: path };
}

function readReason(at: Located, list: IssueList): string | undefined {
  const { reasonLength } = PIPELINE_LIMITS;
  return readText(at, { max: reasonLength, rule: `have 1 to ${reasonLength} characters` }, list);
}

function readBoolean({ value, pointer }: Located, list: IssueList): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'boolean') list.add(pointer, 'invalid_type', 'must be true or false');
  return value === true;
}
