/** The document of an escalation path: who is asked in which order, how long each level waits, how often it starts over. */
import type { ExactObject, ExactValue } from '../platform/exact-json.ts';
import {
  memberOf,
  newIssueList,
  readAnyObject,
  readDuration,
  readInteger,
  readItems,
  readKey,
  readObject,
  readText,
  refuseUnstorableText,
  takeId,
  type IssueList,
  type Located,
} from './document-reader.ts';
import type { Issue } from './errors.ts';

export const MAX_NODES = 500;
export const MAX_TARGETS = 100;
export const MAX_NAME_LENGTH = 200;
export const MAX_REPEATS = 9;

/** One member, by membership id. */
export interface UserTarget {
  readonly type: 'user';
  readonly id: string;
}

/** Every active member who may decide for the agent when the level fires. */
export interface BroadcastTarget {
  readonly type: 'broadcast';
}

export type Target = UserTarget | BroadcastTarget;

/** Notifies its targets, then waits `escalate_after` (a duration, 1m to 168h) before the walk goes on. */
export interface LevelNode {
  readonly id: string;
  readonly type: 'level';
  readonly targets: readonly Target[];
  readonly escalate_after: string;
}

export type EscalationNode = LevelNode;

/** `times` further runs from the top, each `after` (a duration, 1m to 168h) behind the end of the run before. */
export interface Repeat {
  readonly times: number;
  readonly after: string;
}

export interface EscalationPathDocument {
  readonly name: string;
  readonly working_hours: readonly [];
  readonly nodes: readonly EscalationNode[];
  readonly repeat?: Repeat;
}

/** What was read, or everything that is wrong with it. */
export type Parsed<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly issues: readonly Issue[] };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WAIT = { min: '1m', max: '168h' };
const MEMBERS = { required: ['name', 'nodes'], optional: ['working_hours', 'repeat'] };
const NEW_PATH_MEMBERS = { ...MEMBERS, required: ['path_key', ...MEMBERS.required] };

/** Reads a document strictly. UUIDs come back in lower case, `working_hours` as an empty list when absent. */
export function parseEscalationPathDocument(value: ExactValue): Parsed<{ readonly document: EscalationPathDocument }> {
  const list = newIssueList();
  const body = readObject({ value, pointer: '' }, MEMBERS, list);
  const document = body && readDocument(body, list);
  return document && list.issues.length === 0 ? { ok: true, document } : { ok: false, issues: list.issues };
}

/** Reads a document that also names the key of its path. */
export function parseNewEscalationPath(value: ExactValue): Parsed<{ readonly pathKey: string; readonly document: EscalationPathDocument }> {
  const list = newIssueList();
  const body = readObject({ value, pointer: '' }, NEW_PATH_MEMBERS, list);
  const pathKey = body && readKey(memberOf(body, '', 'path_key'), list);
  const document = body && readDocument(body, list);
  const whole = document && pathKey !== undefined && list.issues.length === 0;
  return whole ? { ok: true, pathKey, document } : { ok: false, issues: list.issues };
}

/** The distinct targets of a document, in the order in which the walk first meets them. */
export function pathTargets(document: EscalationPathDocument): readonly Target[] {
  const targets = document.nodes.flatMap((node) => node.targets);
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

function targetKey(target: Target): string {
  return target.type === 'user' ? target.id : target.type;
}

function readDocument(body: ExactObject, list: IssueList): EscalationPathDocument | undefined {
  const nameRules = { max: MAX_NAME_LENGTH, pattern: /\S/, rule: `have 1 to ${MAX_NAME_LENGTH} characters, not all of them blank` };
  const name = readText(memberOf(body, '', 'name'), nameRules, list);
  readItems(memberOf(body, '', 'working_hours'), { max: 0 }, list);
  const ids = new Set<string>();
  const nodes = readItems(memberOf(body, '', 'nodes'), { min: 1, max: MAX_NODES }, list).flatMap((at) => readNode(at, ids, list) ?? []);
  const repeatAt = memberOf(body, '', 'repeat');
  const repeat = repeatAt.value === undefined ? undefined : readRepeat(repeatAt, list);
  refuseUnstorableText({ value: body, pointer: '' }, list);
  return name === undefined ? undefined : { name, working_hours: [], nodes, ...(repeat && { repeat }) };
}

function readNode(at: Located, ids: Set<string>, list: IssueList): EscalationNode | undefined {
  if (!readType(at, { types: ['level'], unknown: 'unknown_node_type', list })) return undefined;
  const object = readObject(at, { required: ['id', 'type', 'targets', 'escalate_after'] }, list);
  if (!object) return undefined;
  const id = readUuid(memberOf(object, at.pointer, 'id'), list);
  if (id !== undefined) takeId(id, `${at.pointer}/id`, { ids, list });
  const targets = readTargets(memberOf(object, at.pointer, 'targets'), list);
  const escalateAfter = readDuration(memberOf(object, at.pointer, 'escalate_after'), WAIT, list);
  return id === undefined || escalateAfter === undefined ? undefined : { id, type: 'level', targets, escalate_after: escalateAfter };
}

function readTargets(at: Located, list: IssueList): readonly Target[] {
  const seen = new Set<string>();
  return readItems(at, { min: 1, max: MAX_TARGETS }, list).flatMap((item) => {
    const target = readTarget(item, list);
    if (!target) return [];
    if (seen.has(targetKey(target))) list.add(item.pointer, 'duplicate_target', 'must not occur earlier in the list');
    seen.add(targetKey(target));
    return [target];
  });
}

function readTarget(at: Located, list: IssueList): Target | undefined {
  const type = readType(at, { types: ['user', 'broadcast'], unknown: 'unknown_target_type', list });
  if (type === undefined) return undefined;
  const object = readObject(at, { required: type === 'user' ? ['type', 'id'] : ['type'] }, list);
  if (!object) return undefined;
  if (type === 'broadcast') return { type };
  const id = readUuid(memberOf(object, at.pointer, 'id'), list);
  return id === undefined ? undefined : { type, id };
}

/** The object's type, on which its other members depend. */
function readType<Type extends string>(
  at: Located,
  { types, unknown, list }: { readonly types: readonly Type[]; readonly unknown: string; readonly list: IssueList },
): Type | undefined {
  const object = readAnyObject(at, list);
  if (!object) return undefined;
  const { value, pointer } = memberOf(object, at.pointer, 'type');
  const type = types.find((one) => one === value);
  if (value === undefined) list.add(pointer, 'required', 'is required');
  else if (type === undefined)
    list.add(pointer, typeof value === 'string' ? unknown : 'invalid_type', `must be one of ${types.join(', ')}`);
  return type;
}

function readRepeat(at: Located, list: IssueList): Repeat | undefined {
  const object = readObject(at, { required: ['times', 'after'] }, list);
  if (!object) return undefined;
  const times = readInteger(memberOf(object, at.pointer, 'times'), { min: 1, max: MAX_REPEATS }, list);
  const after = readDuration(memberOf(object, at.pointer, 'after'), WAIT, list);
  return times === undefined || after === undefined ? undefined : { times, after };
}

function readUuid(at: Located, list: IssueList): string | undefined {
  return readText(at, { max: 36, pattern: UUID, rule: 'be a UUID' }, list)?.toLowerCase();
}
