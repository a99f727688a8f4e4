/** Guarantees of every walk: any path, any people, and steps that come late. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  EscalationDocument,
  EscalationNode,
  PathCondition,
  Target,
  WorkingHoursSet,
} from '../../../src/domain/escalation/types.ts';
import { allNodes } from '../../../src/domain/escalation/types.ts';
import { recipients } from '../../../src/domain/escalation/recipients.ts';
import { stepKey } from '../../../src/domain/escalation/step-keys.ts';
import {
  arrive,
  enterLevel,
  startWalk,
  totalRuns,
  type WalkEvent,
  type WalkInput,
} from '../../../src/domain/escalation/walk.ts';
import {
  dueAt,
  walkFromJson,
  walkToJson,
  type WalkState,
} from '../../../src/domain/escalation/walk-state.ts';
import { slowWalk, type World } from './slow-walk.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Thursday. */
const START = Date.UTC(2026, 2, 26, 15, 20);

const set = (
  id: string,
  timezone: string,
  ...intervals: WorkingHoursSet['intervals'][number][]
): WorkingHoursSet => ({
  id,
  name: id,
  timezone,
  intervals,
});
const sets = [
  set('berlin', 'Europe/Berlin', {
    weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'],
    start: '09:00',
    end: '17:30',
  }),
  set('night', 'Asia/Kathmandu', { weekdays: ['tue', 'sat', 'sun'], start: '21:15', end: '04:45' }),
  set('brief', 'America/New_York', {
    weekdays: ['mon', 'wed', 'fri'],
    start: '10:00',
    end: '10:20',
  }),
];

const wait = fc.constantFrom('1m', '7m', '20m', '20m', '3h', '30h');
const setId = fc.constantFrom(...sets.map(({ id }) => id));
const condition: fc.Arbitrary<PathCondition> = fc.oneof(
  fc.record({ type: fc.constant('working_hours'), working_hours_id: setId, active: fc.boolean() }),
  fc.record({ type: fc.constant('urgency'), urgency: fc.constantFrom('standard', 'interrupt') }),
  fc.record({
    type: fc.constant('request'),
    when: fc
      .constantFrom('yes', 'no', 'costly')
      .map((id) => ({ id, field: '/request/tool', operator: 'exists' as const })),
  }),
);

const PEOPLE = ['ada', 'ben', 'cleo', 'dan', 'eve'] as const;
const TEAMS = ['ordered', 'other', 'plain', 'empty', 'gone'] as const;
const user = fc.constantFrom(...PEOPLE).map((id): Target => ({ type: 'user', id }));
const team = fc.constantFrom(...TEAMS).map((id): Target => ({ type: 'team', id }));
const broadcast = fc.constant<Target>({ type: 'broadcast' });

function nodesOf(
  target: fc.Arbitrary<Target>,
  most: number,
): fc.Arbitrary<readonly EscalationNode[]> {
  const level = fc.record({
    id: fc.constant(''),
    type: fc.constant('level'),
    targets: fc.uniqueArray(target, {
      minLength: 1,
      maxLength: 3,
      selector: (each) => JSON.stringify(each),
    }),
    escalate_after: wait,
    raise_urgency: fc.boolean(),
  });
  const defer = fc.record({
    id: fc.constant(''),
    type: fc.constant('defer'),
    working_hours_id: setId,
    standard_only: fc.boolean(),
  });
  const { nodes } = fc.letrec<{ nodes: readonly EscalationNode[]; node: EscalationNode }>(
    (tie) => ({
      nodes: fc.array(tie('node'), { maxLength: most, depthIdentifier: 'nodes' }),
      node: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'nodes' },
        // By type, so that the compiler asks for a new type of node.
        ...Object.values({
          level: { weight: 4, arbitrary: level },
          defer: { weight: 2, arbitrary: defer },
          if_else: {
            weight: 2,
            arbitrary: fc.record({
              id: fc.constant(''),
              type: fc.constant('if_else'),
              conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
              then: tie('nodes'),
              else: tie('nodes'),
            }),
          },
        } satisfies Record<EscalationNode['type'], unknown>),
      ) as fc.Arbitrary<EscalationNode>,
    }),
  );
  return nodes;
}

