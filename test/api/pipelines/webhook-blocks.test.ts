/** Blocks that ask webhook endpoints: what is posted, what the answer does, and how failures end. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { requestOf } from '../../support/adapter.ts';
import type { Json } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { issuesOf } from '../../support/refusals.ts';
import { always, BASE, cel } from '../../support/scene/request-approval-pipelines.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const ENDPOINTS = '/api/v1/webhook_endpoints';
const { owner, agents, app, organization, routing, timeline, pipeline } = await scene({
  app: {
    temporal: true,
    environment: {
      ...LOOPBACK_ALLOWED,
      // A busy machine may take long for the first request.
      COUNTERSIGN_CREATE_BUDGET: '30s',
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']], night: [['ada']] },
  pipelines: { bot: {} },
});
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

const endpointRevision = async (key: string, url = receiver.url) =>
  await owner.http.post(`${ENDPOINTS}/${key}/revisions`, { name: 'Rules', url });
const { body: created } = await endpointRevision('rules');
const secret = String(created['signing_secret']);
await owner.http.post(`${ENDPOINTS}/rules/revisions/1/activate`, undefined, {
  headers: { 'if-match': '"0"' },
});

const ask = (id: string, config: object = {}, operation: object = {}) => ({
  id,
  name: `Ask ${id}`,
  type: 'webhook',
  // A busy machine may take long to answer.
  timeout: '30s',
  ...operation,
  config: { endpoint_key: 'rules', ...config },
});
const answers = (...given: readonly (object | ((response: ServerResponse) => void))[]) => {
  let next = 0;
  const before = receiver.received.length;
  receiver.respondWith((response) => {
    const answer = given[Math.min(next, given.length - 1)];
    next += 1;
    if (typeof answer === 'function') answer(response);
    else response.end(JSON.stringify(answer));
  });
  return () => receiver.received.slice(before).map(({ body }) => JSON.parse(body) as Json);
};
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end();
const create = async (submission: object = {}) =>
  requestOf(
    await agents.bot.adapter.create({
      tool: 'refund',
      arguments: {},
      timeout: '1h',
      ...submission,
    }),
  );

beforeEach(() => {
  answers({ outcome: 'next' });
});

describe('a webhook block', () => {
  test('posts the exact request, signed, and its answer decides', async () => {
    await pipeline('bot', { blocks: [ask('limit')] });
    const posted = answers({ outcome: 'approve', reason: 'Below the limit.' });
    const request = await create({
      server: 'payments',
      agent_reasoning: 'Charged twice.',
      context: { ticket: 1 },
      arguments: { amount: 12.5 },
    });
    expect(request.decision).toMatchObject({ status: 'approved', note: 'Below the limit.' });
    const [payload] = posted();
    const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' };
    expect(payload).toEqual({
      id: headers['webhook-id'],
      type: 'approval_request.evaluate',
      preview: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      attempt: 1,
      organization_id: organization.id,
      endpoint_key: 'rules',
      pipeline: { scope: 'agent', agent_slug: 'bot', revision: expect.any(Number) },
      block: { id: 'limit', name: 'Ask limit' },
      request: {
        id: request.id,
        tool: 'refund',
        server: 'payments',
        arguments: { amount: 12.5 },
        agent_reasoning: 'Charged twice.',
        context: { ticket: 1 },
        created_at: request.created_at,
        deadline_at: request.deadline_at,
      },
      agent: { slug: 'bot', name: expect.any(String) },
      instance: { id: expect.any(String), name: expect.any(String) },
      previous_metadata: { organization: {}, agent: {} },
    });
    new Webhook(secret).verify(body, headers as Record<string, string>);
  });

  test('never changes a digit of what the agent sent', async () => {
    await pipeline('bot', { blocks: [ask('limit')] });
    answers({ outcome: 'approve' });
    const text = '{"__proto__":1,"amount":1e400,"id":9007199254740993,"price":1.0,"z":"\\u0000"}';
    const raw = `{"tool":"refund","timeout":"1h","arguments":${text}}`;
    const answer = await agents.bot.adapter.raw('POST', '/api/aap/v1/requests', {
      body: raw,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'exact-digits' },
    });
    expect(answer.status).toBe(201);
    expect(receiver.received.at(-1)?.body).toContain(`"arguments":${text}`);
  });

  test.each([
    [{ outcome: 'approve' }, {}, 'approved', undefined],
    [{ outcome: 'deny', reason: '' }, { reason: 'Ask again later.' }, 'denied', 'Ask again later.'],
    [{ outcome: 'deny', reason: 'No.' }, { reason: 'Never.' }, 'denied', 'No.'],
  ])('answers %j with %j: %s', async (answer, config, outcome, note) => {
    await pipeline('bot', { blocks: [ask('limit', config), always()] });
    answers(answer);
    const { decision } = await create();
    expect([decision?.status, decision?.note]).toEqual([outcome, note]);
  });

  test('with next, the block behind it is asked, with the metadata of the first', async () => {
    const flagged = cel(
      'flagged',
      {
        id: 'risk',
        field: '/previous_metadata/agent/first/risk',
        operator: 'greater_than',
        value: 9007199254740992,
      },
      { on_match: 'deny', reason: 'Too risky.' },
    );
    await pipeline('bot', { blocks: [ask('first'), flagged, ask('second')] });
    const posted = answers(
      (response) => response.end('{"outcome":"next","metadata":{"risk":9007199254740992}}'),
      { outcome: 'approve' },
    );
    expect((await create()).status).toBe('approved');
    expect(posted()[1]).toMatchObject({
      block: { id: 'second' },
      previous_metadata: { organization: {}, agent: { first: { risk: 9007199254740992 } } },
    });
    answers((response) => response.end('{"outcome":"next","metadata":{"risk":9007199254740993}}'), {
      outcome: 'approve',
    });
    expect((await create()).decision).toMatchObject({ status: 'denied', note: 'Too risky.' });
  });

  test('hands the request to a person over its own path, the answer’s, or the default', async () => {
    const document = { default_escalation_path: 'night' };
    const routeOf = async (config: object, answer: object) => {
      await pipeline('bot', { ...document, blocks: [ask('limit', config)] });
      answers(answer);
      const { path_key: path, source, reason } = await routing((await create()).id);
      return [path, source, reason];
    };
    const own = { escalation_path: 'finance' };
    expect(await routeOf({}, { outcome: 'human' })).toEqual([
      'night',
      'pipeline_default',
      undefined,
    ]);
    expect(await routeOf(own, { outcome: 'human', reason: 'Look.' })).toEqual([
      'finance',
      'block_escalation',
      'Look.',
    ]);
    expect(await routeOf(own, { outcome: 'human', escalation_path: 'night' })).toEqual([
      'night',
      'block_escalation',
      undefined,
    ]);
    expect(await routeOf(own, { outcome: 'human', escalation_path: 'unknown' })).toEqual([
      'finance',
      'block_escalation',
      undefined,
    ]);
    expect(await routeOf({}, { outcome: 'human', escalation_path: 'unknown' })).toEqual([
      'night',
      'pipeline_default',
      undefined,
    ]);
  });

  test('ends a branch that it passes on', async () => {
    const when = { id: 'any', field: '/request/tool', operator: 'exists' };
    const branch = {
      id: 'refunds',
      name: 'Refunds',
      type: 'branch',
      config: { when, reason: 'No rule decided.', blocks: [ask('inner')] },
    };
    await pipeline('bot', { blocks: [branch, always()] });
    answers({ outcome: 'next' });
    const { id, status: state } = await create();
    expect(state).toBe('pending');
    expect(await routing(id)).toMatchObject({ reason: 'No rule decided.' });
  });
});

describe('a failed webhook block', () => {
  test.each<[string, object | ((response: ServerResponse) => void)]>([
    ['invalid_answer', { outcome: 'maybe' }],
    ['invalid_answer', (response) => response.end('{"outcome":"approve"')],
    ['invalid_answer', { outcome: 'approve', escalation_path: 'night' }],
    ['unexpected_status', status(302, { location: 'https://example.com/' })],
    ['unexpected_status', status(404)],
    ['answer_too_large', (response) => response.end(' '.repeat(64 * 1024 + 1))],
    ['connection_failed', (response) => response.destroy()],
  ])('hands the request to a person: %s', async (code, answer) => {
    await pipeline('bot', { blocks: [ask('limit', { escalation_path: 'finance' }), always()] });
    const posted = answers(answer);
    const { id, status: state } = await create();
    expect(state).toBe('pending');
    expect(posted()).toHaveLength(1);
    const events = await timeline(id);
    expect(events.map((event) => event['event_type'])).toContain('approval_request.block_asked');
    expect(events).toContainEqual(
      expect.objectContaining({
        event_type: 'approval_request.block_asked',
        data: expect.objectContaining({
          scope: 'agent',
          block_id: 'limit',
          attempt: 1,
          error_code: code,
        }),
      }),
    );
  });

  test('denies where on_error says so', async () => {
    await pipeline('bot', { blocks: [ask('limit', { on_error: 'deny' })] });
    answers(status(500));
    expect((await create()).decision).toMatchObject({
      status: 'denied',
      note: 'Ask limit gave no valid answer.',
    });
  });

  test('is asked again with the same delivery while attempts are left, as Retry-After says', async () => {
    await pipeline('bot', { blocks: [ask('limit', {}, { max_attempts: 3 })] });
    const posted = answers(status(503), status(429, { 'retry-after': '1' }), {
      outcome: 'approve',
    });
    expect((await create()).status).toBe('approved');
    const payloads = posted();
    expect(payloads.map((payload) => payload['attempt'])).toEqual([1, 2, 3]);
    expect(new Set(payloads.map((payload) => payload['id'])).size).toBe(1);
    const counted = await app.context.metrics.registry.metrics();
    expect(counted).toContain(
      'countersign_block_attempts_total{type="webhook",result="unexpected_status"}',
    );
  });
});

describe('a pipeline that names an endpoint', () => {
  const revisionOf = async (document: object) =>
    await owner.http.post(`${BASE}/agents/bot/revisions`, document);
  const activate = async (revision: unknown) => {
    const active = await owner.http.get(`${BASE}/agents/bot`);
    return await owner.http.post(
      `${BASE}/agents/bot/revisions/${String(revision)}/activate`,
      undefined,
      { headers: { 'if-match': String(active.headers['etag']) } },
    );
  };

  test('needs it to exist, and to be active when it is activated', async () => {
    const document = { blocks: [always(), ask('a', { endpoint_key: 'later' })] };
    const refused = await revisionOf(document);
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toEqual([
      expect.objectContaining({
        pointer: '/blocks/1/config/endpoint_key',
        code: 'unknown_webhook_endpoint',
      }),
    ]);
    await endpointRevision('later');
    const stored = await revisionOf(document);
    expect(stored.status).toBe(201);
    const early = await activate(stored.body['revision']);
    expect([early.status, early.body['error']]).toEqual([
      409,
      expect.objectContaining({
        code: 'webhook_endpoint_inactive',
        details: { webhook_endpoints: ['later'] },
      }),
    ]);
    await owner.http.post(`${ENDPOINTS}/later/revisions/1/activate`, undefined, {
      headers: { 'if-match': '"0"' },
    });
    expect((await activate(stored.body['revision'])).status).toBe(200);
    const inUse = await owner.http.delete(`${ENDPOINTS}/later/active`, {
      headers: { 'if-match': '"1"' },
    });
    expect([inUse.status, inUse.body['error']]).toEqual([
      409,
      expect.objectContaining({
        code: 'webhook_endpoint_in_use',
        details: { uses: [expect.objectContaining({ block_key: 'a', agent_slug: 'bot' })] },
      }),
    ]);
  });
});
