/**
 * The cap on pending requests: exact under concurrency, and only for requests that wait for people.
 */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type TestApp } from '../../../support/app.ts';
import { appForFile } from '../../../support/scene.ts';
import { adapterOf, decide, postRequest } from '../../../support/scene/approval-requests.ts';
import {
  activatePipeline,
  createAgent,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import { until } from '../../../support/waiting.ts';

const CAP = 3;

const rule = (id: string, outcome: 'approve' | 'deny') => ({
  id,
  name: id,
  type: 'cel',
  config: {
    when: { id: `tool-${id}`, field: '/request/tool', operator: 'equals', value: id },
    on_match: outcome,
    reason: id,
  },
});

/** A separate organization, so that its pending requests start at none. */
async function newTenant(
  app: TestApp,
): Promise<{ organization: TestOrganization; agent: TestAgent }> {
  const organization = await createOrganization(app);
  // One agent may take all of it.
  await app
    .db('organizations')
    .where({ id: organization.id })
    .update({ agent_pending_percent: 100 });
  const agent = await createAgent(app, organization);
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [rule('allow', 'approve'), rule('refuse', 'deny')],
  });
  return { organization, agent };
}

async function pendingIds(app: TestApp, organization: TestOrganization): Promise<string[]> {
  return await app
    .db('approval_requests')
    .where({ organization_id: organization.id, state: 'pending' })
    .pluck<string[]>('id');
}

const patient = await appForFile({
  temporal: true,
  environment: {
    COUNTERSIGN_MAX_PENDING_REQUESTS: String(CAP),
    // A create that uses up its budget is admitted over the cap.
    COUNTERSIGN_CREATE_BUDGET: '30s',
  },
});

describe('with room for three pending requests', () => {
  const app = patient;

  test('ten concurrent requests leave exactly three, and nothing of the others', async () => {
    const { organization, agent } = await newTenant(app);
    const keys = Array.from({ length: 10 }, () => randomUUID());
    const answers = await Promise.all(keys.map((key) => postRequest(app, agent, { key })));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([
      ...Array<number>(CAP).fill(201),
      ...Array<number>(10 - CAP).fill(429),
    ]);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer.body).toMatchObject({
        error: {
          type: 'rate_limit',
          code: 'quota_exceeded',
          details: { dimension: 'pending_requests', limit: CAP },
        },
      });
      expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    }
    const admitted = answers
      .filter(({ status }) => status === 201)
      .map(({ body }) => String(body['id']));
    expect((await pendingIds(app, organization)).sort()).toEqual([...admitted].sort());
    const stored = await app
      .db('approval_requests')
      .where({ organization_id: organization.id })
      .pluck<string[]>('id');
    expect(stored.sort()).toEqual([...admitted].sort());

    // A refused key stays free: it works once there is room, even with other input.
    const refusedKey = keys[answers.findIndex(({ status }) => status === 429)] ?? '';
    expect((await postRequest(app, agent, { key: refusedKey, tool: 'other' })).status).toBe(429);
    expect((await decide(organization.owner.http, admitted[0] ?? '')).status).toBe(200);
    const later = await postRequest(app, agent, { key: refusedKey, tool: 'other' });
    expect(later).toMatchObject({ status: 201, body: { status: 'pending', tool: 'other' } });
    expect(await pendingIds(app, organization)).toHaveLength(CAP);
  });

  test('requests that rules decide pass a full queue, and so do other organizations', async () => {
    const { organization, agent } = await newTenant(app);
    for (let n = 0; n < CAP; n += 1) expect((await postRequest(app, agent)).status).toBe(201);
    expect((await postRequest(app, agent)).status).toBe(429);
    expect(await postRequest(app, agent, { tool: 'allow' })).toMatchObject({
      status: 201,
      body: { status: 'approved' },
    });
    expect(await postRequest(app, agent, { tool: 'refuse' })).toMatchObject({
      status: 201,
      body: { status: 'denied' },
    });
    const other = await newTenant(app);
    expect((await postRequest(app, other.agent)).status).toBe(201);
    expect(await pendingIds(app, organization)).toHaveLength(CAP);
  });

  test('a repeat of an admitted request is answered even when the queue is full', async () => {
    const { agent } = await newTenant(app);
    const key = randomUUID();
    const original = await postRequest(app, agent, { key });
    while ((await postRequest(app, agent)).status === 201);
    const again = await postRequest(app, agent, { key });
    expect(again.status).toBe(200);
    expect(again.body['id']).toEqual(original.body['id']);
  });

  test('a decision, a cancellation and an expiry make room', async () => {
    const { organization, agent } = await newTenant(app);
    const timeouts = ['1h', '1h', '2s'];
    const asked = await Promise.all(
      timeouts.map((timeout) => postRequest(app, agent, { timeout })),
    );
    const [decided = '', cancelled = '', expiring = ''] = asked.map(({ body }) =>
      String(body['id']),
    );
    const at = (id: string) => `/api/aap/v1/requests/${id}`;
    const makesRoom = async (make: () => Promise<unknown>) => {
      await make();
      expect((await postRequest(app, agent)).status).toBe(201);
      expect((await postRequest(app, agent)).status).toBe(429);
    };
    // First, while the queue is surely full: an expiry needs no call.
    await makesRoom(() => adapterOf(app, agent).get(`${at(expiring)}?wait=30s`));
    await makesRoom(() => decide(organization.owner.http, decided, { status: 'denied' }));
    await makesRoom(() => adapterOf(app, agent).delete(at(cancelled)));
  });

  test('callers that hang up before the answer count', async () => {
    const { organization, agent } = await newTenant(app);
    const hangUp = new AbortController();
    const impatient = Array.from({ length: 10 }, () =>
      fetch(`${app.url}/api/aap/v1/requests`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${agent.credential}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({ tool: 'deploy', arguments: {}, timeout: '1h' }),
        signal: hangUp.signal,
      }).catch(() => undefined),
    );
    const rows = () => app.db('approval_requests').where({ organization_id: organization.id });
    await until('the first is stored', async () => (await rows().select('id')).length > 0);
    hangUp.abort();
    await Promise.all(impatient);
    await Promise.all(Array.from({ length: 5 }, () => postRequest(app, agent)));
    await until(
      'the pipelines are done',
      async () => (await rows().where({ state: 'evaluating' }).select('id')).length === 0,
    );
    expect(await pendingIds(app, organization)).toHaveLength(CAP);
  });
});
