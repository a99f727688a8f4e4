/** When calls to other systems end: with their request in every process, and before they take a person's time. Each leaves a trace. */
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { requestOf } from '../support/adapter.ts';
import { startApp } from '../support/app.ts';
import { HttpClient, type Json } from '../support/http.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { asking, ASKING } from '../support/servers/asked-endpoint.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { until } from '../support/waiting.ts';

const { owner, agents, app, agent, pipeline, read, timeline, verbsOf } = await scene({
  app: { temporal: true, environment: ASKING },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const receiver = await startWebhookReceiver();
/** Another process of the deployment, without a worker. */
const other = await startApp({
  environment: ASKING,
  rules: 'workflow',
  databaseUrl: app.databaseUrl,
});
afterAll(async () => {
  await receiver.close();
  await other.close();
});
await owner.http.post('/api/v1/webhook_endpoints/rules/revisions', {
  name: 'Rules',
  url: receiver.url,
});
await owner.http.post('/api/v1/webhook_endpoints/rules/revisions/1/activate', undefined, {
  headers: { 'if-match': '"0"' },
});

const requestIn = (body: string) =>
  String((JSON.parse(body) as { request: { id: string } }).request.id);
const callsOf = (id: string) => receiver.received.filter(({ body }) => requestIn(body) === id);
/** Holds every call, and notes when its connection is closed. */
const hold = () => {
  const closedAt = new Map<string, number>();
  receiver.respondWith((response) => {
    const id = requestIn(receiver.received.at(-1)?.body ?? '');
    response.on('close', () => closedAt.set(id, Date.now()));
  });
  return closedAt;
};
const submit = async (asker = agents.bot, timeout = '1h') =>
  requestOf(await asker.adapter.create({ tool: 'refund', arguments: {}, timeout })).id;
const decidedAt = async (id: string) =>
  Date.parse(String((await read(id)).decision?.['decided_at']));

describe('a call under way ends within a second', () => {
  const held = asking('limit', { timeout: '30s' });

  const expectEnded = async (id: string, closedAt: ReadonlyMap<string, number>) => {
    await until('the call is closed', () => closedAt.has(id));
    // Its own limit is 30 s.
    expect((closedAt.get(id) ?? 0) - (await decidedAt(id))).toBeLessThan(20_000);
  };

  test('of the deadline', async () => {
    const closedAt = hold();
    await pipeline('bot', { blocks: [held] });
    let id = '';
    // On a busy machine the deadline may come before the call.
    do {
      id = await submit(agents.bot, '5s');
      await until(
        'a call, or the deadline',
        async () => callsOf(id).length > 0 || (await read(id))['status'] === 'expired',
      );
    } while (callsOf(id).length === 0);
    await expectEnded(id, closedAt);
    expect((await read(id))['status']).toBe('expired');
  });

  test('of its agent being archived, in this process and in another', async () => {
    const closedAt = hold();
    for (const url of [app.url, other.url]) {
      const asker = await agent(undefined, { blocks: [held] });
      const id = await submit(asker);
      await until('the call', () => callsOf(id).length === 1);
      const client = new HttpClient(url, { authorization: `Bearer ${owner.apiKey}` });
      expect((await client.delete(`/api/v1/agents/${asker.slug}`)).status).toBe(204);
      await expectEnded(id, closedAt);
    }
  });

  test('of a cancellation in another process', async () => {
    const closedAt = hold();
    const id = await submit();
    await until('the call', () => callsOf(id).length === 1);
    requestOf(await agents.bot.adapter.at(`${other.url}/api/aap`).cancel(id));
    await expectEnded(id, closedAt);
  });

  test('and leaves a trace in the timeline and in the deliveries', async () => {
    hold();
    const id = await submit();
    await until('the call', () => callsOf(id).length === 1);
    requestOf(await agents.bot.adapter.cancel(id));
    expect(await verbsOf(id)).toEqual(['created', 'block_attempt_begun', 'cancelled']);
    const begun = (await timeline(id)).find(({ event_type: type }) =>
      String(type).endsWith('block_attempt_begun'),
    );
    expect(begun?.['data']).toEqual({ scope: 'agent', block_id: 'limit', attempt: 1 });
    const { body } = await owner.http.get('/api/v1/webhook_endpoints/rules/deliveries');
    const [delivery] = (body as unknown as { deliveries: Json[] }).deliveries;
    expect(delivery).toMatchObject({ request_id: id, attempt: 1, revision: 1 });
    expect(delivery).not.toHaveProperty('duration_ms');
    expect(delivery).not.toHaveProperty('error_code');
  });
});

describe('an attempt that could not begin before the deadline', () => {
  const failing =
    (headers: object) =>
    (response: ServerResponse): unknown =>
      response.writeHead(503, headers as Record<string, string>).end();

  test.each([
    ['Retry-After reaches past it', { 'retry-after': '60' }, '20s', 5],
    ['Retry-After, cut to the longest pause, would fit', { 'retry-after': '3600' }, '50s', 5],
  ])('is not waited for: %s', async (_, headers, timeout, attempts) => {
    receiver.respondWith(failing(headers));
    await pipeline('bot', { blocks: [asking('limit', { max_attempts: attempts })] });
    const id = await submit(agents.bot, timeout);
    await until('a person is asked', async () => (await verbsOf(id)).includes('routed'));
    expect(callsOf(id)).toHaveLength(1);
    const asked = (await timeline(id)).filter(({ event_type: type }) =>
      String(type).endsWith('block_asked'),
    );
    expect(asked.map(({ data }) => data)).toEqual([
      expect.objectContaining({ attempt: 1, error_code: 'unexpected_status', status_code: 503 }),
    ]);
    expect((await read(id))['status']).toBe('pending');
  });

  test('one that can begin is waited for', async () => {
    let calls = 0;
    receiver.respondWith((response) => {
      calls += 1;
      if (calls === 1) failing({ 'retry-after': '1' })(response);
      else response.end('{"outcome":"approve"}');
    });
    const id = await submit(agents.bot, '50s');
    await until('it is approved', async () => (await read(id))['status'] === 'approved');
    expect(callsOf(id)).toHaveLength(2);
  });
});
