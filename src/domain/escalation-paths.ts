/** The document of an escalation path: who is asked in which order, how long each level waits, how often it starts over. */
import { ExactNumber } from '../platform/exact-json.ts';
import type { ExactObject, ExactValue } from '../platform/exact-json.ts';
import { parseDuration } from './durations.ts';
import type { Issue } from './errors.ts';

/** JSON-Schema pattern of a path key. It starts with a letter or digit, so that no key reads as a relative URL segment. */
export const PATH_KEY_PATTERN = '^[a-z0-9][a-z0-9._-]{0,62}$';

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

export type ParsedEscalationPath =
  { readonly ok: true; readonly document: EscalationPathDocument } | { readonly ok: false; readonly issues: readonly Issue[] };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UNSTORABLE = /\0|\p{Surrogate}/u;
const SHORTEST_WAIT = 60_000;
const LONGEST_WAIT = 168 * 3_600_000;
/** Enough to repair a document by; keeps the answer to a hostile body small. */
const MAX_ISSUES = 100;

/**
 * Reads a document strictly. UUIDs come back in lower case, `working_hours` as an empty list when absent. On failure every
 * problem is named by a JSON pointer into the document, at most 100 of them.
 */
export function parseEscalationPathDocument(value: ExactValue): ParsedEscalationPath {
  const issues: Issue[] = [];
  const document = readDocument(value, issues);
  if (document && issues.length === 0) return { ok: true, document };
  return { ok: false, issues: issues.slice(0, MAX_ISSUES) };
}

