/** Changes of agents by callers who lose their access at that moment. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import {
  createAgent,
  createOrganization,
  createProvisioner,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { granted, onAgents } from '../../support/scene/permission-policies.ts';
import { expectRecheck, startHosted } from '../../support/withdrawals.ts';

let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;

beforeAll(async () => {
  app = await startHosted();
});
afterAll(() => app.close());
beforeEach(async () => {
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
});

test('an agent is created only by a caller who still may when the organization is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: granted('agent.write'),
    call: (client) => client.post('/api/v1/agents', { slug: 'new-bot', name: 'New bot' }),
  });
});

test('an instance is created only by a caller who still may when the agent is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: onAgents([agent.slug], 'agent.credential.issue'),
    call: (client) => client.post(`/api/v1/agents/${agent.slug}/instances`, { name: 'runner' }),
  });
});

test('a further credential is issued only by a caller who still may when the instance is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: onAgents([agent.slug], 'agent.credential.issue'),
    call: (client) => client.post(`/api/v1/agent_instances/${agent.instanceId}/credentials`),
  });
});

test('a credential is revoked only by a caller who still may when the access is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: onAgents([agent.slug], 'agent.credential.revoke'),
    call: (client) => client.delete(`/api/v1/agent-credentials/${agent.credentialId}`),
  });
  const events = await app
    .db('audit_events')
    .where({ organization_id: organization.id, event_type: 'agent_credential.revoked' });
  expect(events).toHaveLength(1);
});

test('a provisioner token is issued only by a caller who still may when the agent is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: onAgents([agent.slug], 'agent.credential.issue'),
    call: (client) => client.post(`/api/v1/agents/${agent.slug}/provisioners`),
  });
});

test('a provisioner token is revoked only by a caller who still may when the access is locked', async () => {
  const { id } = await createProvisioner(app, organization, agent.slug);
  await expectRecheck({
    app,
    organization,
    policy: onAgents([agent.slug], 'agent.credential.revoke'),
    call: (client) => client.delete(`/api/v1/agent-provisioners/${id}`),
  });
  const events = await app
    .db('audit_events')
    .where({ organization_id: organization.id, event_type: 'agent_provisioner.revoked' });
  expect(events).toHaveLength(1);
});
