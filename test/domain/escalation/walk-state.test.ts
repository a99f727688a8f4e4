/** How the state of a walk is stored. */
import { describe, expect, test } from '@jest/globals';
import {
  walkFromJson,
  walkToJson,
  type Place,
  type WalkState,
} from '../../../src/domain/escalation/walk-state.ts';

const start = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
/** A walk at this place. A level has notified someone. */
const being = (place: Place): WalkState => ({
  place,
  teams: [],
  notified: place.phase === 'level',
});

describe('a stored walk', () => {
  const inside = {
    teamId: 't',
    revisionId: 'r',
    place: { phase: 'defer', run: 2, nodeId: 'n', since: at(1), nextAt: at(4) },
  } as const;
  test.each<[string, WalkState]>([
    ['about to start', being({ phase: 'enter', run: 1, nodeId: 'a' })],
    [
      'about to enter after a skipped level',
      being({ phase: 'enter', run: 2, nodeId: 'b', since: at(1), nextAt: at(1) }),
    ],
    ['on a path without nodes', being({ phase: 'enter', run: 1 })],
    [
      'waiting at a level',
      being({ phase: 'level', run: 1, nodeId: 'a', since: at(0), nextAt: at(10) }),
    ],
    [
      'waiting for working hours',
      being({ phase: 'defer', run: 1, nodeId: 'a', since: at(0), nextAt: at(10) }),
    ],
    [
      'with a team inside',
      {
        ...being({ phase: 'level', run: 1, nodeId: 'a', since: at(0), nextAt: at(10) }),
        teams: [inside],
        notified: false,
      },
    ],
    ['waiting for the next run', being({ phase: 'repeat', run: 1, since: at(0), nextAt: at(10) })],
    ['exhausted', being({ phase: 'exhausted', run: 3, since: at(0) })],
  ])('%s is read back unchanged', (_, state) => {
    expect(walkFromJson(JSON.parse(JSON.stringify(walkToJson(state))))).toStrictEqual(state);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['text', 'level'],
    ['an unknown phase', { run: 1, phase: 'rest', since: start.toISOString() }],
    ['run 0', { run: 0, phase: 'enter', nodeId: 'a' }],
    [
      'a level without node',
      { run: 1, phase: 'level', since: start.toISOString(), nextAt: start.toISOString() },
    ],
    ['a level without end', { run: 1, phase: 'level', nodeId: 'a', since: start.toISOString() }],
    ['a repeat without end', { run: 1, phase: 'repeat', since: start.toISOString() }],
    ['an end without instant', { run: 1, phase: 'exhausted' }],
    ['a malformed instant', { run: 1, phase: 'enter', nodeId: 'a', since: 'soon' }],
    ['an instant as a number', { run: 1, phase: 'exhausted', since: 0 }],
  ])('that is %s is refused', (_, value) => {
    expect(() => walkFromJson(value)).toThrow('the stored escalation walk');
  });
});
