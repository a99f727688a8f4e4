/** A walk that waits for people who lose the right to decide: it moves on at once, and for no other reason. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recipients } from '../../../src/domain/escalation/recipients.ts';
import { isInside, stepKey, type StepPlace } from '../../../src/domain/escalation/step-keys.ts';
import type {
  EscalationDocument,
  LevelNode,
  Target,
} from '../../../src/domain/escalation/types.ts';
import {
  arrive,
  enterLevel,
  startWalk,
  totalRuns,
  type WalkEvent,
} from '../../../src/domain/escalation/walk.ts';
import {
  dueAt,
  walkFromJson,
  walkToJson,
  type WalkState,
} from '../../../src/domain/escalation/walk-state.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 26, 15, 20);

interface Scene {
  readonly document: EscalationDocument;
  /** By the id of the team, which is also that of its policy's revision. */
  readonly policies: Readonly<Record<string, EscalationDocument>>;
  readonly teams: Readonly<Record<string, readonly string[]>>;
  /** Who may decide, in minutes from the start. */
  readonly deciders: (minute: number) => readonly string[];
  /** When rights change. The walk is looked at then, even if nothing is due. */
  readonly changes: readonly number[];
}

interface Look {
  readonly minute: number;
  readonly events: readonly WalkEvent[];
  readonly state: WalkState;
  /** The people each step has notified so far. */
  readonly notified: ReadonlyMap<string, readonly string[]>;
}

/** The people notified at the step. For a level of the path they include those notified inside it. */
const notifiedAt = (notified: Look['notified'], step: StepPlace): readonly string[] =>
  [...notified].flatMap(([key, ids]) =>
    key === stepKey(step) || (!step.team && isInside(key, step)) ? ids : [],
  );

type Keep = (state: WalkState) => WalkState;

/** Does everything due at one instant, as the service does. It reads the people notified earlier only once. */
function look(
  scene: Scene,
  before: Pick<Look, 'state' | 'notified'>,
  { minute, keep }: { minute: number; keep: Keep },
): Look {
  const now = new Date(START + minute * MINUTE);
  const deciders = scene.deciders(minute);
  const isUnreachable = (step: StepPlace): boolean => {
    const people = notifiedAt(before.notified, step);
    return people.length > 0 && !people.some((id) => deciders.includes(id));
  };
  const policy = (id: string): EscalationDocument =>
    scene.policies[id] ?? { working_hours: [], nodes: [] };
  const input = {
    document: scene.document,
    policy,
    urgency: 'standard',
    matches: () => false,
    isUnreachable,
  } as const;
  const teams = new Map(
    Object.entries(scene.teams).map(([id, members]) => [
      id,
      {
        members: members.map((membershipId) => ({ membershipId, displayName: '' })),
        ...(scene.policies[id] && { policyRevisionId: id }),
      },
    ]),
  );
  let { state } = before;
  const events: WalkEvent[] = [];
  for (let calls = 0; calls < 500; calls += 1) {
    const arrival = arrive(input, keep(state), now);
    const asked = arrival.entry
      ? recipients(arrival.entry, { deciders, teams })
      : { membershipIds: [], teams: [] };
    const step = enterLevel(input, arrival, { now, asked });
    ({ state } = step);
    events.push(...step.events);
    if (!step.nextAt || step.nextAt > now) {
      const news = events.flatMap((event) =>
        event.kind === 'level_notified' ? [[stepKey(event), event.membershipIds] as const] : [],
      );
      return { minute, events, state, notified: new Map([...before.notified, ...news]) };
    }
  }
  throw new Error('the walk never waits');
}

/** Looks whenever something is due, and whenever rights change. */
function course(scene: Scene, keep: Keep = (state) => state): Look[] {
  const changes = [...scene.changes].sort((a, b) => a - b);
  const looks: Look[] = [];
  let from: Pick<Look, 'state' | 'notified'> = {
    state: startWalk(scene.document),
    notified: new Map(),
  };
  let minute = 0;
  for (let n = 0; n < 2_000; n += 1) {
    const next = look(scene, from, { minute, keep });
    looks.push(next);
    from = next;
    const due = dueAt(next.state);
    if (!due) return looks;
    const at = minute;
    const change = changes.find((each) => each > at);
    minute = Math.min((due.getTime() - START) / MINUTE, change ?? Infinity);
  }
  throw new Error('the walk does not end');
}

const level = (id: string, targets: readonly Target[], minutes = 10): LevelNode => ({
  id,
  type: 'level',
  targets,
  escalate_after: `${minutes}m`,
  raise_urgency: false,
});
const user = (id: string): Target => ({ type: 'user', id });
const team = (id: string): Target => ({ type: 'team', id });
const path = (...nodes: LevelNode[]): EscalationDocument => ({ working_hours: [], nodes });

const words = (looks: readonly Look[]): string[] =>
  looks.flatMap(({ minute, events }) =>
    events.map((event) => {
      const place = event.team
        ? `${event.nodeId} > ${event.team.nodeId}:${event.team.run}`
        : `${event.nodeId}:${event.run}`;
      const what =
        event.kind === 'level_notified'
          ? event.membershipIds.join('+')
          : event.kind === 'level_skipped'
            ? event.reason
            : '';
      return [minute, event.kind, place, what].join(' ').trim();
    }),
  );