/** The distinct targets of a document, in the order in which the walk first meets them. */
export function pathTargets(document: EscalationPathDocument): readonly Target[] {
  const targets = document.nodes.flatMap((node) => node.targets);
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

function targetKey(target: Target): string {
  return target.type === 'user' ? target.id : target.type;
}

/** A value and where it stands; `issues` collects what is wrong with it. A reader returns undefined once it reported one. */
interface Place {
  readonly value: ExactValue | undefined;
  readonly pointer: string;
  readonly issues: Issue[];
}

function report(place: Place, code: string, message: string): undefined {
  place.issues.push({ pointer: place.pointer, code, message });
  return undefined;
}

function wrongType(place: Place, expected: string): undefined {
  if (place.value === undefined) return report(place, 'required', `This member is required: ${expected}.`);
  return report(place, 'invalid_type', `Must be ${expected}.`);
}

function isObject(value: ExactValue | undefined): value is ExactObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function member(place: Place, object: ExactObject, name: string): Place {
  const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return { value: Object.hasOwn(object, name) ? object[name] : undefined, pointer: `${place.pointer}/${escaped}`, issues: place.issues };
}

function readObject(place: Place, members: readonly string[]): ExactObject | undefined {
  if (!isObject(place.value)) return wrongType(place, 'an object');
  for (const name of Object.keys(place.value)) {
    if (!members.includes(name)) {
      report(member(place, place.value, name), 'unknown_field', 'This member is not part of the object in this version.');
    }
  }
  return place.value;
}

/** The items of an array of at most `max`; a longer one is reported as a whole, so that work stays bounded. */
function readItems(place: Place, max: number): readonly Place[] | undefined {
  if (!Array.isArray(place.value)) return wrongType(place, 'an array');
  if (place.value.length === 0) return report(place, 'too_small', 'Must have at least one item.');
  if (place.value.length > max) return report(place, 'too_big', `Must have at most ${max} items.`);
  return place.value.map((value, index) => ({ value, pointer: `${place.pointer}/${index}`, issues: place.issues }));
}

function readDocument(value: ExactValue, issues: Issue[]): EscalationPathDocument | undefined {
  const place: Place = { value, pointer: '', issues };
  const object = readObject(place, ['name', 'working_hours', 'nodes', 'repeat']);
  if (!object) return undefined;
  const name = readName(member(place, object, 'name'));
  refuseWorkingHours(member(place, object, 'working_hours'));
  const nodes = readNodes(member(place, object, 'nodes'));
  const repeatPlace = member(place, object, 'repeat');
  const repeat = repeatPlace.value === undefined ? undefined : readRepeat(repeatPlace);
  if (name === undefined || !nodes) return undefined;
  return { name, working_hours: [], nodes, ...(repeat && { repeat }) };
}

function readName(place: Place): string | undefined {
  const { value } = place;
  if (typeof value !== 'string') return wrongType(place, 'a string');
  if (UNSTORABLE.test(value)) return report(place, 'invalid_format', 'Must be text without NUL or lone surrogates.');
  if (value.trim() === '') return report(place, 'too_small', 'Must not be empty.');
  if ([...value].length > MAX_NAME_LENGTH) return report(place, 'too_big', `Must have at most ${MAX_NAME_LENGTH} characters.`);
  return value;
}

function refuseWorkingHours(place: Place): void {
  if (place.value === undefined) return;
  if (!Array.isArray(place.value)) wrongType(place, 'an array');
  else if (place.value.length > 0) report(place, 'too_big', 'Working hours are not part of this version: must be empty or absent.');
}

function readNodes(place: Place): readonly EscalationNode[] | undefined {
  const nodes = readItems(place, MAX_NODES)?.map((item) => readNode(item));
  if (!nodes) return undefined;
  reportRepeated(place, nodes, (node) => ({ key: node.id, member: '/id' }));
  return nodes.filter((node) => node !== undefined);
}

function readNode(place: Place): EscalationNode | undefined {
  if (!isObject(place.value)) return wrongType(place, 'an object');
  const type = member(place, place.value, 'type');
  if (typeof type.value !== 'string') return wrongType(type, 'a string');
  if (type.value !== 'level') return report(type, 'unknown_node_type', 'The only node type of this version is level.');
  const object = readObject(place, ['id', 'type', 'targets', 'escalate_after']);
  if (!object) return undefined;
  const id = readUuid(member(place, object, 'id'));
  const targets = readTargets(member(place, object, 'targets'));
  const escalateAfter = readWait(member(place, object, 'escalate_after'));
  if (id === undefined || !targets || escalateAfter === undefined) return undefined;
  return { id, type: 'level', targets, escalate_after: escalateAfter };
}

function readTargets(place: Place): readonly Target[] | undefined {
  const targets = readItems(place, MAX_TARGETS)?.map((item) => readTarget(item));
  if (!targets) return undefined;
  reportRepeated(place, targets, (target) => ({ key: targetKey(target), member: '' }));
  return targets.filter((target) => target !== undefined);
}

function readTarget(place: Place): Target | undefined {
  if (!isObject(place.value)) return wrongType(place, 'an object');
  const type = member(place, place.value, 'type');
  if (typeof type.value !== 'string') return wrongType(type, 'a string');
  if (type.value === 'broadcast') return readObject(place, ['type']) && { type: 'broadcast' };
  if (type.value !== 'user') return report(type, 'unknown_target_type', 'The target types of this version are user and broadcast.');
  const object = readObject(place, ['type', 'id']);
  const id = object && readUuid(member(place, object, 'id'));
  return id === undefined ? undefined : { type: 'user', id };
}

function readRepeat(place: Place): Repeat | undefined {
  const object = readObject(place, ['times', 'after']);
  if (!object) return undefined;
  const times = readTimes(member(place, object, 'times'));
  const after = readWait(member(place, object, 'after'));
  return times === undefined || after === undefined ? undefined : { times, after };
}

function readTimes(place: Place): number | undefined {
  const { value } = place;
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) return wrongType(place, 'an integer');
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_REPEATS) return value;
  return report(place, 'out_of_range', `Must be an integer from 1 to ${MAX_REPEATS}.`);
}

function readUuid(place: Place): string | undefined {
  if (typeof place.value !== 'string') return wrongType(place, 'a UUID');
  if (!UUID.test(place.value)) return report(place, 'invalid_format', 'Must be a UUID.');
  return place.value.toLowerCase();
}

function readWait(place: Place): string | undefined {
  if (typeof place.value !== 'string') return wrongType(place, 'a duration such as 15m');
  const ms = parseDuration(place.value);
  if (ms === undefined) return report(place, 'invalid_format', 'Must be a duration in whole s, m or h, such as 15m.');
  if (ms < SHORTEST_WAIT || ms > LONGEST_WAIT) return report(place, 'out_of_range', 'Must be from 1m to 168h.');
  return place.value;
}

/** Reports each item whose key an earlier one has; items that could not be read keep their place in the count. */
function reportRepeated<T>(place: Place, items: readonly (T | undefined)[], keyOf: (item: T) => { key: string; member: string }): void {
  const seen = new Set<string>();
  items.forEach((item, index) => {
    if (item === undefined) return;
    const { key, member: suffix } = keyOf(item);
    if (seen.has(key)) report({ ...place, pointer: `${place.pointer}/${index}${suffix}` }, 'duplicate', 'Occurs earlier in the list.');
    seen.add(key);
  });
}