/** Ids in the order of the document. */
function numbered(
  nodes: readonly EscalationNode[],
  prefix: string,
  next = { number: 0 },
): EscalationNode[] {
  return nodes.map((node) => {
    const id = `${prefix}${next.number++}`;
    return node.type === 'if_else'
      ? {
          ...node,
          id,
          then: numbered(node.then, prefix, next),
          else: numbered(node.else, prefix, next),
        }
      : { ...node, id };
  });
}

function documentOf(
  nodes: fc.Arbitrary<readonly EscalationNode[]>,
  prefix: string,
): fc.Arbitrary<EscalationDocument> {
  const repeat = fc.option(fc.record({ times: fc.integer({ min: 1, max: 3 }), after: wait }), {
    nil: undefined,
  });
  return fc.tuple(nodes, repeat).map(([each, again]) => ({
    working_hours: sets,
    nodes: numbered(each, prefix),
    ...(again && { repeat: again }),
  }));
}

const path = documentOf(nodesOf(fc.oneof(user, team, team, broadcast), 4), 'n');
const policy = documentOf(nodesOf(fc.oneof(user, broadcast), 3), 'p');

interface Scene {
  readonly document: EscalationDocument;
  readonly world: World;
  /** How late each look at the walk comes. */
  readonly delays: readonly number[];
}

const delay = fc.oneof(
  fc.constant(0),
  fc.constant(0),
  fc.integer({ min: 1, max: 5_000 }),
  fc.integer({ min: 1, max: 40 * HOUR }),
);
const scene: fc.Arbitrary<Scene> = fc
  .record({
    document: path,
    ordered: policy,
    other: policy,
    present: fc.array(fc.subarray([...PEOPLE]), { minLength: 1, maxLength: 6 }),
    everyone: fc.boolean(),
    delays: fc.array(delay, { minLength: 1, maxLength: 8 }),
  })
  .map(({ document, ordered, other, present, everyone, delays }) => ({
    document,
    delays,
    world: {
      policies: { 'ordered-1': ordered, 'other-3': other },
      teams: {
        ordered: { members: ['ada', 'ben', 'cleo'], policy: 'ordered-1' },
        other: { members: ['dan', 'cleo'], policy: 'other-3' },
        plain: { members: ['ben', 'eve'] },
        empty: { members: [], policy: 'ordered-1' },
      },
      // People come and go by the hour.
      deciders: (now) =>
        everyone ? PEOPLE : (present[Math.floor(now / HOUR) % present.length] ?? []),
      holds: ({ id }) => (id === 'costly' ? 'condition_too_costly' : id === 'yes'),
    },
  }));

function inputOf({ document, world }: Scene): WalkInput {
  return {
    document,
    policy: (revisionId) => {
      const found = world.policies[revisionId];
      if (!found) throw new Error(`no policy ${revisionId}`);
      return found;
    },
    urgency: 'standard',
    matches: world.holds,
  };
}

interface Look {
  readonly now: number;
  readonly events: readonly WalkEvent[];
  readonly state: WalkState;
  readonly urgency: WalkInput['urgency'];
  /** How many calls of the walk it took. */
  readonly calls: number;
}

const stored = (state: WalkState): WalkState =>
  walkFromJson(JSON.parse(JSON.stringify(walkToJson(state))));

