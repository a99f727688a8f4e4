/** The one start of an approved call, as a table. Without a database. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { AgentPrincipal } from '../../../../src/domain/people/authorization.ts';
import { planCancel } from '../../../../src/domain/requests/engine/cancel.ts';
import { validUntil } from '../../../../src/domain/requests/engine/effects.ts';
import {
  planReport,
  planStart,
  type ReportedResult,
} from '../../../../src/domain/requests/engine/start.ts';
import { isOwn } from '../../../../src/domain/requests/own-requests.ts';
import { approving, at, commit, step, viewOf, world, type World } from './engine-scene.ts';

const agent: AgentPrincipal = {
  kind: 'agent',
  organizationId: 'organization',
  agentSlug: 'bot',
  agentName: 'Bot',
  instanceId: 'instance',
  instanceName: 'Instance',
  resume: 'instance',
  approvalWindow: 300,
  credentialId: 'credential',
  auth: { method: 'agent_credential', assurance: 'single_factor', authenticated_at: at(0) },
};
const replica: AgentPrincipal = {
  ...agent,
  instanceId: 'other',
  instanceName: 'Other',
  resume: 'agent',
};

function approved(): World {
  const here = world({ deciders: [] });
  step(here, at(1), { evaluated: approving });
  expect(here.stored.request.state).toBe('approved');
  return here;
}

interface Caller {
  readonly principal?: AgentPrincipal;
  readonly key?: string;
}

function start(here: World, now: number, { principal = agent, key }: Caller = {}) {
  const { effects, outcome } = planStart(viewOf(here, at(now)), {
    principal,
    decisionId: randomUUID(),
    key,
  });
  if (effects) commit(here, effects, at(now));
  return outcome instanceof AppError ? [outcome.code, outcome.details] : outcome.startedAt;
}

describe('a start', () => {
  test('is recorded once, with its instant', () => {
    const here = approved();
    expect(start(here, 2)).toEqual(at(2));
    expect(here.stored.request).toMatchObject({
      state: 'approved',
      startedAt: at(2),
      startedByInstanceId: 'instance',
      updatedAt: at(2),
    });
    expect(start(here, 3)).toEqual(['already_started', { started_at: at(2).toISOString() }]);
    expect(here.stored.timeline.filter((verb) => verb === 'started')).toHaveLength(1);
  });

  test('is refused from the end of the approval on, and a plan made before it is not committed then', () => {
    const here = approved();
    const { effects } = planStart(viewOf(here, at(5.9)), {
      principal: agent,
      decisionId: randomUUID(),
      key: undefined,
    });
    if (!effects) throw new Error('nothing was planned');
    expect(validUntil(effects)).toEqual(at(6));
    expect(commit(here, effects, at(6))).toBe(false);
    expect(start(here, 6)).toEqual(['approval_expired', { expires_at: at(6).toISOString() }]);
    expect(here.stored.request.startedAt).toBeUndefined();
  });

  test('is refused before a decision, and after any other than an approval', () => {
    const here = world({ deciders: [] });
    expect(start(here, 1)).toEqual(['not_approved', { status: 'pending' }]);
    expect(start(here, 60)).toEqual(['not_approved', { status: 'expired' }]);
    expect(here.stored.request.state).toBe('expired');
  });

  test('keeps the call from being withdrawn, as the approval does', () => {
    const here = approved();
    start(here, 2);
    const { outcome } = planCancel(viewOf(here, at(3)), {
      principal: agent,
      decisionId: randomUUID(),
    });
    expect(outcome).toMatchObject({ code: 'already_terminal' });
  });
});

describe('the key of a start', () => {
  test('gets the same response again, even after the approval ended, and only for the instance that started', () => {
    const here = approved();
    expect(start(here, 2, { key: 'one' })).toEqual(at(2));
    expect(start(here, 3, { key: 'one' })).toEqual(at(2));
    expect(start(here, 60, { key: 'one' })).toEqual(at(2));
    const refused = ['already_started', { started_at: at(2).toISOString() }];
    expect(start(here, 3, { key: 'two' })).toEqual(refused);
    expect(start(here, 3)).toEqual(refused);
    expect(start(here, 3, { principal: replica, key: 'one' })).toEqual(refused);
    expect(here.stored.timeline.filter((verb) => verb === 'started')).toHaveLength(1);
  });

  test('helps no second start of a call that was started without one', () => {
    const here = approved();
    expect(start(here, 2)).toEqual(at(2));
    expect(start(here, 3, { key: 'one' })).toEqual([
      'already_started',
      { started_at: at(2).toISOString() },
    ]);
  });
});

describe('the result of a call', () => {
  const report = (here: World, now: number, result: ReportedResult, principal = agent) => {
    const { effects } = planReport(viewOf(here, at(now)), { principal, result });
    if (effects) commit(here, effects, at(now));
    return effects !== undefined;
  };

  test('is recorded once, and a repeat changes nothing', () => {
    const here = approved();
    start(here, 2);
    expect(report(here, 3, { outcome: 'failed', detail: 'timed out' })).toBe(true);
    const { result } = here.stored.request;
    expect(result).toEqual({ outcome: 'failed', detail: 'timed out', reportedAt: at(3) });
    expect(report(here, 4, { outcome: 'failed', detail: 'timed out' })).toBe(false);
    expect(() => report(here, 4, { outcome: 'succeeded' })).toThrow(
      expect.objectContaining({ code: 'result_reported', details: { outcome: 'failed' } }),
    );
    expect(here.stored.request.result).toEqual(result);
    expect(here.stored.timeline.at(-1)).toBe('result_reported');
  });

  test('of another call than the approved one stands in the timeline by itself', () => {
    const here = approved();
    start(here, 2);
    report(here, 3, { outcome: 'ran_differently', argumentsDigest: 'd'.repeat(64) });
    expect(here.stored.timeline.slice(-2)).toEqual(['result_reported', 'ran_differently']);
  });

  test('comes only from the instance that started the call', () => {
    const here = approved();
    const succeeded = { outcome: 'succeeded' } as const;
    expect(() => report(here, 2, succeeded)).toThrow(
      expect.objectContaining({ code: 'not_started' }),
    );
    start(here, 2);
    expect(() => report(here, 3, succeeded, replica)).toThrow(
      expect.objectContaining({ code: 'not_started' }),
    );
    expect(() => report(here, 3, succeeded, { ...replica, resume: 'instance' })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
    expect(here.stored.request.result).toBeUndefined();
  });
});

describe('the window of an approval', () => {
  test('is the setting of the agent at the decision', () => {
    const here = world({ deciders: [] });
    here.approvalWindow = 3_600;
    step(here, at(1), { evaluated: approving });
    here.approvalWindow = 60;
    expect(here.stored.request.decision?.expiresAt).toEqual(at(61));
    expect(start(here, 60.9)).toEqual(at(60.9));
  });
});

describe('whose a request is', () => {
  const request = {
    organizationId: 'organization',
    agentSlug: 'bot',
    agentInstanceId: 'instance',
  };
  test.each<[string, AgentPrincipal, boolean]>([
    ['the instance that made it', agent, true],
    ['another instance', { ...replica, resume: 'instance' }, false],
    ['another instance of an agent that resumes', replica, true],
    ['another agent that resumes', { ...replica, agentSlug: 'else' }, false],
    ['the same slug elsewhere', { ...replica, organizationId: 'else' }, false],
  ])('%s: %#', (_name, principal, expected) => {
    expect(isOwn(principal, request)).toBe(expected);
  });

  test('another instance of the agent starts it where the agent allows that, and not otherwise', () => {
    const here = approved();
    expect(() => start(here, 2, { principal: { ...replica, resume: 'instance' } })).toThrow(
      'does not exist',
    );
    expect(start(here, 2, { principal: replica })).toEqual(at(2));
    expect(here.stored.request.startedByInstanceId).toBe('other');
  });
});
