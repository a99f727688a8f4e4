/** The shortest path through every layer, on the real servers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from './support/app.ts';
import {
  activatePipeline,
  createAgent,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from './support/scene/factories.ts';
import { HttpClient } from './support/http.ts';

describe('the main job', () => {
  let app: TestApp;
  let organization: TestOrganization;
  let agent: TestAgent;
  let adapter: HttpClient;

  beforeAll(async () => {
    app = await startApp({ temporal: true });
    organization = await createOrganization(app);
    agent = await createAgent(app, organization);
    adapter = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
  });
  afterAll(async () => {
    await app.close();
  });

  const ask = (tool: string) =>
    adapter.post(
      '/api/aap/v1/requests',
      { tool, arguments: { amount: 1 }, timeout: '5m' },
      { headers: { 'idempotency-key': randomUUID() } },
    );

  test('a rule approves at once and a person decides the rest, while the adapter waits', async () => {
    await activatePipeline(organization.owner, `agents/${agent.slug}`, {
      blocks: [
        {
          id: 'small',
          name: 'Small refunds',
          type: 'cel',
          config: {
            when: { id: 'tool', field: '/request/tool', operator: 'equals', value: 'refund' },
            on_match: 'approve',
            reason: 'small',
          },
        },
      ],
    });
    const approved = await ask('refund');
    expect(approved.status).toBe(201);
    expect(approved.body).toMatchObject({
      status: 'approved',
      decision: { status: 'approved', note: 'small' },
    });

    const pending = await ask('delete_database');
    expect(pending.body).toMatchObject({ status: 'pending' });
    const id = String(pending.body['id']);
    const waiting = adapter.get(`/api/aap/v1/requests/${id}?wait=30s`);
    const decided = await organization.owner.http.post(
      `/api/v1/requests/${id}/decision`,
      { status: 'denied', note: 'no' },
      { headers: { 'idempotency-key': randomUUID() } },
    );
    expect(decided.status).toBe(200);
    expect((await waiting).body).toMatchObject({
      id,
      status: 'denied',
      decision: { status: 'denied', note: 'no' },
    });
  });
});
