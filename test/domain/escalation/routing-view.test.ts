/** What a reviewer sees of a walk. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { routingView as routing } from '../../../src/domain/escalation/routing-view.ts';
import type {
  RecordedStep,
  RoutingInput,
  RoutingView,
} from '../../../src/domain/escalation/routing-view.ts';
import type { EscalationPathDocument, LevelNode } from '../../../src/domain/escalation/types.ts';
import {
  arrive,
  enterLevel,
  startWalk,
  type WalkInput,
} from '../../../src/domain/escalation/walk.ts';
import type { Place, WalkState } from '../../../src/domain/escalation/walk-state.ts';

const start = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const level = (id: string): LevelNode => ({
  id,
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '10m',
  raise_urgency: false,
});
const path: EscalationPathDocument = {
  name: 'Path',
  working_hours: [],
  nodes: [level('a'), level('b'), level('c')],
  repeat: { times: 1, after: '1h' },
};
const notified = (nodeId: string, run: number, minutes: number): RecordedStep => ({
  kind: 'notified',
  nodeId,
  run,
  at: at(minutes),
  escalateAt: at(minutes + 10),
});
const skipped = (nodeId: string, run: number, minutes: number): RecordedStep => ({
  kind: 'skipped',
  nodeId,
  run,
  at: at(minutes),
});
const being = (place: Place): WalkState => ({
  place,
  teams: [],
  notified: place.phase === 'level',
});
const walkInput: WalkInput = {
  document: path,
  policy: () => {
    throw new Error('no team is asked');
  },
  urgency: 'standard',
  matches: () => false,
};

interface Looked extends Pick<RoutingInput, 'request' | 'steps'> {
  readonly route?: { readonly walk: WalkState };
  readonly claimed?: boolean;
  readonly document?: EscalationPathDocument;
}

const viewOf = ({ route, claimed = false, document = path, ...given }: Looked): RoutingView =>
  routing({
    ...given,
    claimed,
    now: start,
    ...(route && { route: { ...route, input: { ...walkInput, document }, policies: new Map() } }),
  });

const statuses = (view: RoutingView) =>
  view.levels.map((each) => `${each.nodeId}${each.run} ${each.status}`);

describe('the routing of a request', () => {
  test('is evaluating, without levels, while the pipeline decides', () => {
    expect(viewOf({ request: 'evaluating', steps: [] })).toEqual({
      state: 'evaluating',
      levels: [],
    });
  });

  test('without a path is unrouted, and finished once the request is decided', () => {
    expect(viewOf({ request: 'pending', steps: [] })).toEqual({
      state: 'unrouted',
      levels: [],
    });
    expect(viewOf({ request: 'terminal', steps: [] })).toEqual({
      state: 'finished',
      levels: [],
    });
  });

  test('lists every level as upcoming before the first step', () => {
    const view = viewOf({ request: 'pending', route: { walk: startWalk(path) }, steps: [] });
    expect(view).toMatchObject({
      state: 'waiting',
      run: 1,
      runs: 2,
      nextStep: { kind: 'level', nodeId: 'a' },
    });
    expect(statuses(view)).toEqual(['a1 upcoming', 'b1 upcoming', 'c1 upcoming']);
  });

  test('at a level says which levels are done, when they were notified, and what comes next when', () => {
    const walk = being({ phase: 'level', run: 1, nodeId: 'b', since: at(10), nextAt: at(20) });
    const targets = [{ type: 'broadcast' }];
    expect(
      viewOf({
        request: 'pending',
        route: { walk },
        steps: [notified('a', 1, 0), notified('b', 1, 10)],
      }),
    ).toEqual({
      state: 'waiting',
      run: 1,
      runs: 2,
      nextStep: { kind: 'level', nodeId: 'c', at: at(20) },
      levels: [
        { nodeId: 'a', run: 1, status: 'done', notifiedAt: at(0), escalateAt: at(10), targets },
        { nodeId: 'b', run: 1, status: 'current', notifiedAt: at(10), escalateAt: at(20), targets },
        { nodeId: 'c', run: 1, status: 'upcoming', plannedAt: at(20), targets },
      ],
    });
  });

  test('in a later run keeps the levels of earlier runs, including skipped ones', () => {
    const walk = being({ phase: 'level', run: 2, nodeId: 'a', since: at(80), nextAt: at(90) });
    const steps = [
      notified('a', 1, 0),
      skipped('b', 1, 10),
      notified('c', 1, 10),
      notified('a', 2, 80),
    ];
    expect(statuses(viewOf({ request: 'pending', route: { walk }, steps }))).toEqual([
      'a1 done',
      'b1 skipped',
      'c1 done',
      'a2 current',
      'b2 upcoming',
      'c2 upcoming',
    ]);
  });

  test('keeps the order of the walk, in whatever order steps of one instant are read', () => {
    const walk = being({ phase: 'level', run: 2, nodeId: 'c', since: at(80), nextAt: at(90) });
    const steps = [
      notified('c', 2, 80),
      skipped('b', 2, 80),
      skipped('a', 2, 80),
      notified('b', 1, 0),
      skipped('a', 1, 0),
    ];
    expect(statuses(viewOf({ request: 'pending', route: { walk }, steps }))).toEqual([
      'a1 skipped',
      'b1 done',
      'a2 skipped',
      'b2 skipped',
      'c2 current',
    ]);
  });

  test('leaves out levels of earlier runs that the walk never reached', () => {
    const walk = being({ phase: 'level', run: 2, nodeId: 'a', since: at(80), nextAt: at(90) });
    const steps = [notified('a', 1, 0), notified('a', 2, 80)];
    expect(statuses(viewOf({ request: 'pending', route: { walk }, steps }))).toEqual([
      'a1 done',
      'a2 current',
      'b2 upcoming',
      'c2 upcoming',
    ]);
  });

  test('between two runs has no upcoming level and names the repeat', () => {
    const walk = being({ phase: 'repeat', run: 1, since: at(30), nextAt: at(90) });
    const steps = [notified('a', 1, 0), notified('b', 1, 10), notified('c', 1, 20)];
    const view = viewOf({ request: 'pending', route: { walk }, steps });
    expect(view).toMatchObject({
      state: 'waiting',
      nextStep: { kind: 'repeat', at: at(90) },
    });
    expect(statuses(view)).toEqual(['a1 done', 'b1 done', 'c1 done']);
  });

  test('at the last level names what follows: the repeat after its pause, or in the last run the end', () => {
    const walk = (run: number) =>
      being({ phase: 'level', run, nodeId: 'c', since: at(20), nextAt: at(30) });
    const view = (run: number) =>
      viewOf({ request: 'pending', route: { walk: walk(run) }, steps: [] });
    expect(view(1)).toMatchObject({ nextStep: { kind: 'repeat', at: at(90) } });
    expect(view(2)).toMatchObject({ nextStep: { kind: 'exhausted', at: at(30) } });
  });

  describe('before a wait for working hours', () => {
    // Sunday noon; the office opens on Monday at nine.
    const opens = new Date('2026-03-02T09:00:00.000Z');
    const document: EscalationPathDocument = {
      name: 'Path',
      working_hours: [
        {
          id: 'office',
          name: 'Office',
          timezone: 'UTC',
          intervals: [{ weekdays: ['mon'], start: '09:00', end: '17:00' }],
        },
      ],
      nodes: [
        level('a'),
        { id: 'wait', type: 'defer', working_hours_id: 'office', standard_only: false },
        level('b'),
      ],
    };
    const first = being({ phase: 'level', run: 1, nodeId: 'a', since: start, nextAt: at(10) });

    test('says that the next level is notified when the hours open', () => {
      const view = viewOf({
        request: 'pending',
        route: { walk: first },
        steps: [notified('a', 1, 0)],
        document,
      });
      expect(view).toMatchObject({
        state: 'waiting',
        nextStep: { kind: 'level', nodeId: 'b', at: opens },
      });
    });

    test('during that wait says the same', () => {
      const walk = being({ phase: 'defer', run: 1, nodeId: 'wait', since: at(10), nextAt: opens });
      const view = viewOf({
        request: 'pending',
        route: { walk },
        steps: [notified('a', 1, 0)],
        document,
      });
      expect(view).toMatchObject({
        state: 'deferred',
        nextStep: { kind: 'level', nodeId: 'b', at: opens },
      });
    });

    test('during a claim names the next step without an instant', () => {
      const view = viewOf({
        request: 'pending',
        route: { walk: first },
        steps: [notified('a', 1, 0)],
        document,
        claimed: true,
      });
      expect(view).toMatchObject({ state: 'paused', nextStep: { kind: 'level', nodeId: 'b' } });
      expect(view.nextStep).not.toHaveProperty('at');
    });
  });

  test('is exhausted after the last run, without a next step', () => {
    const walk = being({ phase: 'exhausted', run: 2, since: at(120) });
    const view = viewOf({
      request: 'pending',
      route: { walk },
      steps: [notified('c', 2, 110)],
    });
    expect(view).toEqual({
      state: 'exhausted',
      run: 2,
      runs: 2,
      levels: [expect.objectContaining({ nodeId: 'c', status: 'done' })],
    });
  });

  test('of a finished request lists only the levels reached, none of them current', () => {
    const walk = being({ phase: 'level', run: 1, nodeId: 'b', since: at(10), nextAt: at(20) });
    const view = viewOf({
      request: 'terminal',
      route: { walk },
      steps: [notified('a', 1, 0), notified('b', 1, 10)],
    });
    expect(statuses(view)).toEqual(['a1 done', 'b1 done']);
    expect(view).toEqual({ state: 'finished', run: 1, runs: 2, levels: view.levels });
  });

  test('has on every walk at most one current level, which waits until the walk goes on', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (there) => {
        let walk = startWalk(path);
        let now = start;
        const steps: RecordedStep[] = [];
        for (let call = 0; walk.place.phase !== 'exhausted'; call += 1) {
          const membershipIds = (there[call] ?? true) ? ['ada'] : [];
          const step = enterLevel(walkInput, arrive(walkInput, walk, now), {
            now,
            asked: { membershipIds, teams: [] },
          });
          walk = step.state;
          for (const event of step.events) {
            if (event.kind === 'level_notified') steps.push({ ...event, kind: 'notified' });
            if (event.kind === 'level_skipped') steps.push({ ...event, kind: 'skipped' });
          }
          const view = viewOf({ request: 'pending', route: { walk }, steps });
          const current = view.levels.filter((each) => each.status === 'current');
          expect(current).toHaveLength(walk.place.phase === 'level' ? 1 : 0);
          expect(current.map((each) => each.escalateAt)).toEqual(
            walk.place.phase === 'level' ? [step.nextAt] : [],
          );
          expect(
            view.levels.filter((each) => each.status === 'done' || each.status === 'skipped'),
          ).toHaveLength(steps.length - current.length);
          if (step.nextAt && step.nextAt > now) now = step.nextAt;
        }
        expect(steps).toHaveLength(6);
      }),
    );
  });
});
