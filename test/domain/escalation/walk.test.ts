/** How a request walks its path, in time and after an outage. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDuration } from '../../../src/domain/durations.ts';
import type {
  EscalationPathDocument,
  LevelNode,
  Target,
} from '../../../src/domain/escalation/types.ts';
import { stepKey } from '../../../src/domain/escalation/step-keys.ts';
import { arrive, enterLevel, startWalk, totalRuns } from '../../../src/domain/escalation/walk.ts';
import type { WalkEvent, WalkInput, WalkStep } from '../../../src/domain/escalation/walk.ts';
import type { Place, WalkState } from '../../../src/domain/escalation/walk-state.ts';

const MINUTE = 60_000;
const start = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
const ms = (wait: string) => parseDuration(wait) ?? Number.NaN;

const everyone: Target = { type: 'broadcast' };
const user = (id: string): Target => ({ type: 'user', id });
const level = (
  id: string,
  wait = '10m',
  targets: readonly Target[] = [user(`of-${id}`)],
): LevelNode => ({
  id,
  type: 'level',
  targets,
  escalate_after: wait,
  raise_urgency: false,
});
interface LevelsOnly extends EscalationPathDocument {
  readonly nodes: readonly LevelNode[];
}
function path(nodes: readonly LevelNode[], repeat?: EscalationPathDocument['repeat']): LevelsOnly {
  return { name: 'Path', working_hours: [], nodes, ...(repeat && { repeat }) };
}

const input = (document: EscalationPathDocument): WalkInput => ({
  document,
  policy: () => {
    throw new Error('no team is asked');
  },
  urgency: 'standard',
  matches: () => false,
});

/** The people who can be notified for these targets. Attempts count from 0 over the whole walk. */
type Resolver = (targets: readonly Target[], attempt: number) => readonly string[];
const allThere: Resolver = (targets) =>
  targets.map((target) => (target.type === 'user' ? target.id : 'someone'));
const noOne: Resolver = () => [];

/** One step as the service takes it. `resolve` runs only when the walk enters a level. */
function advance(
  document: EscalationPathDocument,
  state: WalkState,
  { now, resolve }: { now: Date; resolve: (targets: readonly Target[]) => readonly string[] },
): WalkStep {
  const arrival = arrive(input(document), state, now);
  const membershipIds = arrival.entry ? resolve(arrival.entry.level.targets) : [];
  return enterLevel(input(document), arrival, { now, asked: { membershipIds, teams: [] } });
}

const there =
  (...ids: readonly string[]) =>
  () =>
    ids;
const never = (): readonly string[] => {
  throw new Error('a level was entered before its time');
};
/** A walk at this place. A level has notified someone. */
const being = (place: Place): WalkState => ({
  place,
  teams: [],
  notified: place.phase === 'level',
});

interface Course {
  readonly events: readonly WalkEvent[];
  readonly calls: number;
  readonly end: WalkState;
}

/** Walks to the end. `delays` (ms) are how late each wake-up comes. */
function walk(
  document: EscalationPathDocument,
  { resolve = allThere, delays = [] }: { resolve?: Resolver; delays?: readonly number[] } = {},
): Course {
  let state = startWalk(document);
  let now = start;
  let attempts = 0;
  const events: WalkEvent[] = [];
  for (let calls = 1; calls <= 500; calls += 1) {
    const before = attempts;
    const step = advance(document, state, {
      now,
      resolve: (targets) => resolve(targets, attempts++),
    });
    const levels = step.events.filter(
      (event) => event.kind === 'level_notified' || event.kind === 'level_skipped',
    );
    if (levels.length !== attempts - before)
      throw new Error('people were looked for outside a level');
    events.push(...step.events);
    ({ state } = step);
    if (!step.nextAt) return { events, calls, end: state };
    if (step.nextAt > now)
      now = new Date(step.nextAt.getTime() + (delays[calls % (delays.length || 1)] ?? 0));
  }
  throw new Error('the walk does not end');
}