/** People named in `minutes` may decide until their minute, all others always. */
function leaving(
  minutes: Readonly<Record<string, number>>,
  everyone: readonly string[],
): Pick<Scene, 'deciders' | 'changes'> {
  return {
    deciders: (minute) => everyone.filter((id) => minute < (minutes[id] ?? Infinity)),
    changes: Object.values(minutes),
  };
}
const none = { policies: {}, teams: {} };

describe('a level whose people may no longer decide', () => {
  test('ends at once with a reason, and the next level is notified and waits its own time', () => {
    const scene = {
      ...none,
      document: path(level('a', [user('ada')], 60), level('b', [user('bob')])),
      ...leaving({ ada: 7 }, ['ada', 'bob']),
    };
    expect(words(course(scene))).toEqual([
      '0 level_notified a:1 ada',
      '7 level_skipped a:1 nobody_left',
      '7 level_notified b:1 bob',
      '17 path_exhausted b:1',
    ]);
  });

  test('keeps waiting for the last of them', () => {
    const document = path(level('a', [user('ada'), user('bob')], 60), level('b', [user('eve')]));
    const scene = { ...none, document, ...leaving({ ada: 7, bob: 30 }, ['ada', 'bob', 'eve']) };
    expect(words(course(scene)).slice(1, 3)).toEqual([
      '30 level_skipped a:1 nobody_left',
      '30 level_notified b:1 eve',
    ]);
  });

  test('does not shorten the wait before a further run', () => {
    const document: EscalationDocument = {
      ...path(level('a', [user('ada')], 60)),
      repeat: { times: 1, after: '2h' },
    };
    expect(words(course({ ...none, document, ...leaving({ ada: 7 }, ['ada']) }))).toEqual([
      '0 level_notified a:1 ada',
      '7 level_skipped a:1 nobody_left',
      '127 path_repeated a:2',
      '127 level_skipped a:2 nobody_to_ask',
      '127 path_exhausted a:2',
    ]);
  });

  test('runs its full wait when the walk is not looked at before', () => {
    const document = path(level('a', [user('ada')], 60), level('b', [user('bob')]));
    const scene = { ...none, document, ...leaving({ ada: 7 }, ['ada', 'bob']), changes: [] };
    expect(words(course(scene)).slice(0, 2)).toEqual([
      '0 level_notified a:1 ada',
      '60 level_notified b:1 bob',
    ]);
  });

  test('in a team moves on inside its policy first, and the path moves on when none of its people are left', () => {
    const scene = {
      document: path(level('a', [team('t')], 600), level('b', [user('bob')])),
      policies: { t: path(level('one', [user('ada')], 60), level('two', [user('eve')], 60)) },
      teams: { t: ['ada', 'eve'] },
      ...leaving({ ada: 7, eve: 20 }, ['ada', 'eve', 'bob']),
    };
    expect(words(course(scene))).toEqual([
      '0 level_notified a:1',
      '0 level_notified a > one:1 ada',
      '7 level_skipped a > one:1 nobody_left',
      '7 level_notified a > two:1 eve',
      '20 level_skipped a > two:1 nobody_left',
      '20 path_exhausted a > two:1',
      '20 level_skipped a:1 nobody_left',
      '20 level_notified b:1 bob',
      '30 path_exhausted b:1',
    ]);
  });

  test('in a team keeps waiting for people notified earlier, and for a run its policy still has to make', () => {
    const base = {
      document: path(level('a', [team('t')], 600), level('b', [user('bob')])),
      teams: { t: ['ada', 'eve'] },
    };
    const levels = path(level('one', [user('ada')], 10), level('two', [user('eve')], 60));
    const stays = words(
      course({ ...base, policies: { t: levels }, ...leaving({ eve: 20 }, ['ada', 'eve', 'bob']) }),
    );
    expect(stays.slice(-4)).toEqual([
      '20 level_skipped a > two:1 nobody_left',
      '20 path_exhausted a > two:1',
      '600 level_notified b:1 bob',
      '610 path_exhausted b:1',
    ]);
    const again: EscalationDocument = { ...levels, repeat: { times: 1, after: '2h' } };
    const repeats = words(
      course({
        ...base,
        policies: { t: again },
        ...leaving({ ada: 20, eve: 20 }, ['ada', 'eve', 'bob']),
      }),
    );
    expect(repeats.slice(3, 6)).toEqual([
      '20 level_skipped a > two:1 nobody_left',
      '140 path_repeated a > one:2',
      '140 level_skipped a > one:2 nobody_to_ask',
    ]);
    expect(repeats.slice(-4, -1)).toEqual([
      '140 path_exhausted a > two:2',
      '140 level_skipped a:1 nobody_left',
      '140 level_notified b:1 bob',
    ]);
  });
});