/** Does everything due at `now`, as the service does. `keep` maps the state between two calls. */
function look(
  scene: Scene,
  from: Pick<Look, 'state' | 'urgency'>,
  now: number,
  keep = (state: WalkState) => state,
): Look {
  const { world } = scene;
  const at = new Date(now);
  const input = inputOf(scene);
  let { state, urgency } = from;
  const events: WalkEvent[] = [];
  for (let calls = 1; calls < 2_000; calls += 1) {
    const arrival = arrive({ ...input, urgency }, keep(state), at);
    const teams = new Map(
      Object.entries(world.teams).map(([id, { members, policy: policyRevisionId }]) => [
        id,
        {
          members: members.map((membershipId) => ({ membershipId, displayName: '' })),
          ...(policyRevisionId && { policyRevisionId }),
        },
      ]),
    );
    const asked = arrival.entry
      ? recipients(arrival.entry, { deciders: world.deciders(now), teams })
      : { membershipIds: [], teams: [] };
    const step = enterLevel({ ...input, urgency }, arrival, { now: at, asked });
    ({ state, urgency } = step);
    events.push(...step.events);
    const due = dueAt(state)?.getTime();
    if (due !== step.nextAt?.getTime())
      throw new Error('the step names another instant than its state');
    if (due === undefined || due > now) return { now, events, state, urgency, calls };
  }
  throw new Error('the walk never waits');
}

/** Every look from the start to the end. */
function course(scene: Scene, keep?: (state: WalkState) => WalkState): Look[] {
  const looks: Look[] = [];
  let from: Pick<Look, 'state' | 'urgency'> = {
    state: startWalk(scene.document),
    urgency: 'standard',
  };
  let now = START;
  for (let n = 0; n < 5_000; n += 1) {
    const next = look(scene, from, now, keep);
    looks.push(next);
    const due = dueAt(next.state);
    if (!due) return looks;
    now = due.getTime() + (scene.delays[n % scene.delays.length] ?? 0);
    from = next;
  }
  throw new Error('the walk does not end');
}

function describeEvent(event: WalkEvent): string {
  const { at, nodeId, run, team } = event;
  const place = team
    ? `${nodeId}:${run} > ${team.teamId}:${team.nodeId}:${team.run}`
    : `${nodeId}:${run}`;
  const what = (): string => {
    switch (event.kind) {
      case 'level_notified':
        return `notified ${event.membershipIds.join()} ${event.escalateAt.getTime()}`;
      case 'level_skipped':
        return 'skipped';
      case 'urgency_raised':
        return 'urgent';
      case 'deferred':
        return `deferred ${event.until.getTime()}`;
      case 'condition_failed':
        return `failed ${event.code}`;
      case 'branch_taken':
        return `took ${event.branch}`;
      case 'path_repeated':
        return 'repeated';
      case 'path_exhausted':
        return 'exhausted';
    }
  };
  return `${at.getTime()} ${place} ${what()}`;
}

const eventsOf = (looks: readonly Look[]): WalkEvent[] =>
  looks.flatMap(({ events }) => [...events]);
const isLevel = ({ kind }: WalkEvent): boolean =>
  kind === 'level_notified' || kind === 'level_skipped';
const reaches = (event: WalkEvent): boolean =>
  event.kind === 'level_notified' && event.membershipIds.length > 0;
const text = (value: unknown): string => JSON.stringify(value);
const runs = { numRuns: 100 };