const words = (events: readonly WalkEvent[]) =>
  events.map((event) => {
    const minutes = (event.at.getTime() - start.getTime()) / MINUTE;
    const isLevel = event.kind === 'level_notified' || event.kind === 'level_skipped';
    return isLevel
      ? `${minutes} ${event.kind} ${event.nodeId} in ${event.run}`
      : `${minutes} ${event.kind}`;
  });

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

describe('on every path of levels', () => {
  const wait = fc.oneof(
    fc.integer({ min: 1, max: 120 }).map((n) => `${n}m`),
    fc.integer({ min: 60, max: 600 }).map((n) => `${n}s`),
    fc.constantFrom('168h', '1h'),
  );
  const nodes = fc
    .array(wait, { maxLength: 6 })
    .map((waits) => waits.map((each, index) => level(`n${index}`, each)));
  const repeat = fc.option(fc.record({ times: fc.integer({ min: 1, max: 9 }), after: wait }), {
    nil: undefined,
  });
  const document = fc
    .tuple(nodes, repeat)
    .map(([levels, again]): LevelsOnly => path(levels, again));
  const delays = fc.array(
    fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 30 * 24 * 60 * MINUTE }),
    ),
    { maxLength: 10 },
  );
  const presence = fc.array(fc.boolean(), { maxLength: 20 });
  const sometimes =
    (there: readonly boolean[]): Resolver =>
    (targets, attempt) =>
      (there[attempt % (there.length || 1)] ?? true) ? allThere(targets, attempt) : [];
  const runs = { numRuns: 100 };

  test('the walk ends in a bounded number of calls, with every level of every run notified or skipped once, in order', () => {
    fc.assert(
      fc.property(document, delays, presence, (doc, late, there) => {
        const { events, calls, end } = walk(doc, { resolve: sometimes(there), delays: late });
        const reached = events.filter(
          (event) => event.kind === 'level_notified' || event.kind === 'level_skipped',
        );
        const keys = reached.map(stepKey);
        const all = Array.from({ length: totalRuns(doc) }, (_, run) =>
          doc.nodes.map((node) => stepKey({ nodeId: node.id, run: run + 1 })),
        ).flat();
        expect(keys).toEqual(all);
        expect(new Set(keys).size).toBe(keys.length);
        expect(calls).toBeLessThanOrEqual(totalRuns(doc) * (doc.nodes.length + 2) + 1);
        expect(end.place).toMatchObject({ phase: 'exhausted', run: totalRuns(doc) });
        expect(events.filter((event) => event.kind === 'path_exhausted')).toEqual(events.slice(-1));
      }),
      runs,
    );
  });

  test('each run notifies each level when someone is always there', () => {
    fc.assert(
      fc.property(document, delays, (doc, late) => {
        const notified = walk(doc, { delays: late }).events.filter(
          (event) => event.kind === 'level_notified',
        );
        expect(notified).toHaveLength((1 + (doc.repeat?.times ?? 0)) * doc.nodes.length);
      }),
      runs,
    );
  });

  test('no step comes before the previous wait is over, however late the calls are', () => {
    fc.assert(
      fc.property(document, delays, presence, (doc, late, there) => {
        const { events } = walk(doc, { resolve: sometimes(there), delays: late });
        let earliest = start.getTime();
        for (const event of events) {
          if (event.kind === 'path_repeated') earliest += ms(doc.repeat?.after ?? '');
          if (event.at.getTime() < earliest) throw new Error(`${event.kind} came too early`);
          if (event.kind === 'level_notified') {
            const node = doc.nodes.find(({ id }) => id === event.nodeId);
            if (event.escalateAt.getTime() - event.at.getTime() !== ms(node?.escalate_after ?? ''))
              throw new Error(`${event.nodeId} waits for another time than its level says`);
            earliest = event.escalateAt.getTime();
          } else if (event.kind === 'level_skipped') {
            earliest = event.at.getTime();
          }
        }
      }),
      runs,
    );
  });
});
