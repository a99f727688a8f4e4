/** Claims that end by themselves. Without a database. */
import { expect, test } from '@jest/globals';
import { planRelease, planReleaseOf } from '../../../../src/domain/requests/engine/claim.ts';
import { planAddReviewers } from '../../../../src/domain/requests/engine/reviewers.ts';
import { SYSTEM } from '../../../../src/domain/audit/events.ts';
import { isEmpty } from '../../../../src/domain/requests/engine/effects.ts';
import { level, path as levels, user } from '../../escalation/walk-scene.ts';
import {
  at,
  commit,
  decider,
  documentsOf,
  pathOf,
  plan,
  principal,
  step,
  viewOf,
  world,
  type World,
} from './engine-scene.ts';

const [ada, ben, cyd] = [decider('ada'), decider('ben'), decider('cyd')];
const long = pathOf(
  levels([level('one', '30m', [user('ada'), user('ben')]), level('two', '10m', [user('cyd')])]),
);
const short = pathOf(
  levels([level('one', '5m', [user('ada'), user('ben')]), level('two', '10m', [user('ben')])]),
);

/** Ada's claim ends after 10 minutes. */
function claimed(path = long): World {
  const here = world({ path, deciders: [ada, ben, cyd] });
  step(here, at(0));
  here.stored.request = {
    ...here.stored.request,
    claim: {
      ...{ id: 'claim-1', membershipId: 'ada', displayName: 'Ada', claimedAt: at(1) },
      ...{ lapsed: false, expiresAt: at(10) },
    },
  };
  return here;
}

const toldIn = (here: World) =>
  here.stored.notified.flatMap(({ stepKey, membershipId }) =>
    stepKey.startsWith('claim_lapsed:') ? [membershipId] : [],
  );

test('those who were asked before the claim are told once that it ended, and the timeline names them', () => {
  const here = claimed();
  const { effects } = plan(here, at(10));
  expect(effects?.notifications).toEqual([
    { stepKey: 'claim_lapsed:claim-1', membershipId: 'ada', isSent: true, isAnnounced: true },
    { stepKey: 'claim_lapsed:claim-1', membershipId: 'ben', isSent: true, isAnnounced: false },
  ]);
  expect(effects?.events.map(({ data }) => data)).toEqual([
    {
      ...{ claim_id: 'claim-1', membership_id: 'ada', display_name: 'Ada' },
      told: [
        { membership_id: 'ada', display_name: 'ada' },
        { membership_id: 'ben', display_name: 'ben' },
      ],
    },
  ]);
  step(here, at(10));
  step(here, at(11));
  expect(toldIn(here)).toEqual(['ada', 'ben']);
});

test('a person who is asked by the next level at the same instant gets one message', () => {
  const here = claimed(short);
  step(here, at(10));
  expect(toldIn(here)).toEqual(['ada']);
  expect(here.stored.notified.at(-2)).toMatchObject({ stepKey: 'two:1', membershipId: 'ben' });
});

test('people who may no longer decide, or who turned every channel off, are not told', () => {
  const here = claimed();
  here.deciders = [decider('ada', { isReachable: false }), cyd];
  step(here, at(10));
  expect(toldIn(here)).toEqual([]);
  expect(here.stored.timeline).toContain('claim_lapsed');
});

test('no one is told of a claim that its holder gives up, or that ends with the request', () => {
  const released = claimed();
  const view = viewOf(released, at(2));
  const { effects } = planRelease(view, {
    ...{ principal: principal('ada'), path: long, decisionId: 'decision' },
  });
  if (effects) commit(released, effects, at(2));
  step(released, at(3));
  const expired = claimed();
  step(expired, at(60));
  expect([...toldIn(released), ...toldIn(expired)]).toEqual([]);
});

test('a late release and a call for help tell them, too', () => {
  for (const act of [
    (here: World) =>
      planRelease(viewOf(here, at(10)), {
        ...{ principal: principal('ada'), path: long, decisionId: 'decision' },
      }),
    (here: World) =>
      planAddReviewers(viewOf(here, at(10)), {
        ...{ principal: principal('ada'), path: long, decisionId: 'decision' },
        membershipIds: ['cyd'],
      }),
  ]) {
    const here = claimed();
    const { effects } = act(here);
    if (effects) commit(here, effects, at(10));
    expect(toldIn(here)).toEqual(['ada', 'ben']);
  }
});

test('a claim that lapsed before its holder was removed is left to the step that tells them', () => {
  const here = claimed();
  const effects = planReleaseOf(viewOf(here, at(10), { people: false }), {
    ...{ membershipId: 'ada', actor: SYSTEM, reason: 'member_removed', decisionId: 'decision' },
  });
  expect(isEmpty(effects)).toBe(true);
  expect(documentsOf(here, effects.view).path).toBe(long);
  step(here, at(10));
  expect(toldIn(here)).toEqual(['ada', 'ben']);
});
