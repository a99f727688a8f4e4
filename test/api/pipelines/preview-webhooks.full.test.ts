/** Previews with blocks that ask webhook endpoints: what is posted, and what the report says. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Json } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { always, BASE, cel, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const { owner, app, organization } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  pipelines: { bot: {} },
});
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

const ENDPOINTS = '/api/v1/webhook_endpoints';
await owner.http.post(`${ENDPOINTS}/rules/revisions`, { name: 'Rules', url: receiver.url });
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
const branch = (id: string, blocks: readonly object[]) => ({
  id,
  name: 'Branch',
  type: 'branch',
  config: {
    when: { id: `when-${id}`, field: '/request/tool', operator: 'exists' },
    blocks,
    reason: `No rule of ${id} decided.`,
    escalation_path: 'finance',
  },
});
const sampleOf = (more: object = {}, args: object = {}) => ({
  request: { tool: 'refund', arguments: args },
  agent: { slug: 'bot', name: 'Bot' },
  ...more,
});

type Answer = string | ((response: ServerResponse) => void);
/** Answers calls in order, the last answer to all further ones. Returns what was posted since. */
const answers = (...given: readonly Answer[]) => {
  let next = 0;
  const before = receiver.received.length;
  receiver.respondWith((response) => {
    const answer = given[Math.min(next, given.length - 1)] ?? '';
    next += 1;
    if (typeof answer === 'string') response.end(answer);
    else answer(response);
  });
  return () => receiver.received.slice(before).map(({ body }) => JSON.parse(body) as Json);
};
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end();

const preview = async (document: object, { sample = sampleOf(), base = ORGANIZATION } = {}) => {
  const answer = await owner.http.post(`${base}/preview`, { ...document, sample });
  expect(answer.status).toBe(200);
  return answer;
};

beforeEach(() => {
  answers('{"outcome":"next"}');
});

describe('a preview asks the endpoint', () => {
  test('with the sample, marked as a preview, without instance, ids and times of a request', async () => {
    const posted = answers('{"outcome":"approve"}');
    const sample = sampleOf(
      {
        previous_metadata: { organization: { risk: { score: 2 } } },
        request: {
          tool: 'refund',
          server: 'payments',
          arguments: { amount: 12.5 },
          agent_reasoning: 'Charged twice.',
          context: { ticket: 1 },
        },
      },
      {},
    );
    const agentBase = `${BASE}/agents/bot`;
    await preview({ blocks: [ask('limit')] }, { sample, base: agentBase });
    const [payload] = posted();
    expect(payload).toEqual({
      id: receiver.received.at(-1)?.headers['webhook-id'],
      type: 'approval_request.evaluate',
      preview: true,
      created_at: expect.any(String),
      attempt: 1,
      organization_id: organization.id,
      endpoint_key: 'rules',
      pipeline: { scope: 'agent', agent_slug: 'bot' },
      block: { id: 'limit', name: 'Ask limit' },
      request: sample.request,
      agent: { slug: 'bot', name: 'Bot' },
      previous_metadata: { organization: { risk: { score: 2 } }, agent: {} },
    });
  });

  test('once, however many attempts the block has, and stores no result', async () => {
    const posted = answers(status(503));
    await preview({ blocks: [ask('limit', {}, { max_attempts: 5 })] });
    expect(posted()).toHaveLength(1);
    expect(await app.db('pipeline_block_results')).toEqual([]);
  });

  test('only where the sample reaches the block', async () => {
    const posted = answers('{"outcome":"approve"}');
    const disabled = { ...ask('off'), enabled: false };
    await preview({ blocks: [disabled, always(), ask('behind')] });
    expect(posted()).toEqual([]);
  });
});

