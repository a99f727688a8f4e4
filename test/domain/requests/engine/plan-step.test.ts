/** Steps as tables: what each does at an instant, and what it leaves. Without a database. */
import { describe, expect, test } from '@jest/globals';
import { level, path as levels, user } from '../../escalation/walk-scene.ts';
import {
  approving,
  at,
  decider,
  documentsOf,
  human,
  minutesOf,
  pathOf,
  plan,
  step,
  viewOf,
  world,
} from './engine-scene.ts';
import { isEmpty, isShown } from '../../../../src/domain/requests/engine/effects.ts';
import { planStep } from '../../../../src/domain/requests/engine/step.ts';

const onCall = pathOf(
  levels([level('one', '10m', [user('ada')]), level('two', '10m', [user('ben')])]),
);
const ada = decider('ada');
const ben = decider('ben');
const both = [ada, ben];
/** By Ada, for 20 minutes. */
const claim = {
  id: 'claim',
  membershipId: 'ada',
  displayName: 'ada',
  claimedAt: at(1),
  expiresAt: at(21),
  lapsed: false,
};
const asked = () => {
  const here = world({ path: onCall, deciders: both });
  step(here, at(0));
  return here;
};

describe('a step of a request that is evaluated', () => {
  test('needs the verdict first, and people only for one that goes to people', () => {
    const here = world({ path: onCall, deciders: both });
    const view = viewOf(here, at(0), { people: false });
    const act = {
      by: 'workflow',
      decisionId: 'd',
      documents: documentsOf(here, view),
      isExactCount: false,
    } as const;
    const lacking = (evaluated: typeof human | undefined) =>
      planStep(view, { ...act, evaluated }).step;
    expect(lacking(undefined)).toEqual({ kind: 'incomplete', lacks: 'verdict' });
    expect(lacking(human)).toEqual({ kind: 'incomplete', lacks: 'people' });
    expect(lacking(approving)).toEqual({ kind: 'done', status: 'approved', automatic: true });
  });

  test('records the verdict of the rules', () => {
    const here = world({ deciders: [] });
    step(here, at(1), { evaluated: approving });
    const { request, wakeAt, timeline } = here.stored;
    expect(request).toMatchObject({
      state: 'approved',
      decision: { channel: 'pipeline', note: 'Small.', decidedAt: at(1), expiresAt: at(6) },
    });
    expect(wakeAt).toBeUndefined();
    expect(timeline).toEqual(['created', 'approved']);
  });

  test('hands over to people, notifies the first level, and waits for the next', () => {
    const here = world({ path: onCall, deciders: both });
    const planned = step(here, at(1));
    expect(planned.step).toMatchObject({ kind: 'wait', until: at(11), path: 'on-call' });
    const { request, notified, timeline, wakeAt } = here.stored;
    expect(request).toMatchObject({
      state: 'pending',
      route: { source: 'pipeline_default', pathRevisionId: onCall.id, routedAt: at(1) },
      nextAt: at(11),
    });
    expect(notified).toEqual([{ stepKey: 'one:1', membershipId: 'ada', at: at(1) }]);
    expect(timeline).toEqual(['created', 'pipeline_concluded', 'routed', 'level_notified']);
    expect(wakeAt).toEqual(new Date(at(11).getTime() + 1_000));
  });

  test.each([
    ['create', 3_000],
    ['workflow', 601_000],
    ['reconciler', 601_000],
  ] as const)('lets the reconciler look in time: by %s', (by, ms) => {
    const here = world({ path: onCall, deciders: both });
    step(here, at(0), { by });
    expect(here.stored.wakeAt).toEqual(new Date(at(0).getTime() + ms));
  });

  test.each([
    ['far from the caps', { waiting: 743, agentWaiting: 121 }, false, 'wait'],
    ['near the cap of the organization', { waiting: 744, agentWaiting: 0 }, false, 'incomplete'],
    ['near the share of the agent', { waiting: 0, agentWaiting: 122 }, false, 'incomplete'],
    ['near, counted exactly', { waiting: 999, agentWaiting: 249 }, true, 'wait'],
    ['at the cap, counted exactly', { waiting: 1_000, agentWaiting: 0 }, true, 'done'],
    ['at the share, counted exactly', { waiting: 300, agentWaiting: 250 }, true, 'done'],
  ] as const)('counts who waits: %s', (_name, counted, isExactCount, kind) => {
    const here = world({ path: onCall, deciders: both });
    const pending = { limit: 1_000, agentLimit: 250, ...counted };
    expect(step(here, at(0), { isExactCount, pending }).step.kind).toBe(kind);
    expect(here.stored.isRemoved).toBe(kind === 'done');
    expect(here.stored.timeline.includes('refused')).toBe(kind === 'done');
  });

  test('expires at its deadline, whatever the verdict says', () => {
    const here = world({ path: onCall, deciders: both });
    expect(step(here, at(60), { evaluated: approving }).step).toMatchObject({ status: 'expired' });
    expect(here.stored.request.decision?.decidedAt).toEqual(at(60));
  });
});

