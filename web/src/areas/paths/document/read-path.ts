/** What the cards of a path draw, read from its JSON. What they cannot draw stays JSON. Pure. */
import type { Condition } from '../../../../../src/domain/conditions/document.ts';
import { conditionText } from '../../../../../src/domain/conditions/sentences.ts';
import { parseExact } from '../../../../../src/platform/json/exact-json.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { WEEKDAYS } from '../../../../../src/domain/escalation/weekly-hours.ts';
import type { WorkingHours } from '../../../shared/schedule/open-hours.ts';

interface Placed {
  /** RFC 6901, into the document. */
  readonly pointer: string;
  readonly id: string;
}

export interface TargetView {
  readonly pointer: string;
  readonly type: 'user' | 'team' | 'broadcast';
  /** Empty for a broadcast. */
  readonly id: string;
}

export interface LevelView extends Placed {
  readonly type: 'level';
  readonly targets: readonly TargetView[];
  readonly wait: string;
  readonly isUrgent: boolean;
}

export interface DeferView extends Placed {
  readonly type: 'defer';
  readonly hoursId: string;
  readonly isStandardOnly: boolean;
}

export type ConditionView = { readonly pointer: string } & (
  | { readonly type: 'working_hours'; readonly hoursId: string; readonly isOpen: boolean }
  | { readonly type: 'urgency'; readonly isUrgent: boolean }
  | { readonly type: 'request'; readonly text: string; readonly source: string }
  | { readonly type: 'locked'; readonly source: string }
);

export interface SplitView extends Placed {
  readonly type: 'if_else';
  readonly conditions: readonly ConditionView[];
  readonly then: readonly NodeView[];
  readonly else: readonly NodeView[];
}

interface LockedView extends Placed {
  readonly type: 'locked';
  readonly source: string;
}

export type NodeView = LevelView | DeferView | SplitView | LockedView;

export interface HoursView extends Pick<WorkingHours, 'id' | 'name' | 'timezone' | 'intervals'> {
  readonly pointer: string;
}

export interface PathView {
  readonly name: string;
  readonly hours: readonly HoursView[];
  readonly nodes: readonly NodeView[];
  readonly repeat: { readonly times: number; readonly after: string } | undefined;
}

export function readPath(root: SourceValue): PathView {
  const parts = membersOf(root);
  const repeat = membersOf(parts.get('repeat'));
  const times = numberOf(repeat.get('times'));
  return {
    name: textOf(parts.get('name')) ?? '',
    hours: itemsOf(parts.get('working_hours')).flatMap((each, index) =>
      hoursOf(each, `/working_hours/${index}`),
    ),
    nodes: nodesOf(parts.get('nodes'), '/nodes'),
    repeat: times === undefined ? undefined : { times, after: textOf(repeat.get('after')) ?? '' },
  };
}

const nodesOf = (list: SourceValue | undefined, pointer: string): readonly NodeView[] =>
  itemsOf(list).map((node, index) => nodeOf(node, `${pointer}/${index}`));

function nodeOf(node: SourceValue, pointer: string): NodeView {
  const parts = membersOf(node);
  const id = textOf(parts.get('id'));
  const view = id === undefined ? undefined : knownNode(parts, { pointer, id });
  return view ?? { pointer, id: id ?? pointer, type: 'locked', source: node.source };
}

type Parts = ReadonlyMap<string, SourceValue>;

function knownNode(parts: Parts, placed: Placed): NodeView | undefined {
  switch (textOf(parts.get('type'))) {
    case 'level':
      return hasOnly(parts, LEVEL) ? levelOf(parts, placed) : undefined;
    case 'defer':
      return hasOnly(parts, DEFER) ? deferOf(parts, placed) : undefined;
    case 'if_else':
      return hasOnly(parts, SPLIT) ? splitOf(parts, placed) : undefined;
    default:
      return undefined;
  }
}

const LEVEL = ['id', 'type', 'targets', 'escalate_after', 'raise_urgency'];
const DEFER = ['id', 'type', 'working_hours_id', 'standard_only'];
const SPLIT = ['id', 'type', 'conditions', 'then', 'else'];

/** A member that the cards do not know would be invisible. */
const hasOnly = (parts: Parts, names: readonly string[]): boolean =>
  [...parts.keys()].every((name) => names.includes(name));