describe('a preview reports', () => {
  test('what the endpoint answered, with its metadata digit for digit', async () => {
    answers('{"outcome":"deny","reason":"No.","metadata":{"risk":9007199254740993,"z":1.50}}');
    const answer = await preview({ blocks: [ask('limit')] });
    expect(answer.body).toMatchObject({
      outcome: 'deny',
      reason_code: 'block_outcome',
      terminal_block_id: 'limit',
      escalation_path_source: 'no_escalation',
      blocks: [{ block_id: 'limit', position: 0, outcome: 'deny', reason: 'No.' }],
    });
    expect(answer.text).toContain('"metadata":{"risk":9007199254740993,"z":1.50}');
  });

  test('later conditions that see the metadata, beside that of the sample', async () => {
    const risk = cel('risk', {
      id: 'both',
      all: [
        {
          id: 'returned',
          field: '/previous_metadata/organization/limit/risk',
          operator: 'equals',
          value: 7,
        },
        {
          id: 'given',
          field: '/previous_metadata/organization/earlier/score',
          operator: 'equals',
          value: 2,
        },
      ],
    });
    const sample = sampleOf({ previous_metadata: { organization: { earlier: { score: 2 } } } });
    const posted = answers('{"outcome":"next","metadata":{"risk":7}}', '{"outcome":"next"}');
    const { body } = await preview({ blocks: [ask('limit'), ask('more'), risk] }, { sample });
    expect(body).toMatchObject({
      outcome: 'approve',
      terminal_block_id: 'risk',
      blocks: [
        { block_id: 'limit', position: 0, outcome: 'next', metadata: { risk: 7 } },
        {
          block_id: 'more',
          position: 1,
          outcome: 'next',
          reason: 'Ask more passed the request on.',
        },
        { block_id: 'risk', position: 2, outcome: 'approve' },
      ],
    });
    expect(posted()[1]).toMatchObject({
      previous_metadata: { organization: { earlier: { score: 2 }, limit: { risk: 7 } }, agent: {} },
    });
  });

  test.each([
    [{ outcome: 'human' }, {}, ['night', 'pipeline_default']],
    [{ outcome: 'human' }, { escalation_path: 'finance' }, ['finance', 'block_escalation']],
    [
      { outcome: 'human', escalation_path: 'legal' },
      { escalation_path: 'finance' },
      ['legal', 'block_escalation'],
    ],
    [{ outcome: 'approve' }, { escalation_path: 'finance' }, [undefined, 'no_escalation']],
  ])('for %j to a block with %j the path %j', async (answer, config, route) => {
    answers(JSON.stringify(answer));
    const document = { blocks: [ask('limit', config)], default_escalation_path: 'night' };
    const { body } = await preview(document);
    expect([body['escalation_path'], body['escalation_path_source']]).toEqual(route);
  });

  test('the end of a branch whose last block asked and passed the sample on', async () => {
    answers('{"outcome":"next"}');
    const { body } = await preview({ blocks: [branch('outer', [branch('inner', [ask('a')])])] });
    expect(body).toEqual({
      outcome: 'human',
      reason_code: 'end_of_branch',
      terminal_block_id: 'inner',
      escalation_path: 'finance',
      escalation_path_source: 'block_escalation',
      blocks: [
        { block_id: 'outer', position: 0, outcome: 'enter', reason: 'The condition holds.' },
        { block_id: 'inner', position: 1, outcome: 'enter', reason: 'The condition holds.' },
        { block_id: 'a', position: 2, outcome: 'next', reason: 'Ask a passed the request on.' },
        {
          block_id: 'inner',
          position: 1,
          outcome: 'human',
          reason: 'No rule of inner decided.',
          end_of_branch: true,
        },
      ],
      warnings: [
        { code: 'escalation_path_inactive', block_id: 'outer' },
        { code: 'escalation_path_inactive', block_id: 'inner' },
      ],
    });
  });

  test.each<[object, Answer, object]>([
    [{ error_code: 'invalid_answer' }, '{"outcome":"maybe"}', {}],
    [{ error_code: 'invalid_answer' }, '{"outcome":"approve"', {}],
    [{ error_code: 'unexpected_status' }, status(302), {}],
    [{ error_code: 'unexpected_status' }, status(500), {}],
    [{ error_code: 'answer_too_large' }, ' '.repeat(64 * 1024 + 1), {}],
    [
      { error_code: 'connection_failed', error_cause: 'reset' },
      (response) => response.destroy(),
      {},
    ],
    [{ error_code: 'timeout', error_cause: 'timeout' }, () => undefined, { timeout: '1s' }],
  ])('the failure %j, which ends at a person', async (failure, answer, operation) => {
    answers(answer);
    const blocks = [ask('limit', { escalation_path: 'finance' }, operation), always()];
    expect((await preview({ blocks })).body).toEqual({
      outcome: 'human',
      reason_code: 'block_error',
      terminal_block_id: 'limit',
      escalation_path: 'finance',
      escalation_path_source: 'block_escalation',
      blocks: [{ block_id: 'limit', position: 0, outcome: 'human', ...failure }],
      warnings: [{ code: 'escalation_path_inactive', block_id: 'limit' }],
    });
  });

  test('an endpoint that is unknown or not active', async () => {
    await owner.http.post(`${ENDPOINTS}/draft/revisions`, { name: 'Draft', url: receiver.url });
    for (const endpoint_key of ['unknown', 'draft'])
      expect((await preview({ blocks: [ask('limit', { endpoint_key })] })).body).toMatchObject({
        outcome: 'human',
        reason_code: 'block_error',
        blocks: [{ error_code: 'endpoint_inactive' }],
      });
  });

  test('a denial where on_error says so', async () => {
    answers(status(500));
    expect((await preview({ blocks: [ask('limit', { on_error: 'deny' })] })).body).toMatchObject({
      outcome: 'deny',
      reason_code: 'block_error',
      terminal_block_id: 'limit',
      escalation_path_source: 'no_escalation',
      blocks: [
        {
          block_id: 'limit',
          outcome: 'deny',
          reason: 'Ask limit gave no valid answer.',
          error_code: 'unexpected_status',
        },
      ],
    });
  });
});

describe('a large preview', () => {
  const long = 'x'.repeat(100_000);
  const matches = cel('matches', {
    id: 'long',
    field: '/request/arguments/note',
    operator: 'matches',
    value: '^x+$',
  });

  test('runs in a thread, asks, and goes on behind the answer', async () => {
    const posted = answers('{"outcome":"next","metadata":{"seen":true}}');
    const seen = cel('seen', {
      id: 'flag',
      field: '/previous_metadata/agent/limit/seen',
      operator: 'equals',
      value: true,
    });
    const { body } = await preview(
      { blocks: [branch('big', [ask('limit'), matches]), seen] },
      { sample: sampleOf({}, { note: long }), base: `${BASE}/agents/bot` },
    );
    expect(posted()[0]).toMatchObject({ request: { arguments: { note: long } } });
    expect(body).toMatchObject({
      outcome: 'approve',
      terminal_block_id: 'matches',
      blocks: [
        { block_id: 'big', outcome: 'enter' },
        { block_id: 'limit', outcome: 'next', metadata: { seen: true } },
        { block_id: 'matches', outcome: 'approve' },
      ],
    });
  });
});