describe('a step of a request that waits', () => {
  test('does nothing before the next level is due, and needs no people to see that', () => {
    const here = asked();
    const { version } = here.stored;
    const view = viewOf(here, at(5), { people: false });
    const documents = documentsOf(here, view);
    const act = {
      by: 'workflow',
      decisionId: 'd',
      evaluated: undefined,
      isExactCount: false,
    } as const;
    expect(planStep(view, { ...act, documents }).step).toMatchObject({
      kind: 'wait',
      until: at(10),
    });
    step(here, at(5));
    expect(here.stored.version).toBe(version);
  });

  test('counts a level’s wait from its notification, however late the step is', () => {
    const here = asked();
    step(here, at(25));
    expect(minutesOf(here.stored.request.nextAt)).toBe(35);
    expect(here.stored.timeline.at(-1)).toBe('level_notified');
  });

  test('waits for the end of a claim, and asks no one meanwhile', () => {
    const here = asked();
    here.stored.request = { ...here.stored.request, claim };
    expect(step(here, at(15)).step).toMatchObject({ kind: 'wait', until: at(21) });
    expect(here.stored.notified).toHaveLength(1);
    step(here, at(21));
    expect(here.stored.timeline.slice(-2)).toEqual(['claim_lapsed', 'level_notified']);
    expect(here.stored.request.claim).toBeUndefined();
  });

  test('shows nothing new when it only puts off the next look', () => {
    const here = asked();
    here.stored.request = { ...here.stored.request, claim };
    here.stored.wakeAt = at(3);
    const { effects } = plan(here, at(2));
    if (!effects) throw new Error('nothing is planned');
    expect([isEmpty(effects), isShown(effects)]).toEqual([false, false]);
    const next = plan(asked(), at(10)).effects;
    expect(next && isShown(next)).toBe(true);
  });

  test('ends the claim of someone who may no longer decide', () => {
    const here = asked();
    here.stored.request = { ...here.stored.request, claim };
    here.deciders = [ben];
    step(here, at(2));
    expect(here.stored.timeline.slice(-3)).toEqual([
      'claim_released',
      'level_skipped',
      'level_notified',
    ]);
    expect(here.stored.notified.at(-1)?.membershipId).toBe('ben');
  });

  test('tells the owners, once, that no one on the path may decide any more', () => {
    const here = asked();
    here.deciders = [decider('olga', { isOwner: true, decidesRoutedToOthers: true })];
    step(here, at(2));
    step(here, at(3));
    expect(here.stored.timeline.slice(-3)).toEqual([
      'level_skipped',
      'path_exhausted',
      'unreachable',
    ]);
    expect(here.stored.notified.at(-1)).toEqual({
      stepKey: 'unreachable',
      membershipId: 'olga',
      at: at(2),
    });
  });

  test('has nothing left to do once it is final', () => {
    const here = world({ deciders: [] });
    step(here, at(1), { evaluated: approving });
    here.stored.wakeAt = at(2);
    expect(step(here, at(3)).step).toEqual({ kind: 'done', status: 'approved', automatic: true });
    expect(here.stored.wakeAt).toBeUndefined();
    expect(plan(here, at(4)).effects).toMatchObject({ events: [], steps: [] });
  });
});