const PEOPLE = ['ada', 'ben', 'cleo', 'dan', 'eve'] as const;
const person = fc.constantFrom(...PEOPLE).map(user);
const wait = fc.constantFrom(3, 10, 10, 45, 600);
function documentOf(
  target: fc.Arbitrary<Target>,
  prefix: string,
): fc.Arbitrary<EscalationDocument> {
  const targets = fc.uniqueArray(target, {
    minLength: 1,
    maxLength: 3,
    selector: (each) => JSON.stringify(each),
  });
  const repeat = fc.option(
    fc.record({ times: fc.integer({ min: 1, max: 2 }), after: wait.map((each) => `${each}m`) }),
    { nil: undefined },
  );
  return fc
    .tuple(fc.array(fc.tuple(targets, wait), { minLength: 1, maxLength: 4 }), repeat)
    .map(([levels, again]) => ({
      ...path(...levels.map(([each, minutes], index) => level(`${prefix}${index}`, each, minutes))),
      ...(again && { repeat: again }),
    }));
}
/** Random documents, with people who gain and lose rights at random minutes. */
const scenes: fc.Arbitrary<Scene> = fc
  .record({
    document: documentOf(
      fc.oneof(
        person,
        fc.constantFrom('one', 'two', 'plain').map(team),
        fc.constant<Target>({ type: 'broadcast' }),
      ),
      'n',
    ),
    one: documentOf(person, 'p'),
    two: documentOf(fc.oneof(person, fc.constant<Target>({ type: 'broadcast' })), 'q'),
    there: fc.array(fc.subarray([...PEOPLE]), { minLength: 1, maxLength: 8 }),
    changes: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }),
  })
  .map(({ document, one, two, there, changes }) => ({
    document,
    policies: { one, two },
    teams: { one: ['ada', 'ben', 'cleo'], two: ['cleo', 'dan'], plain: ['ben', 'eve'] },
    deciders: (minute) =>
      there[changes.filter((each) => each <= minute).length % there.length] ?? [],
    changes,
  }));

const isWaiting = ({ phase }: { phase: string }): boolean => phase === 'level';
const stillThere = (scene: Scene, { notified, minute }: Look, step: StepPlace): boolean =>
  notifiedAt(notified, step).some((id) => scene.deciders(minute).includes(id));
const runs = { numRuns: 150 };

describe('with people gaining and losing rights during the walk', () => {
  test('no level ends early while someone it notified may decide', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const wrong = course(scene).flatMap((each) =>
          each.events.filter(
            (event) =>
              event.kind === 'level_skipped' &&
              event.reason === 'nobody_left' &&
              stillThere(scene, each, event),
          ),
        );
        expect(wrong).toEqual([]);
      }),
      runs,
    );
  });

  test('no level keeps waiting after a look at which none of its notified people may decide', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const waits = course(scene).flatMap((each) => {
          const { place, teams } = each.state;
          if (place.phase !== 'level') return [];
          const where = { nodeId: place.nodeId, run: place.run };
          const inside = teams.flatMap(({ teamId, place: { phase, nodeId = '', run } }) =>
            isWaiting({ phase }) ? [{ ...where, team: { teamId, nodeId, run } }] : [],
          );
          const steps: StepPlace[] = teams.every((one) => one.place.phase === 'exhausted')
            ? [where]
            : inside;
          return steps.filter((step) => !stillThere(scene, each, step));
        });
        expect(waits).toEqual([]);
      }),
      runs,
    );
  });

  test('the walk ends, notifies no step twice, and gives each skip the right reason', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const looks = course(scene);
        const events = looks.flatMap((each) => each.events);
        expect(looks.at(-1)?.state.place).toMatchObject({
          phase: 'exhausted',
          run: totalRuns(scene.document),
        });
        for (const kind of ['level_notified', 'level_skipped'] as const) {
          const keys = events.filter((event) => event.kind === kind).map(stepKey);
          expect(new Set(keys).size).toBe(keys.length);
        }
        const notified = looks.at(-1)?.notified ?? new Map<string, readonly string[]>();
        for (const event of events) {
          if (event.kind === 'level_skipped')
            expect(notifiedAt(notified, event).length > 0).toBe(event.reason === 'nobody_left');
        }
      }),
      runs,
    );
  });

  test('storing and reading the state at every call changes nothing, and a second look finds nothing to do', () => {
    const stored: Keep = (state) => walkFromJson(JSON.parse(JSON.stringify(walkToJson(state))));
    fc.assert(
      fc.property(scenes, (scene) => {
        const looks = course(scene);
        expect(words(course(scene, stored))).toEqual(words(looks));
        for (const each of looks) {
          const again = look(scene, each, { minute: each.minute, keep: stored });
          expect({ events: again.events, state: again.state }).toEqual({
            events: [],
            state: each.state,
          });
        }
      }),
      runs,
    );
  });

  test('looking at changes of rights alters nothing while all notified people keep theirs', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const stable = { ...scene, deciders: () => PEOPLE };
        expect(words(course(stable))).toEqual(words(course({ ...stable, changes: [] })));
        expect(words(course(stable)).filter((each) => each.endsWith('nobody_left'))).toEqual([]);
      }),
      runs,
    );
  });
});
