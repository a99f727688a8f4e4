/** The one start of an approved call, as a table. Without a database. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { AgentPrincipal } from '../../../../src/domain/people/authorization.ts';
import { planCancel } from '../../../../src/domain/requests/engine/cancel.ts';
import { validUntil } from '../../../../src/domain/requests/engine/effects.ts';
import { planStart } from '../../../../src/domain/requests/engine/start.ts';
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

function start(here: World, now: number, principal = agent) {
  const { effects, outcome } = planStart(viewOf(here, at(now)), {
    principal,
    decisionId: randomUUID(),
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
    expect(() => start(here, 2, { ...replica, resume: 'instance' })).toThrow('does not exist');
    expect(start(here, 2, replica)).toEqual(at(2));
    expect(here.stored.request.startedByInstanceId).toBe('other');
  });
});
