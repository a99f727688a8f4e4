/** Changes of a path's JSON text. Pure, but for the ids of new parts. */
import { v7 as uuid } from 'uuid';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import {
  sourceAt,
  withItem,
  withMoved,
  withoutValue,
  withValue,
} from '../../../shared/editor/splices.ts';
import type { HoursView, TargetView } from './read-path.ts';

export type Edit = (text: string) => string;
export type NewNode = 'level' | 'defer' | 'if_else';

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri'];
const FIRST_HOURS = { start: '09:00', end: '17:30' };

/** A JSON value at a place. */
export const setValue =
  (pointer: string, value: unknown): Edit =>
  (text) =>
    withValue(text, pointer, stringifyExact(value));

export const remove =
  (pointer: string): Edit =>
  (text) =>
    withoutValue(text, pointer);

/** Adds an item, and the list if there is none. */
export const addItem =
  (list: string, item: unknown, index = Infinity): Edit =>
  (text) => {
    const source = stringifyExact(item);
    return sourceAt(text, list) === undefined
      ? withValue(text, list, `[${source}]`)
      : withItem(text, { list, index }, source);
  };

/** By one place, up or down, in its list. */
export const moveNode =
  (pointer: string, by: -1 | 1): Edit =>
  (text) => {
    const at = pointer.lastIndexOf('/');
    const index = Number(pointer.slice(at + 1)) + by;
    return withMoved(text, pointer, { list: pointer.slice(0, at), index });
  };

export const newHours = (name: string, timezone: string) => ({
  id: `hours-${uuid().slice(-8)}`,
  name,
  timezone,
  intervals: [{ weekdays: WEEK, ...FIRST_HOURS }],
});

interface NewNodePlace {
  readonly list: string;
  readonly index: number;
  readonly hours: readonly Pick<HoursView, 'id'>[];
  /** For the hours that a wait needs where the path has none. */
  readonly firstHours: ReturnType<typeof newHours>;
}

export const addNode =
  (type: NewNode, { list, index, hours, firstHours }: NewNodePlace): Edit =>
  (text) => {
    const known = hours[0]?.id;
    const hoursId = known ?? firstHours.id;
    const added = addItem(list, newNode(type, hoursId), index)(text);
    return known !== undefined || type !== 'defer'
      ? added
      : addItem('/working_hours', firstHours)(added);
  };

function newNode(type: NewNode, hoursId: string): object {
  const id = uuid();
  switch (type) {
    case 'level':
      return {
        id,
        type,
        targets: [{ type: 'broadcast' }],
        escalate_after: '30m',
        raise_urgency: false,
      };
    case 'defer':
      return { id, type, working_hours_id: hoursId, standard_only: true };
    case 'if_else':
      return {
        ...{ id, type, conditions: [{ type: 'urgency', urgency: 'interrupt' }] },
        ...{ then: [], else: [] },
      };
  }
}

export const addTarget = (node: string, { type, id }: Pick<TargetView, 'type' | 'id'>): Edit =>
  addItem(`${node}/targets`, type === 'broadcast' ? { type } : { type, id });

export type NewCondition = 'open' | 'closed' | 'urgent' | 'standard' | 'request';

/** `hoursId`: for the conditions about hours. */
export const addCondition = (node: string, kind: NewCondition, hoursId: string): Edit =>
  addItem(`${node}/conditions`, newCondition(kind, hoursId));

function newCondition(kind: NewCondition, hoursId: string): object {
  switch (kind) {
    case 'open':
    case 'closed':
      return { type: 'working_hours', working_hours_id: hoursId, active: kind === 'open' };
    case 'urgent':
      return { type: 'urgency', urgency: 'interrupt' };
    case 'standard':
      return { type: 'urgency', urgency: 'standard' };
    case 'request': {
      const field = '/request/arguments/amount';
      const when = { id: uuid(), field, operator: 'greater_than', value: 10_000 };
      return { type: 'request', when };
    }
  }
}

/** `times` 0: no further run. */
export const setRepeat = (times: number, after: string): Edit =>
  times === 0 ? remove('/repeat') : setValue('/repeat', { times, after });

/** The parts of new paths that people start from. */
export type StartKind = 'team' | 'office' | 'turns';

export const startNodes = (
  kind: StartKind,
  {
    first,
    second,
    hoursId,
  }: { readonly first: object; readonly second: object; readonly hoursId: string },
): readonly object[] => {
  const level = (target: object, wait: string) => ({
    ...{ id: uuid(), type: 'level', targets: [target] },
    ...{ escalate_after: wait, raise_urgency: false },
  });
  switch (kind) {
    case 'team':
      return [level(first, '30m'), level({ type: 'broadcast' }, '1h')];
    case 'office':
      return [
        { id: uuid(), type: 'defer', working_hours_id: hoursId, standard_only: true },
        level(first, '30m'),
        level({ type: 'broadcast' }, '1h'),
      ];
    case 'turns':
      return [level(first, '15m'), level(second, '15m')];
  }
};