function levelOf(parts: Parts, placed: Placed): LevelView | undefined {
  const targets = itemsOf(parts.get('targets')).map((target, index) =>
    targetOf(target, `${placed.pointer}/targets/${index}`),
  );
  const isUrgent = flagOf(parts.get('raise_urgency'));
  if (isUrgent === undefined || targets.some((target) => target === undefined)) return undefined;
  return {
    ...placed,
    type: 'level',
    targets: targets.filter((target) => target !== undefined),
    wait: textOf(parts.get('escalate_after')) ?? '',
    isUrgent,
  };
}

function targetOf(target: SourceValue, pointer: string): TargetView | undefined {
  const parts = membersOf(target);
  const type = textOf(parts.get('type'));
  const id = textOf(parts.get('id'));
  if (type === 'broadcast') return { pointer, type, id: '' };
  return (type === 'user' || type === 'team') && id !== undefined
    ? { pointer, type, id }
    : undefined;
}

function deferOf(parts: Parts, placed: Placed): DeferView | undefined {
  const isStandardOnly = flagOf(parts.get('standard_only'));
  if (isStandardOnly === undefined) return undefined;
  const hoursId = textOf(parts.get('working_hours_id')) ?? '';
  return { ...placed, type: 'defer', hoursId, isStandardOnly };
}

function splitOf(parts: Parts, placed: Placed): SplitView {
  const { pointer } = placed;
  return {
    ...placed,
    type: 'if_else',
    conditions: itemsOf(parts.get('conditions')).map((condition, index) =>
      conditionOf(condition, `${pointer}/conditions/${index}`),
    ),
    then: nodesOf(parts.get('then'), `${pointer}/then`),
    else: nodesOf(parts.get('else'), `${pointer}/else`),
  };
}

function conditionOf(condition: SourceValue, pointer: string): ConditionView {
  const parts = membersOf(condition);
  const locked = { pointer, type: 'locked', source: condition.source } as const;
  switch (textOf(parts.get('type'))) {
    case 'working_hours': {
      const isOpen = flagOf(parts.get('active'));
      const hoursId = textOf(parts.get('working_hours_id'));
      if (isOpen === undefined || hoursId === undefined) return locked;
      return { pointer, type: 'working_hours', hoursId, isOpen };
    }
    case 'urgency':
      return { pointer, type: 'urgency', isUrgent: textOf(parts.get('urgency')) === 'interrupt' };
    case 'request': {
      const source = parts.get('when')?.source ?? '{}';
      const text = whenText(source);
      return text === undefined ? locked : { pointer, type: 'request', text, source };
    }
    default:
      return locked;
  }
}

/** Undefined for what is no condition. */
function whenText(source: string): string | undefined {
  try {
    return conditionText(parseExact(source, { spelled: true }) as unknown as Condition);
  } catch {
    return undefined;
  }
}

function hoursOf(hours: SourceValue, pointer: string): HoursView[] {
  const parts = membersOf(hours);
  const id = textOf(parts.get('id'));
  if (id === undefined) return [];
  const intervals = itemsOf(parts.get('intervals')).map((interval) => {
    const times = membersOf(interval);
    const days = itemsOf(times.get('weekdays')).map(textOf);
    return {
      weekdays: WEEKDAYS.filter((day) => days.includes(day)),
      start: textOf(times.get('start')) ?? '',
      end: textOf(times.get('end')) ?? '',
    };
  });
  const [name, timezone] = [textOf(parts.get('name')) ?? '', textOf(parts.get('timezone')) ?? ''];
  return [{ pointer, id, name, timezone, intervals }];
}

const itemsOf = (list: SourceValue | undefined): readonly SourceValue[] => list?.items ?? [];

const membersOf = (object: SourceValue | undefined): Parts =>
  new Map(object?.kind === 'object' ? object.members.map(({ key, value }) => [key, value]) : []);

const textOf = (value: SourceValue | undefined): string | undefined =>
  value?.kind === 'string' ? value.characters : undefined;

/** False when absent; undefined for what is no flag. */
function flagOf(value: SourceValue | undefined): boolean | undefined {
  if (value === undefined || value.source === 'false') return false;
  return value.source === 'true' ? true : undefined;
}

function numberOf(value: SourceValue | undefined): number | undefined {
  return value?.kind === 'number' ? Number(value.source) : undefined;
}
