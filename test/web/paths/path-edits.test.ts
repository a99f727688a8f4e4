/** Reading a path into cards, and changing its JSON from them. */
import { describe, expect, test } from '@jest/globals';
import { readSource } from '../../../src/platform/json/source-values.ts';
import {
  addNode,
  addTarget,
  moveNode,
  newHours,
  remove,
  setRepeat,
  setValue,
} from '../../../web/src/areas/paths/document/path-edits.ts';
import { readPath } from '../../../web/src/areas/paths/document/read-path.ts';
import { cellsOf, withCells } from '../../../web/src/areas/paths/document/week-cells.ts';
import type { HoursView } from '../../../web/src/areas/paths/document/read-path.ts';

const level = (id: string, more = '') =>
  `{"id":"${id}","type":"level","targets":[{"type":"user","id":"mia"}],"escalate_after":"30m"${more}}`;
const path = (...nodes: readonly string[]) => `{"name":"P","nodes":[${nodes.join(',')}]}`;
const read = (text: string) => {
  const root = readSource(text);
  if (!root) throw new Error(`no JSON: ${text}`);
  return readPath(root);
};
const ids = (text: string) => read(text).nodes.map(({ id }) => id);

describe('a path', () => {
  test('keeps what its cards cannot draw as JSON', () => {
    const { nodes } = read(
      path(level('a'), level('b', ',"later":1'), '{"type":"page","id":"c"}', '7'),
    );
    expect(nodes.map(({ type }) => type)).toEqual(['level', 'locked', 'locked', 'locked']);
    expect(nodes[1]).toMatchObject({ source: level('b', ',"later":1'), pointer: '/nodes/1' });
  });

  test('says conditions about the request in words, with every digit', () => {
    const when =
      '{"id":"x","field":"/request/arguments/amount","operator":"greater_than","value":1.0}';
    const split = `{"id":"s","type":"if_else","conditions":[{"type":"request","when":${when}}],"then":[${level('t')}]}`;
    const [node] = read(path(split)).nodes;
    expect(node).toMatchObject({
      conditions: [{ type: 'request', text: 'amount is more than 1.0' }],
      then: [{ id: 't', pointer: '/nodes/0/then/0' }],
      else: [],
    });
  });

  test('moves, removes and adds steps, and changes no other character', () => {
    const text = path(level('a'), level('b', ',"raise_urgency":true'), level('c'));
    expect(ids(moveNode('/nodes/2', -1)(text))).toEqual(['a', 'c', 'b']);
    expect(ids(moveNode('/nodes/0', 1)(text))).toEqual(['b', 'a', 'c']);
    expect(ids(remove('/nodes/1')(text))).toEqual(['a', 'c']);
    expect(setValue('/nodes/0/escalate_after', '5m')(text)).toBe(
      text.replace('"escalate_after":"30m"', '"escalate_after":"5m"'),
    );
    expect(setRepeat(0, '30m')(setRepeat(2, '30m')(text))).toBe(text);
    const [first] = read(addTarget('/nodes/0', { type: 'broadcast', id: '' })(text)).nodes;
    expect(first).toMatchObject({ targets: [{ type: 'user' }, { type: 'broadcast' }] });
  });

  test('gets the working hours that its first wait needs, and lanes that were absent', () => {
    const firstHours = newHours('Office', 'Europe/Berlin');
    const text = path(level('a'));
    const place = { list: '/nodes', index: 0, hours: [], firstHours };
    const { nodes, hours } = read(addNode('defer', place)(text));
    expect(nodes.map(({ type }) => type)).toEqual(['defer', 'level']);
    expect(nodes[0]).toMatchObject({ hoursId: hours[0]?.id });
    const split = path('{"id":"s","type":"if_else","conditions":[]}');
    const [node] = read(addNode('level', { ...place, list: '/nodes/0/else' })(split)).nodes;
    expect(node).toMatchObject({ else: [{ type: 'level' }] });
  });
});

describe('the cells of a week', () => {
  const office: HoursView['intervals'] = [
    { weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' },
  ];

  test('are open, closed, or open for a part', () => {
    const cells = cellsOf(office);
    expect([cells[0]?.[8], cells[0]?.[9], cells[0]?.[17], cells[5]?.[9]]).toEqual([
      ...['closed', 'open', 'partly', 'closed'],
    ]);
    const night = cellsOf([{ weekdays: ['sun'], start: '22:00', end: '06:00' }]);
    expect([night[6]?.[23], night[0]?.[5], night[0]?.[6]]).toEqual(['open', 'open', 'closed']);
  });

  test('are painted into intervals that have the same days together', () => {
    expect(withCells(office, [{ day: 5, hour: 9 }], true)).toEqual([
      ...office,
      { weekdays: ['sat'], start: '09:00', end: '10:00' },
    ]);
    expect(withCells(office, [{ day: 0, hour: 12 }], false)).toEqual([
      { weekdays: ['mon'], start: '09:00', end: '12:00' },
      { weekdays: ['mon'], start: '13:00', end: '17:30' },
      { ...office[0], weekdays: ['tue', 'wed', 'thu', 'fri'] },
    ]);
    const all = Array.from({ length: 24 }, (_, hour) => ({ day: 2, hour }));
    expect(withCells([], all, true)).toEqual([{ weekdays: ['wed'], start: '00:00', end: '24:00' }]);
  });
});
