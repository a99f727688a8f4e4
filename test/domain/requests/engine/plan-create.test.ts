/** A new request as a table: what its insert writes, by what the rules say before. Without a database. */
import { expect, test } from '@jest/globals';
import type { AgentPrincipal } from '../../../../src/domain/people/authorization.ts';
import {
  createdRequest,
  planCreate,
  type Judged,
  type NewApprovalRequest,
} from '../../../../src/domain/requests/engine/create.ts';
import type { Question } from '../../../../src/domain/pipelines/verdict.ts';
import type { Evaluated } from '../../../../src/domain/requests/engine/step.ts';
import { JsonText } from '../../../../src/platform/json/exact-json.ts';
import { approving, at, human, step, world } from './engine-scene.ts';

const principal: AgentPrincipal = {
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
const input: NewApprovalRequest = {
  id: 'request',
  tool: 'refund',
  arguments: new JsonText('{"amount": 1.0}'),
  timeout: '1h',
  timeoutMs: 3_600_000,
  idempotencyKey: 'key',
};
const rules = { organizationPipelineRevisionId: 'rules' };
const denying: Evaluated = {
  verdict: { ...approving.verdict, outcome: 'deny', reason: 'Never.' },
  paths: [],
};
const asking: Question = { scope: 'agent', ask: {} as Question['ask'] };

const planned = (evaluated?: Judged['evaluated']) =>
  planCreate({
    principal,
    input,
    decisionId: 'decision',
    judged: evaluated && { evaluated, rules },
  });

/** What the insert knows when it has written the row. */
const inserted = { createdAt: at(1), deadlineAt: at(61), ...rules, agentPipelineRevisionId: null };

const created = {
  eventType: 'approval_request.created',
  actor: { type: 'agent', id: 'bot', displayName: 'Bot' },
  subjectId: 'request',
  data: { agent_slug: 'bot', agent_instance_id: 'instance', tool: 'refund', server: null },
};

test.each([
  ['unknown yet', undefined],
  ['a question to another system', asking],
  ['a person', human],
])('waits for its first step, whatever the active rules are, when the verdict is %s', (_, said) => {
  const effects = planned(said);
  expect(effects).toEqual({
    principal,
    input,
    state: 'evaluating',
    wakeMs: 3_000,
    verdict: undefined,
    events: [created],
  });
  const { timeoutMs: _ms, idempotencyKey: _key, ...asked } = input;
  expect(createdRequest(effects, inserted)).toEqual({
    ...asked,
    ...rules,
    organizationId: 'organization',
    agentSlug: 'bot',
    agentName: 'Bot',
    agentInstanceId: 'instance',
    agentInstanceName: 'Instance',
    agentCredentialId: 'credential',
    state: 'evaluating',
    createdAt: at(1),
    deadlineAt: at(61),
    updatedAt: at(1),
    urgency: 'standard',
  });
});

test.each([
  ['approve', approving, 'approved', at(6)],
  ['deny', denying, 'denied', undefined],
] as const)('is written with its decision when rules %s it', (_, said, status, expiresAt) => {
  const effects = planned(said);
  expect(effects).toMatchObject({ state: status, verdict: { rules } });
  expect(effects.wakeMs).toBeUndefined();
  expect(effects.events).toMatchObject([created, { eventType: `approval_request.${status}` }]);
  const { state, updatedAt, decision } = createdRequest(effects, inserted);
  expect([state, updatedAt, decision?.decidedAt]).toEqual([status, at(1), at(1)]);
  expect(decision?.expiresAt).toEqual(expiresAt);
});

test.each([approving, denying])(
  'has the decision and the timeline of a step with the same verdict',
  (said) => {
    const here = world({ deciders: [] }, { id: 'request', ...rules });
    const { effects } = step(here, at(1), { evaluated: said });
    const { decision } = createdRequest(planned(said), inserted);
    expect({ ...decision, id: '' }).toEqual({ ...effects?.request.decision, id: '' });
    expect(planned(said).events.slice(1)).toEqual(effects?.events);
  },
);

test('names the server of the tool in its timeline', () => {
  const { events } = planCreate({
    principal,
    input: { ...input, server: 'payments' },
    decisionId: 'decision',
  });
  expect(events[0]?.data).toMatchObject({ server: 'payments' });
});
