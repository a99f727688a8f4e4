/** Guarantees of every walk: any path, any people, and steps that come late. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EscalationDocument } from '../../../src/domain/escalation/types.ts';
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
import { slowWalk } from './slow-walk.ts';
import { HOUR, START, type Scene, scene } from './walk-arbitraries.ts';

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
