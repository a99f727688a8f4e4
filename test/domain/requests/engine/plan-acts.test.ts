/** What people and adapters do to a request, as tables. Each settles first. Without a database. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { AgentPrincipal } from '../../../../src/domain/people/authorization.ts';
import { argumentsDigest } from '../../../../src/domain/requests/approval-requests.ts';
import { planCancel, planCancelByService } from '../../../../src/domain/requests/engine/cancel.ts';
import {
  planClaim,
  planRelease,
  planReleaseOf,
} from '../../../../src/domain/requests/engine/claim.ts';
import { planDecision, type DecideAct } from '../../../../src/domain/requests/engine/decide.ts';
import { validUntil, type Plan } from '../../../../src/domain/requests/engine/effects.ts';
import { planAddReviewers } from '../../../../src/domain/requests/engine/reviewers.ts';
import { level, path as levels, user } from '../../escalation/walk-scene.ts';
import {
  at,
  commit,
  decider,
  pathOf,
  principal,
  step,
  viewOf,
  world,
  type World,
} from './engine-scene.ts';

const onCall = pathOf(
  levels([level('one', '10m', [user('ada')]), level('two', '10m', [user('ben')])]),
);
const ada = principal('ada');
const ben = principal('ben');
const eve = principal('eve');

function pending(): World {
  const here = world({ path: onCall, deciders: ['ada', 'ben', 'eve'].map((id) => decider(id)) });
  step(here, at(0));
  return here;
}

const ids = () => ({ decisionId: randomUUID(), claimId: randomUUID(), path: onCall });
const deciding = (who = ada, more: Partial<DecideAct> = {}): DecideAct => ({
  ...ids(),
  principal: who,
  status: 'approved',
  channel: 'web',
  idempotencyKey: 'key',
  replay: 'none',
  ...more,
});

/** The outcome after its effects are committed; the code of what it throws. */
function does<T>(here: World, now: number, act: (view: ReturnType<typeof viewOf>) => Plan<T>) {
  try {
    const { effects, outcome } = act(viewOf(here, at(now)));
    if (effects) expect(commit(here, effects, at(now))).toBe(true);
    return outcome instanceof AppError ? outcome.code : outcome;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('a decision', () => {
  test('is final, and says until when it may be executed', () => {
    const here = pending();
    does(here, 5, (view) => planDecision(view, deciding()));
    expect(here.stored.request).toMatchObject({
      state: 'approved',
      decision: { membershipId: 'ada', decidedAt: at(5), expiresAt: at(10) },
    });
    expect(does(here, 6, (view) => planDecision(view, deciding(ben)))).toBe('already_terminal');
    expect(here.stored.timeline.filter((verb) => verb === 'approved')).toHaveLength(1);
  });

  test('is never made at or after the deadline: the request expires instead', () => {
    const here = pending();
    expect(does(here, 60, (view) => planDecision(view, deciding()))).toBe('already_terminal');
    expect(here.stored.request).toMatchObject({
      state: 'expired',
      decision: { decidedAt: at(60) },
    });
  });

  test('of a plan that was made before the deadline is not committed after it', () => {
    const here = pending();
    const { effects } = planDecision(viewOf(here, at(59)), deciding());
    if (!effects) throw new Error('nothing was planned');
    expect(validUntil(effects)).toEqual(at(60));
    expect(commit(here, effects, at(60))).toBe(false);
  });

  test.each<[string, Partial<DecideAct>, string]>([
    ['by someone who is not on the path', { principal: eve }, 'request_not_routed'],
    ['without the right', { principal: principal('ada', { grants: [] }) }, 'permission_denied'],
    ['of other arguments', { seenArgumentsDigest: 'other' }, 'request_changed'],
  ])('is refused: %s', (_name, more, code) => {
    const here = pending();
    expect(does(here, 5, (view) => planDecision(view, deciding(ada, more)))).toBe(code);
    expect(here.stored.request.state).toBe('pending');
  });

  test('of the arguments that were seen says so', () => {
    const here = pending();
    const seenArgumentsDigest = argumentsDigest(here.stored.request);
    does(here, 5, (view) => planDecision(view, deciding(ada, { seenArgumentsDigest })));
    expect(here.stored.request.decision).toMatchObject({ seenArgumentsDigest });
  });

  test('before the rules have concluded is refused', () => {
    const here = world({ deciders: [decider('ada')] });
    const act = { ...deciding(), path: undefined };
    expect(does(here, 1, (view) => planDecision(view, act))).toBe('request_evaluating');
  });

  test.each([
    ['same', undefined],
    ['conflict', 'idempotency_conflict'],
  ] as const)('that is repeated is answered as before, or refused: %s', (replay, code) => {
    const here = pending();
    does(here, 5, (view) => planDecision(view, deciding()));
    const again = does(here, 70, (view) => planDecision(view, deciding(ada, { replay })));
    expect(again).toEqual(code ?? here.stored.request);
  });

  test('after the end of a claim records the lapse first', () => {
    const here = pending();
    does(here, 1, (view) => planClaim(view, { ...ids(), principal: ben }));
    does(here, 11, (view) => planDecision(view, deciding()));
    expect(here.stored.timeline.slice(-2)).toEqual(['claim_lapsed', 'approved']);
  });
});

describe('a claim', () => {
  test('ends after the claim timeout, or with the deadline', () => {
    const here = pending();
    const claim = (now: number) =>
      does(here, now, (view) => planClaim(view, { ...ids(), principal: ada }));
    expect(claim(5)).toMatchObject({ membershipId: 'ada', claimedAt: at(5), expiresAt: at(15) });
    expect(claim(6)).toMatchObject({ claimedAt: at(5) });
    expect(claim(55)).toMatchObject({ claimedAt: at(55), expiresAt: at(60) });
    expect(here.stored.timeline.slice(-3)).toEqual(['claimed', 'claim_lapsed', 'claimed']);
  });

  test('of another member is refused, and the holder is named', () => {
    const here = pending();
    does(here, 1, (view) => planClaim(view, { ...ids(), principal: ada }));
    expect(does(here, 2, (view) => planClaim(view, { ...ids(), principal: ben }))).toBe(
      'claim_held',
    );
    expect(does(here, 2, (view) => planRelease(view, { ...ids(), principal: ben }))).toBe(
      'not_claim_holder',
    );
  });

  test('that its holder releases wakes the walk', () => {
    const here = pending();
    does(here, 1, (view) => planClaim(view, { ...ids(), principal: ada }));
    expect(
      does(here, 2, (view) => planRelease(view, { ...ids(), principal: ada })),
    ).toBeUndefined();
    expect(here.stored.request.claim).toBeUndefined();
    expect(here.stored.wakeAt).toEqual(new Date(at(2).getTime() + 3_000));
    expect(does(here, 3, (view) => planRelease(view, { ...ids(), principal: ada }))).toBe(
      'not_found',
    );
  });

  test('of a member who is suspended ends with the reason', () => {
    const here = pending();
    does(here, 1, (view) => planClaim(view, { ...ids(), principal: ada }));
    const view = viewOf(here, at(2));
    const gone = {
      membershipId: 'ada',
      actor: { type: 'system' },
      reason: 'membership_suspended',
    } as const;
    const effects = planReleaseOf(view, { ...gone, decisionId: 'd' });
    expect(effects.events).toMatchObject([{ data: { reason: 'membership_suspended' } }]);
    expect(planReleaseOf(view, { ...gone, membershipId: 'ben', decisionId: 'd' }).events).toEqual(
      [],
    );
  });
});

describe('adding reviewers', () => {
  const add = (here: World, now: number, ...membershipIds: string[]) =>
    does(here, now, (view) => planAddReviewers(view, { ...ids(), principal: ada, membershipIds }));

  test('notifies each of them once, and leaves the walk as it is', () => {
    const here = pending();
    const { nextAt } = here.stored.request;
    expect(add(here, 1, 'eve')).toBeUndefined();
    expect(add(here, 2, 'eve', 'ben')).toBeUndefined();
    const added = here.stored.notified.filter(({ stepKey }) => stepKey === 'added');
    expect(added.map(({ membershipId }) => membershipId)).toEqual(['eve', 'ben']);
    expect(here.stored.request.nextAt).toEqual(nextAt);
    expect(does(here, 3, (view) => planDecision(view, deciding(eve)))).toMatchObject({
      state: 'approved',
    });
  });

  test('refuses people who may not decide', () => {
    expect(add(pending(), 1, 'nobody')).toBe('validation_failed');
  });
});

describe('a cancellation', () => {
  const agent = {
    kind: 'agent',
    instanceId: 'instance',
    credentialId: 'credential',
    agentSlug: 'bot',
    agentName: 'Bot',
  } as unknown as AgentPrincipal;
  const cancel = (here: World, now: number, who = agent) =>
    does(here, now, (view) => planCancel(view, { principal: who, decisionId: randomUUID() }));

  test('acts at once, and a repeat answers the same', () => {
    const here = world({ path: onCall, deciders: [] });
    const first = cancel(here, 1);
    expect(first).toMatchObject({ state: 'cancelled', decision: { channel: 'aap' } });
    expect(cancel(here, 2)).toEqual(first);
  });

  test('comes too late after another answer, or the deadline', () => {
    const decided = pending();
    does(decided, 5, (view) => planDecision(view, deciding()));
    expect(cancel(decided, 6)).toBe('already_terminal');
    const due = pending();
    expect(cancel(due, 60)).toBe('already_terminal');
    expect(due.stored.request.state).toBe('expired');
  });

  test('of another instance does not find the request', () => {
    const other = { ...agent, instanceId: 'other' };
    expect(cancel(pending(), 1, other)).toBe('not_found');
  });

  test('by the service gives its reason, and expires what is past its deadline', () => {
    const archived = {
      actor: { type: 'system' },
      reason: 'agent_archived',
      decisionId: 'd',
    } as const;
    const states = [5, 60].map((now) => planCancelByService(viewOf(pending(), at(now)), archived));
    expect(states.map(({ request }) => request.state)).toEqual(['cancelled', 'expired']);
    expect(states[0]?.events).toMatchObject([
      { data: { channel: 'system', reason: 'agent_archived' } },
    ]);
  });
});
