/** How a request walks its path in time, from level to level and from run to run. */
import { describe, expect, test } from '@jest/globals';
import { stepKey } from '../../../src/domain/escalation/step-keys.ts';
import { arrive, startWalk, totalRuns } from '../../../src/domain/escalation/walk.ts';
import {
  start,
  at,
  everyone,
  user,
  level,
  path,
  input,
  type Resolver,
  allThere,
  noOne,
  advance,
  there,
  never,
  being,
  walk,
  words,
} from './walk-scene.ts';

describe('the walk', () => {
  test('notifies the first level at once, and each further one after the wait of the level before it', () => {
    const document = path([level('a', '10m'), level('b', '1h'), level('c', '5m')]);
    expect(words(walk(document).events)).toEqual([
      '0 level_notified a in 1',
      '10 level_notified b in 1',
      '70 level_notified c in 1',
      '75 path_exhausted',
    ]);
  });

  test('says who was notified, by which step key, and when it escalates', () => {
    const document = path([level('a', '10m', [user('ada'), everyone])]);
    const step = advance(document, startWalk(document), {
      now: start,
      resolve: there('ada', 'bob', 'ada'),
    });
    const place = { nodeId: 'a', run: 1 };
    expect(step).toStrictEqual({
      state: {
        place: { phase: 'level', ...place, since: start, nextAt: at(10) },
        teams: [],
        notified: true,
      },
      events: [
        {
          kind: 'level_notified',
          ...place,
          at: start,
          membershipIds: ['ada', 'bob'],
          escalateAt: at(10),
        },
      ],
      nextAt: at(10),
      urgency: 'standard',
    });
    expect(stepKey(place)).toBe('a:1');
  });

  test('waits after the last level before each repeat, as often as the path says', () => {
    const document = path([level('a', '10m'), level('b', '20m')], { times: 2, after: '1h' });
    expect(words(walk(document).events)).toEqual([
      '0 level_notified a in 1',
      '10 level_notified b in 1',
      '90 path_repeated',
      '90 level_notified a in 2',
      '100 level_notified b in 2',
      '180 path_repeated',
      '180 level_notified a in 3',
      '190 level_notified b in 3',
      '210 path_exhausted',
    ]);
    expect(totalRuns(document)).toBe(3);
  });

  test('names the run that each repeat starts', () => {
    const { events } = walk(path([level('a')], { times: 2, after: '1m' }));
    expect(events.flatMap((event) => (event.kind === 'path_repeated' ? [event.run] : []))).toEqual([
      2, 3,
    ]);
  });

  test('skips a level without anyone to notify, at once', () => {
    const document = path([level('a'), level('b'), level('c')]);
    const resolve: Resolver = (targets) => allThere(targets, 0).filter((id) => id !== 'of-b');
    expect(words(walk(document, { resolve }).events)).toEqual([
      '0 level_notified a in 1',
      '10 level_skipped b in 1',
      '10 level_notified c in 1',
      '20 path_exhausted',
    ]);
  });

  test('looks for the people of a level in each run', () => {
    const document = path([level('a')], { times: 1, after: '5m' });
    expect(
      words(
        walk(document, {
          resolve: (targets, attempt) => (attempt === 0 ? [] : allThere(targets, attempt)),
        }).events,
      ),
    ).toEqual([
      '0 level_skipped a in 1',
      '5 path_repeated',
      '5 level_notified a in 2',
      '15 path_exhausted',
    ]);
  });

  test('waits before each run and ends even when all levels are skipped', () => {
    const document = path([level('a'), level('b')], { times: 2, after: '1h' });
    const expected = [
      '0 level_skipped a in 1',
      '0 level_skipped b in 1',
      '60 path_repeated',
      '60 level_skipped a in 2',
      '60 level_skipped b in 2',
      '120 path_repeated',
      '120 level_skipped a in 3',
      '120 level_skipped b in 3',
      '120 path_exhausted',
    ];
    expect(words(walk(document, { resolve: noOne }).events)).toEqual(expected);
  });

  test('of a path without nodes waits before each run and ends', () => {
    expect(words(walk(path([])).events)).toEqual(['0 path_exhausted']);
    expect(words(walk(path([], { times: 2, after: '1h' })).events)).toEqual([
      '60 path_repeated',
      '120 path_repeated',
      '120 path_exhausted',
    ]);
  });

  test('changes nothing before its time, and acts exactly at it', () => {
    const document = path([level('a', '10m'), level('b')]);
    const waiting = being({ phase: 'level', run: 1, nodeId: 'a', since: start, nextAt: at(10) });
    const early = new Date(at(10).getTime() - 1);
    expect(advance(document, waiting, { now: early, resolve: never })).toMatchObject({
      state: waiting,
      events: [],
      nextAt: at(10),
    });
    expect(arrive(input(document), waiting, at(10)).entry).toMatchObject({
      nodeId: 'b',
      run: 1,
      level: { targets: [user('of-b')] },
    });
    expect(
      words(advance(document, waiting, { now: at(10), resolve: there('bob') }).events),
    ).toEqual(['10 level_notified b in 1']);
  });

  test('stays at its end', () => {
    const document = path([level('a')]);
    const { end } = walk(document);
    expect(end).toStrictEqual({
      place: { phase: 'exhausted', run: 1, since: at(10) },
      teams: [],
      notified: false,
    });
    expect(advance(document, end, { now: at(100_000), resolve: never })).toMatchObject({
      state: end,
      events: [],
      nextAt: undefined,
    });
  });

  test('refuses a state whose node is missing from the document', () => {
    const stray = being({ phase: 'level', run: 1, nodeId: 'z', since: start, nextAt: at(1) });
    expect(() => advance(path([level('a')]), stray, { now: at(2), resolve: never })).toThrow(
      'no node z',
    );
  });
});