describe('on every path, with any teams, hours, conditions and people, and with late steps', () => {
  test('the walk does the same as a plain program that runs the path', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const slow = slowWalk(each.document, each.world);
        for (const { now, events, state } of course(each)) {
          const { said, next } = slow.step(now);
          expect({ said: events.map(describeEvent), next: dueAt(state)?.getTime() }).toEqual({
            said,
            next,
          });
        }
      }),
      runs,
    );
  });

  test('storing and reading the state at every call changes nothing', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const said = (looks: readonly Look[]) =>
          text(looks.map((one) => ({ ...one, state: walkToJson(one.state) })));
        expect(said(course(each, stored))).toBe(said(course(each)));
      }),
      runs,
    );
  });

  test('a look before its time changes nothing', () => {
    fc.assert(
      fc.property(scene, fc.double({ min: 0, max: 0.999, noNaN: true }), (each, part) => {
        const early = course(each).flatMap((before) => {
          const due = dueAt(before.state)?.getTime() ?? before.now + HOUR;
          const now = before.now + Math.floor(part * (due - before.now));
          const { events, state, urgency } = look(each, before, now);
          return events.length > 0 ||
            text(state) !== text(before.state) ||
            urgency !== before.urgency
            ? [{ before, now, state }]
            : [];
        });
        expect(early).toEqual([]);
      }),
      runs,
    );
  });

  test('the walk ends in a bounded number of calls and stays at its end', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const { document, world } = each;
        const looks = course(each);
        const nodes = (of: EscalationDocument): number =>
          (allNodes(of.nodes).length + 2) * totalRuns(of);
        const inside = Object.values(world.policies).reduce((sum, one) => sum + nodes(one), 0);
        const bound = nodes(document) * (2 + inside);
        expect(looks.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(2 * bound);
        const last = looks.at(-1);
        if (!last) throw new Error('the course has no look');
        expect(last.state.place).toMatchObject({ phase: 'exhausted', run: totalRuns(document) });
        const later = look(each, last, last.now + 1_000 * HOUR);
        expect({ events: later.events, state: later.state }).toEqual({
          events: [],
          state: last.state,
        });
        const ends = eventsOf(looks).filter(
          ({ kind, team: inTeam }) => kind === 'path_exhausted' && !inTeam,
        );
        expect(ends).toEqual(eventsOf(looks).slice(-1));
      }),
      runs,
    );
  });

  test('no step notifies or is skipped twice, and no step that notified someone is skipped', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const events = eventsOf(course(each));
        const notified = events.filter(({ kind }) => kind === 'level_notified').map(stepKey);
        expect(new Set(notified).size).toBe(notified.length);
        const reached = new Set(events.filter(reaches).map(stepKey));
        const skipped = events.filter(({ kind }) => kind === 'level_skipped').map(stepKey);
        expect(new Set(skipped).size).toBe(skipped.length);
        expect(skipped.filter((key) => reached.has(key))).toEqual([]);
      }),
      runs,
    );
  });

  test('events come in order of time, and those of one look have one instant', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const looks = course(each);
        const late = looks.filter(({ now, events }) =>
          events.some(({ at }) => at.getTime() !== now),
        );
        expect(late).toEqual([]);
        const instants = looks.map(({ now }) => now);
        expect(instants).toEqual([...instants].sort((a, b) => a - b));
      }),
      runs,
    );
  });

  test('no look notifies two levels of one walk, so an outage causes no burst', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const bursts = course(each).filter(({ events }) => {
          const walks = events.flatMap((event) =>
            reaches(event) ? [event.team?.teamId ?? 'path'] : [],
          );
          return new Set(walks).size !== walks.length;
        });
        expect(bursts).toEqual([]);
      }),
      runs,
    );
  });

  test('urgency rises at most once, right before the level that raises it, and never falls', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const looks = course(each);
        const events = eventsOf(looks);
        const raised = events.flatMap((event, index) =>
          event.kind === 'urgency_raised' ? [index] : [],
        );
        expect(raised.length).toBeLessThanOrEqual(1);
        for (const index of raised)
          expect(events[index + 1]).toMatchObject({
            kind: expect.stringMatching(/^level_/),
            nodeId: events[index]?.nodeId,
          });
        const urgencies = looks.map(({ urgency }) => urgency);
        expect(urgencies).toEqual([...urgencies].sort().reverse());
      }),
      runs,
    );
  });

  test('all notified people may decide at that moment', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const strangers = eventsOf(course(each)).filter(
          (event) =>
            event.kind === 'level_notified' &&
            event.membershipIds.some((id) => !each.world.deciders(event.at.getTime()).includes(id)),
        );
        expect(strangers).toEqual([]);
      }),
      runs,
    );
  });

  test('every run of a path without branches enters all levels in order', () => {
    fc.assert(
      fc.property(
        scene.filter(({ document }) => document.nodes.every(({ type }) => type !== 'if_else')),
        (each) => {
          const entered = eventsOf(course(each)).filter((event) => isLevel(event) && !event.team);
          const levels = each.document.nodes.filter(({ type }) => type === 'level');
          const all = Array.from({ length: totalRuns(each.document) }, (_, run) =>
            levels.map(({ id }) => `${id}:${run + 1}`),
          ).flat();
          expect([...new Set(entered.map(stepKey))]).toEqual(all);
        },
      ),
      runs,
    );
  });
});
