/** The cap on pending requests where rules ask another system: it asks none at the cap, and stays exact. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { postRequest } from '../../../support/scene/approval-requests.ts';
import { always, cel } from '../../../support/scene/request-approval-pipelines.ts';
import { ASKING, asking } from '../../../support/servers/asked-endpoint.ts';
import { startWebhookReceiver } from '../../../support/servers/webhook-receiver.ts';
import { until } from '../../../support/waiting.ts';

const CAP = 3;
const { app, owner, agent, organization, decide, settings } = await scene({
  app: {
    temporal: true,
    environment: {
      ...ASKING,
      COUNTERSIGN_MAX_PENDING_REQUESTS: String(CAP),
      // A create that uses up its budget is admitted over the cap.
      COUNTERSIGN_CREATE_BUDGET: '30s',
    },
  },
  people: { ada: REVIEWER },
  pipelines: {},
});
// One agent may take all of it.
await settings({ agent_pending_percent: 100 });
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());
await owner.http.post('/api/v1/webhook_endpoints/rules/revisions', {
  name: 'Rules',
  url: receiver.url,
});
await owner.http.post('/api/v1/webhook_endpoints/rules/revisions/1/activate', undefined, {
  headers: { 'if-match': '"0"' },
});

const respondWith = (body: object, status = 200) => {
  receiver.respondWith((response) => response.writeHead(status).end(JSON.stringify(body)));
};
const rows = () => app.db('approval_requests').where({ organization_id: organization.id });
const pendingIds = async () => await rows().where({ state: 'pending' }).pluck<string[]>('id');
const plain = await agent(undefined, {});
const fill = async () => {
  while ((await postRequest(app, plain)).status === 201);
  expect(await pendingIds()).toHaveLength(CAP);
};

beforeEach(async () => {
  for (const id of await pendingIds()) await decide(owner, id);
  respondWith({ outcome: 'human' });
});

const refused = {
  status: 429,
  body: {
    error: { code: 'quota_exceeded', details: { dimension: 'pending_requests', limit: CAP } },
  },
};

describe('at the cap', () => {
  test.each([
    ['human', { outcome: 'human' }, 200],
    ['approve', { outcome: 'approve' }, 200],
    ['a failure', {}, 500],
  ])('no endpoint is asked, whatever it would answer: %s', async (_, body, status) => {
    const asker = await agent(undefined, { blocks: [asking('limit')] });
    await fill();
    respondWith(body, status);
    const before = receiver.received.length;
    const key = randomUUID();
    expect(await postRequest(app, asker, { key })).toMatchObject(refused);
    expect(receiver.received).toHaveLength(before);
    expect(await rows().where({ agent_slug: asker.slug })).toEqual([]);
    // The key stays free.
    expect(await postRequest(app, asker, { key, tool: 'other' })).toMatchObject(refused);
    await decide(owner, (await pendingIds())[0] ?? '');
    expect((await postRequest(app, asker, { key, tool: 'other' })).status).toBe(201);
  });

  test('a rule before the endpoint still decides', async () => {
    const small = cel(
      'small',
      { id: 'is-small', field: '/request/tool', operator: 'equals', value: 'small' },
      { on_match: 'approve', reason: 'small' },
    );
    const asker = await agent(undefined, { blocks: [small, asking('limit')] });
    await fill();
    const answer = await postRequest(app, asker, { tool: 'small' });
    expect(answer).toMatchObject({ status: 201, body: { status: 'approved' } });
    expect((await postRequest(app, asker)).status).toBe(429);
  });

  test('a second endpoint is not asked when the cap was reached during the first', async () => {
    const asker = await agent(undefined, { blocks: [asking('first'), asking('second')] });
    const before = receiver.received.length;
    let release: () => void = () => undefined;
    receiver.respondWith((response) => {
      release = () => response.end(JSON.stringify({ outcome: 'next' }));
    });
    const creating = postRequest(app, asker);
    await until('the first is asked', () => receiver.received.length > before);
    await fill();
    release();
    expect(await creating).toMatchObject(refused);
    expect(receiver.received).toHaveLength(before + 1);
    expect(await rows().where({ agent_slug: asker.slug })).toEqual([]);
  });
});

describe('twelve creates at once', () => {
  test.each([
    ['human', { outcome: 'human' }, 200, [asking('limit')]],
    ['a failure', {}, 500, [asking('limit')]],
    [
      'next, and a rule behind it',
      { outcome: 'next', metadata: { risk: 1 } },
      200,
      [asking('limit'), always('ask', { outcome: 'human' })],
    ],
  ])('leave exactly as many as the cap allows, after %s', async (_, body, status, blocks) => {
    const asker = await agent(undefined, { blocks });
    respondWith(body, status);
    const before = receiver.received.length;
    const answers = await Promise.all(Array.from({ length: 12 }, () => postRequest(app, asker)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array<number>(CAP).fill(201),
      ...Array<number>(12 - CAP).fill(429),
    ]);
    const admitted = answers.flatMap(({ status, body }) => (status === 201 ? [body['id']] : []));
    expect((await rows().where({ agent_slug: asker.slug }).pluck('id')).sort()).toEqual(
      admitted.sort(),
    );
    // What was posted stays in the list of the endpoint, also where its request is gone.
    const posted = receiver.received.length - before;
    const { body: listed } = await owner.http.get('/api/v1/webhook_endpoints/rules/deliveries');
    const deliveries = (
      listed as unknown as { deliveries: Record<string, unknown>[] }
    ).deliveries.slice(0, posted);
    expect(deliveries).toHaveLength(posted);
    const named = deliveries.map((delivery) => delivery['request_id']).filter(Boolean);
    expect(named.sort()).toEqual(admitted.sort());
  });
});

test('a request that cannot be removed is refused at once, and never admitted', async () => {
  const asker = await agent(undefined, { blocks: [] });
  await fill();
  await app.db.raw(`create function refuse_removal() returns trigger language plpgsql as
    $$ begin raise exception 'something refers to it'; end $$`);
  await app.db.raw(`create trigger refuse_removal before delete on approval_requests
    for each row execute function refuse_removal()`);
  try {
    const key = randomUUID();
    expect(await postRequest(app, asker, { key })).toMatchObject(refused);
    const [row] = await rows().where({ agent_slug: asker.slug });
    expect(row).toMatchObject({ state: 'cancelled', admitted: false });
    // Also for its repetition: an adapter that asks again must not read it as somebody's answer.
    expect(await postRequest(app, asker, { key })).toMatchObject(refused);
  } finally {
    await app.db.raw('drop trigger refuse_removal on approval_requests');
  }
});

test('everything that refers to a request is removed with it, or comes only after the cap let it in', async () => {
  const AFTER_HAND_OVER = [
    'added_reviewers',
    'claims',
    'decisions',
    'escalation_steps',
    'notification_deliveries',
    'receiver_events',
    'slack_messages',
  ];
  const { rows: holding } = await app.db.raw<{ rows: { table: string }[] }>(
    `select k.table_name as table from information_schema.referential_constraints f
       join information_schema.key_column_usage k using (constraint_name)
       join information_schema.constraint_column_usage c using (constraint_name)
      where c.table_name = 'approval_requests' and f.delete_rule not in ('CASCADE', 'SET NULL')
      order by 1`,
  );
  expect(holding.map(({ table }) => table)).toEqual(AFTER_HAND_OVER);
});
