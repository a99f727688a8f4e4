/** Reads documents of escalation paths and team policies strictly, naming everything that is wrong with them. */
import type { ExactObject, ExactValue } from '../../platform/exact-json.ts';
import {
  newConditionDocument,
  readCondition,
  type ConditionDocument,
} from '../conditions/validate.ts';
import {
  memberOf,
  newIssueList,
  readAnyObject,
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
import type { Issue } from '../errors.ts';
import { LIMITS, targetKey, WEEKDAYS } from './types.ts';
import type {
  EscalationDocument,
  EscalationNode,
  EscalationPathDocument,
  PathCondition,
  Repeat,
  Target,
  TeamPolicyDocument,
  WorkingHoursSet,
  WorkingInterval,
} from './types.ts';
import { canonicalTimeZone } from './time-zones.ts';

/** What was read, or everything that is wrong with it. */
export type Parsed<T> =
  ({ readonly ok: true } & T) | { readonly ok: false; readonly issues: readonly Issue[] };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const START = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;
const END = /^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/;
const WAIT = { min: '1m', max: '168h' };
const POLICY_MEMBERS = { required: ['nodes'], optional: ['working_hours', 'repeat'] };
const PATH_MEMBERS = { ...POLICY_MEMBERS, required: ['name', 'nodes'] };
const NEW_PATH_MEMBERS = { ...PATH_MEMBERS, required: ['path_key', 'name', 'nodes'] };

/** UUIDs come back in lower case; what may be left out comes back with its default. */
export function parseEscalationPathDocument(
  value: ExactValue,
): Parsed<{ readonly document: EscalationPathDocument }> {
  const list = newIssueList();
  const body = readObject({ value, pointer: '' }, PATH_MEMBERS, list);
  const document = body && readPath(body, list);
  return document && list.issues.length === 0
    ? { ok: true, document }
    : { ok: false, issues: list.issues };
}

/** A document that also names the key of its path. */
export function parseNewEscalationPath(
  value: ExactValue,
): Parsed<{ readonly pathKey: string; readonly document: EscalationPathDocument }> {
  const list = newIssueList();
  const body = readObject({ value, pointer: '' }, NEW_PATH_MEMBERS, list);
  const pathKey = body && readKey(memberOf(body, '', 'path_key'), list);
  const document = body && readPath(body, list);
  const whole = document && pathKey !== undefined && list.issues.length === 0;
  return whole ? { ok: true, pathKey, document } : { ok: false, issues: list.issues };
}

/** A team's policy: the targets of a level are members, or one broadcast. Whether they are in the team is not asked. */
export function parseTeamPolicyDocument(
  value: ExactValue,
): Parsed<{ readonly document: TeamPolicyDocument }> {
  const list = newIssueList();
  const body = readObject({ value, pointer: '' }, POLICY_MEMBERS, list);
  const document = body && readDocument(body, { targetTypes: ['user', 'broadcast'], list });
  return document && list.issues.length === 0
    ? { ok: true, document }
    : { ok: false, issues: list.issues };
}

type TargetType = Target['type'];

/** What reading the nodes of one document shares. */
interface Reading {
  readonly list: IssueList;
  readonly targetTypes: readonly TargetType[];
  readonly nodeIds: Set<string>;
  readonly workingHours: ReadonlySet<string>;
  readonly conditions: ConditionDocument;
  readonly nodes: { count: number };
}

function readPath(body: ExactObject, list: IssueList): EscalationPathDocument | undefined {
  const name = readLabel(memberOf(body, '', 'name'), LIMITS.nameLength, list);
  const document = readDocument(body, { targetTypes: ['user', 'team', 'broadcast'], list });
  return name === undefined ? undefined : { name, ...document };
}

function readDocument(
  body: ExactObject,
  { targetTypes, list }: Pick<Reading, 'targetTypes' | 'list'>,
): EscalationDocument {
  const sets = readItems(memberOf(body, '', 'working_hours'), { max: LIMITS.workingHours }, list);
  const setIds = new Set<string>();
  const workingHours = sets.flatMap((at) => readWorkingHours(at, setIds, list) ?? []);
  const reading: Reading = {
    list,
    targetTypes,
    nodeIds: new Set(),
    workingHours: setIds,
    conditions: newConditionDocument(),
    nodes: { count: 0 },
  };
  const nodes = readNodes(memberOf(body, '', 'nodes'), reading, { depth: 1, min: 1 });
  const repeatAt = memberOf(body, '', 'repeat');
  const repeat = repeatAt.value === undefined ? undefined : readRepeat(repeatAt, list);
  refuseUnstorableText({ value: body, pointer: '' }, list);
  return { working_hours: workingHours, nodes, ...(repeat && { repeat }) };
}

function readWorkingHours(
  at: Located,
  ids: Set<string>,
  list: IssueList,
): WorkingHoursSet | undefined {
  const object = readObject(at, { required: ['id', 'name', 'timezone', 'intervals'] }, list);
  if (!object) return undefined;
  const id = readText(
    memberOf(object, at.pointer, 'id'),
    { max: 64, rule: 'have 1 to 64 characters' },
    list,
  );
  if (id !== undefined) takeId(id, `${at.pointer}/id`, { ids, list });
  const name = readLabel(memberOf(object, at.pointer, 'name'), LIMITS.nameLength, list);
  const zoneAt = memberOf(object, at.pointer, 'timezone');
  const zone = readText(
    zoneAt,
    { max: 64, rule: 'be the IANA name of a time zone, such as Europe/Berlin' },
    list,
  );
  const timezone = zone && canonicalTimeZone(zone);
  if (zone !== undefined && timezone === undefined) {
    list.add(
      zoneAt.pointer,
      'unknown_timezone',
      'must be the IANA name of a time zone, such as Europe/Berlin',
    );
  }
  const items = readItems(
    memberOf(object, at.pointer, 'intervals'),
    { min: 1, max: LIMITS.intervals },
    list,
  );
  const intervals = items.flatMap((item) => readInterval(item, list) ?? []);
  return id === undefined || name === undefined || timezone === undefined
    ? undefined
    : { id, name, timezone, intervals };
}

function readInterval(at: Located, list: IssueList): WorkingInterval | undefined {
  const object = readObject(at, { required: ['weekdays', 'start', 'end'] }, list);
  if (!object) return undefined;
  const days = readItems(
    memberOf(object, at.pointer, 'weekdays'),
    { min: 1, max: WEEKDAYS.length },
    list,
  );
  const taken = new Set<string>();
  const weekdays = days.flatMap((item) => {
    const day = readWord(item, WEEKDAYS, list);
    if (day !== undefined) takeWeekday(day, item.pointer, { taken, list });
    return day ?? [];
  });
  const start = readText(
    memberOf(object, at.pointer, 'start'),
    { max: 5, pattern: START, rule: 'be a time from 00:00 to 23:59' },
    list,
  );
  const end = readText(
    memberOf(object, at.pointer, 'end'),
    { max: 5, pattern: END, rule: 'be a time from 00:00 to 24:00' },
    list,
  );
  if (start === undefined || end === undefined) return undefined;
  if (start === end) list.add(`${at.pointer}/end`, 'invalid_value', 'must differ from the start');
  return { weekdays, start, end };
}

function takeWeekday(
  day: string,
  pointer: string,
  { taken, list }: { taken: Set<string>; list: IssueList },
): void {
  if (taken.has(day)) list.add(pointer, 'duplicate_weekday', 'must not occur earlier in the list');
  taken.add(day);
}

/** An empty branch is no level of its own. A document with too many nodes is told so once, where it gets too large. */
function readNodes(
  at: Located,
  reading: Reading,
  { depth, min }: { depth: number; min?: 1 },
): readonly EscalationNode[] {
  const { list, nodes } = reading;
  const items = readItems(at, { ...(min && { min }), max: LIMITS.nodes }, list);
  if (items.length === 0) return [];
  if (depth > LIMITS.depth) {
    list.add(at.pointer, 'too_deep', `must not nest over ${LIMITS.depth} levels deep`);
    return [];
  }
  const fitted = nodes.count <= LIMITS.nodes;
  nodes.count += items.length;
  if (nodes.count <= LIMITS.nodes)
    return items.flatMap((item) => readNode(item, reading, depth) ?? []);
  if (fitted)
    list.add(at.pointer, 'too_many', `must not bring the document over ${LIMITS.nodes} nodes`);
  return [];
}

const NODE_MEMBERS = {
  level: { required: ['id', 'type', 'targets', 'escalate_after'], optional: ['raise_urgency'] },
  if_else: { required: ['id', 'type', 'conditions'], optional: ['then', 'else'] },
  defer: { required: ['id', 'type', 'working_hours_id'], optional: ['standard_only'] },
} as const;

function readNode(at: Located, reading: Reading, depth: number): EscalationNode | undefined {
  const { list } = reading;
  const type = readType(at, {
    types: ['level', 'if_else', 'defer'],
    unknown: 'unknown_node_type',
    list,
  });
  const object = type && readObject(at, NODE_MEMBERS[type], list);
  if (!object) return undefined;
  const member = (key: string): Located => memberOf(object, at.pointer, key);
  const id = readUuid(member('id'), list);
  if (id !== undefined) takeId(id, `${at.pointer}/id`, { ids: reading.nodeIds, list });
  switch (type) {
    case 'level': {
      const targets = readTargets(member('targets'), reading);
      const escalateAfter = readDuration(member('escalate_after'), WAIT, list);
      const raise = readBoolean(member('raise_urgency'), list) ?? false;
      return id === undefined || escalateAfter === undefined
        ? undefined
        : { id, type, targets, escalate_after: escalateAfter, raise_urgency: raise };
    }
    case 'if_else': {
      const items = readItems(member('conditions'), { min: 1, max: LIMITS.conditions }, list);
      const conditions = items.flatMap((item) => readPathCondition(item, reading) ?? []);
      const branches = [
        readNodes(member('then'), reading, { depth: depth + 1 }),
        readNodes(member('else'), reading, { depth: depth + 1 }),
      ];
      return id === undefined
        ? undefined
        : { id, type, conditions, then: branches[0] ?? [], else: branches[1] ?? [] };
    }
    case 'defer': {
      const hours = readWorkingHoursId(member('working_hours_id'), reading);
      const standardOnly = readBoolean(member('standard_only'), list) ?? false;
      return id === undefined || hours === undefined
        ? undefined
        : { id, type, working_hours_id: hours, standard_only: standardOnly };
    }
  }
}

function readPathCondition(at: Located, reading: Reading): PathCondition | undefined {
  const { list } = reading;
  const type = readType(at, {
    types: ['working_hours', 'urgency', 'request'],
    unknown: 'unknown_condition_type',
    list,
  });
  const required = {
    working_hours: ['type', 'working_hours_id', 'active'],
    urgency: ['type', 'urgency'],
    request: ['type', 'when'],
  };
  const object = type && readObject(at, { required: required[type] }, list);
  if (!object) return undefined;
  const member = (key: string): Located => memberOf(object, at.pointer, key);
  switch (type) {
    case 'working_hours': {
      const hours = readWorkingHoursId(member('working_hours_id'), reading);
      const active = readBoolean(member('active'), list);
      return hours === undefined || active === undefined
        ? undefined
        : { type, working_hours_id: hours, active };
    }
    case 'urgency': {
      const urgency = readWord(member('urgency'), ['standard', 'interrupt'], list);
      return urgency && { type, urgency };
    }
    case 'request': {
      if (object['when'] === undefined) return undefined;
      const when = readCondition(member('when'), reading.conditions, list);
      return when && { type, when };
    }
  }
}

function readWorkingHoursId(at: Located, { workingHours, list }: Reading): string | undefined {
  const id = readText(at, { max: 64, rule: 'have 1 to 64 characters' }, list);
  if (id !== undefined && !workingHours.has(id))
    list.add(at.pointer, 'unknown_working_hours', 'must be the id of a set in working_hours');
  return id;
}

function readTargets(at: Located, { targetTypes, list }: Reading): readonly Target[] {
  const seen = new Set<string>();
  const isOfTeam = !targetTypes.includes('team');
  return readItems(at, { min: 1, max: LIMITS.targets }, list).flatMap((item, _, { length }) => {
    const target = readTarget(item, targetTypes, list);
    if (!target) return [];
    if (seen.has(targetKey(target)))
      list.add(item.pointer, 'duplicate_target', 'must not occur earlier in the list');
    else if (isOfTeam && target.type === 'broadcast' && length > 1) {
      list.add(
        item.pointer,
        'broadcast_not_alone',
        'must stand alone: it is every member of the team',
      );
    }
    seen.add(targetKey(target));
    return [target];
  });
}

function readTarget(
  at: Located,
  types: readonly TargetType[],
  list: IssueList,
): Target | undefined {
  const type = readType(at, { types, unknown: 'unknown_target_type', list });
  const object =
    type && readObject(at, { required: type === 'broadcast' ? ['type'] : ['type', 'id'] }, list);
  if (!object) return undefined;
  if (type === 'broadcast') return { type };
  const id = readUuid(memberOf(object, at.pointer, 'id'), list);
  return id === undefined ? undefined : { type, id };
}

/** The object's type, on which its other members depend. */
function readType<Type extends string>(
  at: Located,
  {
    types,
    unknown,
    list,
  }: { readonly types: readonly Type[]; readonly unknown: string; readonly list: IssueList },
): Type | undefined {
  const object = readAnyObject(at, list);
  if (!object) return undefined;
  const { value, pointer } = memberOf(object, at.pointer, 'type');
  const type = types.find((one) => one === value);
  if (value === undefined) list.add(pointer, 'required', 'is required');
  else if (type === undefined)
    list.add(
      pointer,
      typeof value === 'string' ? unknown : 'invalid_type',
      `must be one of ${types.join(', ')}`,
    );
  return type;
}

function readRepeat(at: Located, list: IssueList): Repeat | undefined {
  const object = readObject(at, { required: ['times', 'after'] }, list);
  if (!object) return undefined;
  const times = readInteger(
    memberOf(object, at.pointer, 'times'),
    { min: 1, max: LIMITS.repeats },
    list,
  );
  const after = readDuration(memberOf(object, at.pointer, 'after'), WAIT, list);
  return times === undefined || after === undefined ? undefined : { times, after };
}

function readUuid(at: Located, list: IssueList): string | undefined {
  return readText(at, { max: 36, pattern: UUID, rule: 'be a UUID' }, list)?.toLowerCase();
}

function readBoolean({ value, pointer }: Located, list: IssueList): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  list.add(pointer, 'invalid_type', 'must be true or false');
  return undefined;
}
