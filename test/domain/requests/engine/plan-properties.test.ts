/**
 * Any acts in any order, by plans of views that may be old: what must be true of a request, whatever happens. Each plan is
 * committed only if nothing has changed since its view, as the database does it.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../../../../src/domain/errors.ts';
import { isTerminal } from '../../../../src/domain/requests/approval-requests.ts';
import { planClaim, planRelease } from '../../../../src/domain/requests/engine/claim.ts';
import { planDecision } from '../../../../src/domain/requests/engine/decide.ts';
import { isEmpty, type Effects } from '../../../../src/domain/requests/engine/effects.ts';
import { planAddReviewers } from '../../../../src/domain/requests/engine/reviewers.ts';
import { settled } from '../../../../src/domain/requests/engine/settle.ts';
import { level, path as levels, user } from '../../escalation/walk-scene.ts';
import {
  approving,
  at,
  commit,
  decider,
  human,
  pathOf,
  plan,
  planFrom,
  principal,
  viewOf,
  world,
  type World,
} from './engine-scene.ts';

const PEOPLE = ['ada', 'ben', 'eve'];
const onCall = pathOf(
  levels([level('one', '5m', [user('ada')]), level('two', '7m', [user('ben'), user('eve')])], {
    times: 1,
    after: '3m',
  }),
);

const who = fc.constantFrom(...PEOPLE);
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('step'),
      by: fc.constantFrom('workflow', 'reconciler'),
    }),
  },
  fc.record({ kind: fc.constantFrom('decide', 'claim', 'release', 'add', 'expire'), who }),
  fc.record({ kind: fc.constant('rights'), deciders: fc.subarray(PEOPLE) }),
);
const moment = fc.record({
  act,
  /** Minutes until the act. */
  after: fc.constantFrom(0, 0, 0.5, 1, 4, 5, 11),
  /** How many commits the view is behind. */
  isOld: fc.boolean(),
});
type Moment = typeof moment extends fc.Arbitrary<infer M> ? M : never;

function effectsOf(
  here: World,
  view: ReturnType<typeof viewOf>,
  { act: does }: Moment,
  verdict: typeof human,
) {
  const common = {
    path: view.pathRevisionId === undefined ? undefined : onCall,
    decisionId: randomUUID(),
  };
  if (does.kind === 'step' || !('who' in does))
    return planFrom(here, view, { evaluated: verdict }).effects;
  const caller = principal(does.who);
  switch (does.kind) {
    case 'decide':
      return planDecision(view, {
        ...common,
        principal: caller,
        status: 'approved',
        channel: 'web',
        idempotencyKey: randomUUID(),
        replay: 'none',
      }).effects;
    case 'claim':
      return planClaim(view, { ...common, principal: caller, claimId: randomUUID() }).effects;
    case 'release':
      return planRelease(view, { ...common, principal: caller }).effects;
    case 'add':
      return planAddReviewers(view, { ...common, principal: caller, membershipIds: PEOPLE })
        .effects;
    default:
      return settled(view, { decisionId: common.decisionId, wakes: true });
  }
}

function quietly(make: () => Effects | undefined): Effects | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const FINAL = ['approved', 'denied', 'expired', 'cancelled'];

test('one final answer, none after the deadline but expiry, each person notified once a step, a clock that only advances', () => {
  const verdicts = fc.constantFrom(human, human, human, approving);
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 25 }), verdicts, (moments, verdict) => {
      const here = world({ path: onCall, deciders: PEOPLE.map((id) => decider(id)) });
      let minutes = 0;
      let before = viewOf(here, at(0));
      for (const each of moments) {
        minutes += each.after;
        if (each.act.kind === 'rights' && 'deciders' in each.act) {
          here.deciders = each.act.deciders.map((id) => decider(id));
          continue;
        }
        const view = each.isOld ? before : viewOf(here, at(minutes));
        before = view;
        const effects = quietly(() => effectsOf(here, view, each, verdict));
        const { request: was, lastAt, version } = here.stored;
        if (!effects || isEmpty(effects) || !commit(here, effects, at(minutes))) {
          expect(here.stored.version).toBe(version);
          continue;
        }
        const { request, timeline, notified } = here.stored;
        if (isTerminal(was.state))
          expect([request.state, request.decision]).toEqual([was.state, was.decision]);
        expect(timeline.filter((verb) => FINAL.includes(verb)).length).toBe(
          isTerminal(request.state) ? 1 : 0,
        );
        if (request.decision && request.state !== 'expired')
          expect(request.decision.decidedAt < request.deadlineAt).toBe(true);
        if (request.state === 'expired')
          expect(request.decision && request.decision.decidedAt >= request.deadlineAt).toBe(true);
        expect(here.stored.lastAt >= lastAt).toBe(true);
        const told = notified.map(({ stepKey, membershipId }) => `${stepKey} ${membershipId}`);
        expect(new Set(told).size).toBe(told.length);
        if (request.state === 'pending') expect(here.stored.wakeAt).toBeDefined();
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a step that is taken again at once changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0.5, 2, 5, 9, 30), { maxLength: 12 }), (waits) => {
      const here = world({ path: onCall, deciders: PEOPLE.map((id) => decider(id)) });
      let minutes = 0;
      for (const wait of waits) {
        minutes += wait;
        const first = plan(here, at(minutes));
        if (first.effects && !isEmpty(first.effects)) commit(here, first.effects, at(minutes));
        const again = plan(here, at(minutes));
        expect(again.effects && !isEmpty(again.effects)).toBeFalsy();
        expect(again.step).toEqual(first.step.kind === 'done' ? { ...first.step } : first.step);
      }
    }),
    { numRuns: 500 },
  );
});
