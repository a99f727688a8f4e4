/** A further credential of an instance, for changing over without a pause. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import { postRequest } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { ageSession } from '../../support/scene/invitations.ts';
import { onAgents } from '../../support/scene/permission-policies.ts';

const app = await appForFile();
let organization: TestOrganization;
let agent: TestAgent;

beforeEach(async () => {
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
});

const issue = (client: HttpClient, id = agent.instanceId, body: object = {}) =>
  client.post(`/api/v1/agent_instances/${id}/credentials`, body);

test('works beside the earlier one, reads what that one asked, and stays when it is revoked', async () => {
  const asked = await postRequest(app, agent, { tool: 'refund' });
  const { status, body } = await issue(organization.owner.http, agent.instanceId, {
    ttl_seconds: 3_600,
  });
  expect(status).toBe(201);
  const { id, token, expires_at: end } = body['credential'] as unknown as Record<string, string>;
  expect(token).toMatch(/^whc_/);
  expect(Date.parse(end ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
  const first = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
  const further = new HttpClient(app.url, { authorization: `Bearer ${token}` });
  const path = `/api/aap/v1/requests/${String(asked.body['id'])}`;
  expect([(await first.get(path)).status, (await further.get(path)).status]).toEqual([200, 200]);
  await organization.owner.http.delete(`/api/v1/agent-credentials/${agent.credentialId}`);
  expect([(await first.get(path)).status, (await further.get(path)).status]).toEqual([401, 200]);
  expect(await app.db('audit_events').where({ subject_id: id })).toMatchObject([
    { event_type: 'agent_credential.issued' },
  ]);
});

test('needs recent authentication of a session, the permission for the agent, and a live agent', async () => {
  const { owner } = organization;
  await ageSession(app, owner, 60);
  expect((await issue(owner.browser)).body['error']?.['code']).toBe('reauthentication_required');
  const other = await createAgent(app, organization);
  const policies = onAgents([other.slug], 'agent.credential.issue');
  const member = await createMember(app, organization.id, { policies: [policies] });
  expect((await issue(member.http)).body['error']?.['code']).toBe('not_found');
  expect((await issue(member.http, other.instanceId)).status).toBe(201);
  expect((await issue(owner.http, randomUUID())).status).toBe(404);
  await owner.http.delete(`/api/v1/agents/${agent.slug}`);
  expect((await issue(owner.http)).body['error']?.['code']).toBe('agent_archived');
});

test('lists say when the first live instance is left without a credential', async () => {
  const { owner } = organization;
  const end = async () =>
    (await owner.http.get(`/api/v1/agents/${agent.slug}`)).body['access_ends_at'];
  const first = await end();
  await issue(owner.http, agent.instanceId, { ttl_seconds: 60 });
  expect(await end()).toBe(first);
  await owner.http.delete(`/api/v1/agent-credentials/${agent.credentialId}`);
  expect(Date.parse(String(await end())) - Date.now()).toBeLessThan(61_000);
  await owner.http.call('PATCH', `/api/v1/agent_instances/${agent.instanceId}`, {
    body: { status: 'disabled' },
  });
  expect(await end()).toBeUndefined();
});
