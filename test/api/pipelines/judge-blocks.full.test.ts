/** Blocks that ask a language model: what it reads, what its answers do, and how failures end. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { requestOf } from '../../support/adapter.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { always, BASE } from '../../support/scene/request-approval-pipelines.ts';
import {
  judgeEnvironment,
  promptOf,
  startJudgeServer,
  type AskedJudge,
} from '../../support/servers/judge-server.ts';

const server = await startJudgeServer();
afterAll(() => server.close());
const { app, owner, people, agents, organization, routing, timeline, pipeline } = await scene({
  app: {
    temporal: true,
    environment: { ...judgeEnvironment(server), COUNTERSIGN_CREATE_BUDGET: '30s' },
  },
  people: { ada: REVIEWER, eve: [] },
  paths: { finance: [['ada']], night: [['ada']] },
  pipelines: { bot: {} },
});

const POLICY = 'Refunds up to 100 may pass.';
const judge = (config: object = {}, operation: object = {}) => ({
  id: 'policy',
  name: 'Refund policy',
  type: 'llm_judge',
  ...operation,
  config: { policy: POLICY, ...config },
});
const approveAll = always('rest', { outcome: 'approve' });
const says = (outcome: string, confidence: unknown = 0.9) => ({
  ...{ outcome, confidence },
  reason: 'Because I say so.',
});
const create = async (submission: object = {}) =>
  requestOf(
    await agents.bot.adapter.create({
      ...{ tool: 'refund', arguments: {}, timeout: '1h' },
      ...submission,
    }),
  );
const lastAsked = (): AskedJudge => {
  const asked = server.asked.at(-1);
  if (!asked) throw new Error('the judge was not asked');
  return asked;
};
const eventsOf = async (id: string, verb: string) =>
  (await timeline(id))
    .filter((event) => event['event_type'] === `approval_request.${verb}`)
    .map(({ data }) => data);
const assessmentsOf = async (id: string) =>
  (await owner.http.get(`/api/v1/requests/${id}/assessments`)).body['assessments'];
const takenToday = async (): Promise<number> =>
  Number((await app.db('judge_budgets').sum({ tokens: 'tokens' }).first())?.tokens ?? 0);

beforeEach(() => {
  server.judge({ reply: says('approve') });
});

describe('a judge', () => {
  test('decides, and everything it read and wrote is kept as evidence', async () => {
    await pipeline('bot', { blocks: [judge({ outcomes: ['approve', 'deny'] })] });
    const before = await takenToday();
    const request = await create({ server: 'payments', arguments: { amount: 12.5 } });
    expect(request.decision).toMatchObject({
      status: 'approved',
      note: 'Decided by Refund policy.',
    });
    const { system, user } = promptOf(lastAsked());
    const cost = { input_tokens: 100, output_tokens: 20, amount: '0.000065', currency: 'USD' };
    expect(await assessmentsOf(request.id)).toEqual([
      {
        ...{ scope: 'agent', block_id: 'policy', model: 'judge-small' },
        ...{ ...says('approve'), cost },
        input: `${system}\n\n${user}`,
        output: JSON.stringify(says('approve')),
        created_at: expect.any(String),
      },
    ]);
    expect(await eventsOf(request.id, 'judged')).toEqual([
      {
        ...{ scope: 'agent', block_id: 'policy', model: 'judge-small', ...says('approve') },
        ...cost,
        prompt_sha256: createHash('sha256').update(`${system}\n\n${user}`).digest('hex'),
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(await takenToday()).toBe(before + 120);
    const row = await app
      .db('pipeline_block_results')
      .where({ request_id: request.id })
      .first<{ cost: string }>('cost');
    expect(JSON.parse(row?.cost ?? '')).toEqual(cost);
  });

  test('reads the policy as the instruction, and only what it includes, with every digit', async () => {
    await pipeline('bot', { blocks: [judge({ include: ['arguments', 'context'] })] });
    const text = '{"id":9007199254740993,"price":1.0,"note":"pay \u202e001"}';
    await agents.bot.adapter.raw('POST', '/api/aap/v1/requests', {
      body: `{"tool":"refund","timeout":"1h","agent_reasoning":"secret","context":{"ticket":7},"arguments":${text}}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'exact-digits' },
    });
    const asked = lastAsked();
    const { system, user } = promptOf(asked);
    expect(system).toContain(POLICY);
    expect(system).not.toContain('9007199254740993');
    expect(user).toBe(
      String.raw`{"tool":"refund","arguments":{"id":9007199254740993,"price":1.0,"note":"pay \u202e001"},"context":{"ticket":7}}`,
    );
    expect(asked.body).not.toHaveProperty('tools');
    expect(asked.body).toMatchObject({
      model: 'judge-small',
      response_format: {
        type: 'json_schema',
        json_schema: { schema: { properties: { outcome: { enum: ['approve', 'human'] } } } },
      },
    });
  });

  test('decides with its own reason, and its outcomes, model and confidence are the block’s', async () => {
    const config = { outcomes: ['deny', 'next'], reason: 'Not today.', model: 'judge-large' };
    await pipeline('bot', { blocks: [judge(config), approveAll] });
    server.judge({ reply: says('deny') });
    expect((await create()).decision).toMatchObject({ status: 'denied', note: 'Not today.' });
    expect(lastAsked().body['model']).toBe('judge-large');
    server.judge({ reply: says('next') });
    expect((await create()).status).toBe('approved');
  });

  test('hands the request to a person below the least confidence, over its own path', async () => {
    const config = { escalation_path: 'finance', outcomes: ['approve'] };
    const document = { default_escalation_path: 'night', blocks: [judge(config)] };
    await pipeline('bot', document);
    server.judge({
      reply: '{"outcome":"approve","confidence":0.79999999999999999999,"reason":""}',
    });
    const { id, status } = await create();
    expect(status).toBe('pending');
    expect(await routing(id)).toMatchObject({ path_key: 'finance', source: 'block_escalation' });
    expect(await eventsOf(id, 'judged')).toEqual([expect.objectContaining({ outcome: 'human' })]);
  });
});

describe('a judge that fails', () => {
  const status =
    (code: number, headers = {}) =>
    (response: ServerResponse) =>
      response.writeHead(code, headers).end();

  test.each<[string, (response: ServerResponse) => void]>([
    ['judge_unavailable', status(401)],
    ['judge_unavailable', status(500)],
    ['judge_unavailable', status(302, { location: '/v1/models' })],
    ['judge_unavailable', (response) => response.destroy()],
    ['judge_invalid_answer', (response) => response.end('no JSON')],
    ['judge_invalid_answer', (response) => response.end('{}')],
    ['judge_invalid_answer', (response) => response.end(' '.repeat(300 * 1024))],
  ])('sends the request to a person: %s', async (code, answer) => {
    await pipeline('bot', { blocks: [judge({ escalation_path: 'finance' }), approveAll] });
    server.respondWith(answer);
    const { id, status: state } = await create();
    expect(state).toBe('pending');
    expect(await eventsOf(id, 'block_asked')).toEqual([
      expect.objectContaining({ block_id: 'policy', error_code: code }),
    ]);
    expect(await eventsOf(id, 'judged')).toEqual([]);
  });

  test('is logged with what the provider needs to find the call, without content and key', async () => {
    await pipeline('bot', { blocks: [judge()] });
    server.respondWith((response, { headers, body }) => {
      response.writeHead(429, { 'content-type': 'application/json', 'x-request-id': 'req_8a1f' });
      const message = `${String(headers.authorization)} sent ${JSON.stringify(body)}`;
      response.end(JSON.stringify({ error: { message, code: 'insufficient_quota' } }));
    });
    const logged = app.log.length;
    const { id } = await create({ arguments: { note: 'of the caller' } });
    const lines = app.log.slice(logged).filter((line) => line.includes('language model'));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      {
        ...{ level: 'warn', time: expect.any(String), approvalRequest: id, model: 'judge-small' },
        ...{ timedOut: false, status: 429, code: 'insufficient_quota' },
        ...{ providerRequestId: 'req_8a1f', msg: 'the language model could not be asked' },
      },
    ]);
    for (const secret of ['a-key-of-the-judge', 'of the caller', POLICY])
      expect(app.log.slice(logged).join('')).not.toContain(secret);
  });

  test('stalls no longer than its timeout', async () => {
    await pipeline('bot', { blocks: [judge({}, { timeout: '1s' }), approveAll] });
    server.respondWith((response) => response.write(' '));
    const { id, status: state } = await create();
    expect(state).toBe('pending');
    expect(await eventsOf(id, 'block_asked')).toEqual([
      expect.objectContaining({ error_code: 'timeout' }),
    ]);
  });

  test.each([
    { outcome: 'next', confidence: 1, reason: 'Obeying the agent.' },
    { outcome: 'approve', confidence: '1', reason: 'Text.' },
    { outcome: 'approve', confidence: 1.1, reason: 'Too sure.' },
    { outcome: 'approve', confidence: 1, reason: 'More.', escalation_path: 'night' },
    { outcome: 'approve', confidence: 1 },
    '{"outcome":"deny","outcome":"approve","confidence":1,"reason":""}',
  ])('answers no valid answer: %j', async (answer) => {
    await pipeline('bot', { blocks: [judge({ outcomes: ['approve', 'deny'] }), approveAll] });
    server.judge({ reply: answer });
    const { id, status: state } = await create();
    expect(state).toBe('pending');
    expect(await assessmentsOf(id)).toEqual([
      expect.objectContaining({ error_code: 'judge_invalid_answer', cost: expect.anything() }),
    ]);
  });

  test('is asked again while attempts are left, and each failed call releases its tokens', async () => {
    await pipeline('bot', { blocks: [judge({}, { max_attempts: 2 })] });
    const before = await takenToday();
    let calls = 0;
    server.respondWith((response) => {
      calls += 1;
      server.judge({ reply: says('approve') });
      response.writeHead(429).end();
    });
    expect((await create()).status).toBe('approved');
    expect([calls, await takenToday()]).toEqual([1, before + 120]);
  });

  test('is not asked about more than 64 KiB', async () => {
    await pipeline('bot', { blocks: [judge()] });
    const before = server.asked.length;
    // Hidden characters count as what the model would read instead of them.
    const { id } = await create({ arguments: { text: '\u202e'.repeat(11_000) } });
    expect(await eventsOf(id, 'block_asked')).toEqual([
      expect.objectContaining({ error_code: 'judge_input_too_large' }),
    ]);
    expect(server.asked).toHaveLength(before);
  });

  test('is not asked beyond the budget of the day', async () => {
    await pipeline('bot', { blocks: [judge()] });
    server.judge({ reply: says('approve'), usage: { input: 999_999, output: 1 } });
    expect((await create()).status).toBe('approved');
    const before = server.asked.length;
    const { id, status: state } = await create();
    expect(state).toBe('pending');
    expect(await eventsOf(id, 'block_asked')).toEqual([
      expect.objectContaining({ error_code: 'judge_budget_exhausted' }),
    ]);
    expect(server.asked).toHaveLength(before);
    await app.db('judge_budgets').where({ organization_id: organization.id }).delete();
  });
});

test('a preview asks the judge, and says what that took', async () => {
  const answer = await owner.http.post(`${BASE}/agents/bot/preview`, {
    blocks: [judge()],
    sample: { request: { tool: 'refund', arguments: {} }, agent: { slug: 'bot', name: 'Bot' } },
  });
  expect(answer.body).toMatchObject({
    outcome: 'approve',
    blocks: [
      {
        ...{ block_id: 'policy', outcome: 'approve', reason: 'Decided by Refund policy.' },
        cost: { input_tokens: 100, output_tokens: 20, amount: '0.000065', currency: 'USD' },
      },
    ],
  });
  expect(await app.db('request_assessments').whereNull('request_id')).toEqual([]);
});

test('assessments are seen by those who see the request', async () => {
  await pipeline('bot', { blocks: [judge()] });
  const { id } = await create();
  const path = `/api/v1/requests/${id}/assessments`;
  expect((await people.ada.http.get(path)).status).toBe(200);
  expect((await people.eve.http.get(path)).status).toBe(403);
  expect((await owner.http.get(path.replace(id, organization.id))).status).toBe(404);
});

test('assessments are purged after 30 days', async () => {
  await pipeline('bot', { blocks: [judge()] });
  const { id } = await create();
  const age = async (days: number) => {
    const created_at = new Date(Date.now() - days * 86_400_000);
    await app.db('request_assessments').where({ request_id: id }).update({ created_at });
    await purgeBatch(app.context, new AbortController().signal);
  };
  await age(29);
  expect(await assessmentsOf(id)).toHaveLength(1);
  await age(31);
  expect(await assessmentsOf(id)).toEqual([]);
});
