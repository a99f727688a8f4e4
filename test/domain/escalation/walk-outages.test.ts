/** What a walk does after an outage: which steps come at once, and which wait. */
import { describe, expect, test } from '@jest/globals';
import { arrive, enterLevel } from '../../../src/domain/escalation/walk.ts';
import type { WalkInput } from '../../../src/domain/escalation/walk.ts';
import type { WalkState } from '../../../src/domain/escalation/walk-state.ts';
import {
  MINUTE,
  start,
  at,
  level,
  path,
  input,
  noOne,
  advance,
  there,
  never,
  being,
  walk,
  words,
} from './walk-scene.ts';

describe('after an outage', () => {
  test('only the next level fires at once, and the level after it waits its own time from then', () => {
    const document = path([level('a', '10m'), level('b', '10m'), level('c', '10m')]);
    const state = being({ phase: 'level', run: 1, nodeId: 'a', since: start, nextAt: at(10) });
    const step = advance(document, state, { now: at(1_000), resolve: there('bob') });
    expect(words(step.events)).toEqual(['1000 level_notified b in 1']);
    expect(step.nextAt).toEqual(at(1_010));
    expect(arrive(input(document), step.state, at(1_009)).entry).toBeUndefined();
  });

  test('in the middle of a path every later step comes once, delayed by the outage', () => {
    const document = path([level('a', '10m'), level('b', '10m'), level('c', '10m')], {
      times: 1,
      after: '1h',
    });
    const delays = [0, 540 * MINUTE, ...Array.from({ length: 20 }, () => 0)];
    expect(words(walk(document, { delays }).events)).toEqual([
      '0 level_notified a in 1',
      '550 level_notified b in 1',
      '560 level_notified c in 1',
      '630 path_repeated',
      '630 level_notified a in 2',
      '640 level_notified b in 2',
      '650 level_notified c in 2',
      '660 path_exhausted',
    ]);
  });

  test("only the next step of a team's policy fires, and none when its level in the path is over too", () => {
    const policy = path([level('first', '10m'), level('second', '10m'), level('third', '10m')]);
    const document = path([level('a', '1h'), level('b', '1h')]);
    const withTeam: WalkInput = { ...input(document), policy: () => policy };
    const place = { phase: 'level', run: 1, since: start } as const;
    const team = {
      teamId: 't',
      revisionId: 'r',
      place: { ...place, nodeId: 'first', nextAt: at(10) },
    };
    const state: WalkState = {
      place: { ...place, nodeId: 'a', nextAt: at(60) },
      teams: [team],
      notified: true,
    };

    const back = arrive(withTeam, state, at(45));
    expect(back.entry).toMatchObject({ nodeId: 'a', team: { teamId: 't', nodeId: 'second' } });
    const asked = { membershipIds: ['bob'], teams: [] };
    const step = enterLevel(withTeam, back, { now: at(45), asked });
    expect(words(step.events)).toEqual(['45 level_notified a in 1']);
    expect(step.nextAt).toEqual(at(55));

    const later = enterLevel(withTeam, arrive(withTeam, state, at(300)), { now: at(300), asked });
    expect(words(later.events)).toEqual(['300 level_notified b in 1']);
    expect(later).toMatchObject({ state: { place: { nodeId: 'b' }, teams: [] }, nextAt: at(360) });
  });

  test('after the last level an overdue run starts at once, with its first level only', () => {
    const document = path([level('a', '10m'), level('b', '10m')], { times: 1, after: '1h' });
    const state = being({ phase: 'level', run: 1, nodeId: 'b', since: start, nextAt: at(10) });
    const step = advance(document, state, { now: at(500), resolve: there('ada') });
    expect(words(step.events)).toEqual(['500 path_repeated', '500 level_notified a in 2']);
    expect(step.nextAt).toEqual(at(510));
  });

  test('after the last level the walk waits only the rest of the pause before the next run', () => {
    const document = path([level('a', '10m')], { times: 1, after: '1h' });
    const state = being({ phase: 'level', run: 1, nodeId: 'a', since: start, nextAt: at(10) });
    const step = advance(document, state, { now: at(30), resolve: never });
    expect(step.state).toStrictEqual({
      place: { phase: 'repeat', run: 1, since: at(10), nextAt: at(70) },
      teams: [],
      notified: false,
    });
    expect(step).toMatchObject({ events: [], nextAt: at(70) });
  });

  test('a call exactly at the next run starts it, even if the stored state still waits at the last level', () => {
    const document = path([level('a', '10m')], { times: 1, after: '1h' });
    const state = being({ phase: 'level', run: 1, nodeId: 'a', since: start, nextAt: at(10) });
    expect(words(advance(document, state, { now: at(70), resolve: there('ada') }).events)).toEqual([
      '70 path_repeated',
      '70 level_notified a in 2',
    ]);
  });

  test('missed runs without anyone to notify are not made up for', () => {
    const document = path([level('a')], { times: 3, after: '1h' });
    const { events } = walk(document, { resolve: noOne, delays: [600 * MINUTE] });
    expect(words(events).filter((each) => each.includes('skipped'))).toEqual([
      '0 level_skipped a in 1',
      '660 level_skipped a in 2',
      '1320 level_skipped a in 3',
      '1980 level_skipped a in 4',
    ]);
  });
});
