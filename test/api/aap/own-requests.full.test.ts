/** An adapter waits with its create, and for all its open requests with one call. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { createInstance } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';

const { app, organization, owner, people, agents, agent, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const bot = as(agents.bot.credential);

const create = async (query = '', caller = bot, more: Record<string, unknown> = {}) =>
  await caller.post(
    `/api/aap/v1/requests${query}`,
    { tool: 'issue_refund', arguments: { amount: 1 }, timeout: '1h', ...more },
    { headers: { 'idempotency-key': randomUUID() } },
  );
const list = async (query: string, caller = bot) =>
  await caller.get(`/api/aap/v1/requests${query}`);
const idsOf = ({ body }: ApiResponse) =>
  (body['requests'] as unknown as { id: string }[]).map(({ id }) => id);
const idOf = ({ body }: ApiResponse) => String(body['id']);
const parked = (id: string) =>
  until('the wait is parked', () => app.context.changes.waitedFor().includes(id));
const newest = async () => {
  const rows = await app
    .db('approval_requests')
    .where({ agent_slug: agents.bot.slug })
    .orderBy('created_at', 'desc')
    .limit(1)
    .pluck<string[]>('id');
  return rows[0] ?? '';
};

describe('a create that waits', () => {
  test('returns 201 with the decision', async () => {
    const creating = create('?wait=30s');
    await until('it waits', async () => app.context.changes.waitedFor().includes(await newest()));
    const id = await newest();
    // Rules evaluate it first.
    await until('people decide it', async () => {
      const decided = await decide(ada, id, { status: 'approved', note: 'fine' });
      return decided.status === 200;
    });
    const { status, body } = await creating;
    expect([status, body['status'], body['decision']?.['note']]).toEqual([201, 'approved', 'fine']);
    expect((await bot.get(`/api/aap/v1/requests/${id}`)).body).toEqual(body);
  });

  test('returns 201 `pending` when the time is over', async () => {
    const { status, body } = await create('?wait=1s');
    expect([status, body['status']]).toEqual([201, 'pending']);
  });

  test('ends with its credential', async () => {
    const spare = await createInstance(app, organization, agents.bot.slug);
    const creating = create('?wait=30s', as(spare.credential));
    await until('it waits', async () => app.context.changes.waitedFor().includes(await newest()));
    await app
      .db('agent_credentials')
      .where({ agent_instance_id: spare.instanceId })
      .update({ revoked_at: app.db.fn.now() });
    expect((await creating).status).toBe(401);
  });

  test.each(['', '1', '-1s', '0s', '1.5s', '30'])('refuses the wait %p', async (wait) => {
    const { status, body } = await create(`?wait=${wait}`);
    expect([status, body['error']?.['details']]).toMatchObject([
      400,
      { issues: [{ pointer: '/query/wait' }] },
    ]);
  });

  test('is not on the standard mount', async () => {
    const { status } = await bot.post(
      '/aap/v1/requests?wait=1s',
      { tool: 'issue_refund', arguments: {}, timeout: '1h' },
      { headers: { 'idempotency-key': randomUUID() } },
    );
    expect(status).toBe(400);
  });
});

describe('the list of one’s own open requests', () => {
  test('holds what the instance made and what is open, newest first', async () => {
    const one = await agent('lister', {});
    const caller = as(one.credential);
    const other = as((await createInstance(app, organization, one.slug)).credential);
    const made = [await create('', caller), await create('', caller), await create('', caller)];
    const ids = made.map(idOf);
    await create('', other);
    await decide(owner, ids[1] ?? '', { status: 'denied' });
    const { status, body } = await list('?status=pending', caller);
    expect(status).toBe(200);
    expect(body['requests']).toEqual([made[2]?.body, made[0]?.body]);
    expect((await list('', caller)).body).toEqual(body);
    expect((await list('?status=approved', caller)).status).toBe(400);
  });

  test('waits until one of them is decided', async () => {
    const caller = as((await agent('waiter', {})).credential);
    const [first, second] = [idOf(await create('', caller)), idOf(await create('', caller))];
    const waiting = list('?wait=30s', caller);
    await parked(first);
    await decide(ada, first, { status: 'approved' });
    expect(idsOf(await waiting)).toEqual([second]);
    const withdrawn = list('?wait=30s', caller);
    await parked(second);
    await caller.delete(`/api/aap/v1/requests/${second}`);
    expect(idsOf(await withdrawn)).toEqual([]);
    expect(idsOf(await list('?wait=30s', caller))).toEqual([]);
    expect(app.context.changes.waitedFor()).toEqual([]);
  });

  test('reads once for many changes, and misses none', async () => {
    const caller = as((await agent('busy', {})).credential);
    const ids: string[] = [];
    while (ids.length < 20) ids.push(idOf(await create('', caller)));
    const waiting = list('?wait=30s', caller);
    await parked(ids[0] ?? '');
    let looks = 0;
    const count = ({ sql }: { sql: string }) => {
      if (sql.includes('left join approval_requests r on r.id = w.id')) looks += 1;
    };
    app.context.db.on('query', count);
    // As other processes tell it.
    for (let round = 0; round < 3; round += 1)
      for (const id of ids) app.context.changes.deliver(id);
    await list('', caller);
    app.context.db.off('query', count);
    await decide(ada, ids[7] ?? '', { status: 'denied' });
    expect(idsOf(await waiting)).toHaveLength(19);
    // Without it 60. The change feed looks as well.
    expect([looks > 0, looks < 15]).toEqual([true, true]);
  });

  test('lists none that is past its deadline, which it records', async () => {
    const caller = as((await agent('late', {})).credential);
    const id = idOf(await create('', caller));
    await app
      .db('approval_requests')
      .where({ id })
      .update({ deadline_at: app.db.raw(`created_at + interval '1 ms'`), wake_at: null });
    expect(idsOf(await list('', caller))).toEqual([]);
    const row = await app.db('approval_requests').where({ id }).first<{ state: string }>('state');
    expect(row.state).toBe('expired');
  });

  test('reads long arguments in parts, digit for digit', async () => {
    const caller = as((await agent('long', {})).credential);
    const text = 'x'.repeat(700_000);
    for (const tool of ['a', 'b', 'c']) await create('', caller, { tool, arguments: { text } });
    const { body } = await list('', caller);
    const requests = body['requests'] as unknown as { tool: string; arguments: { text: string } }[];
    expect(requests.map(({ tool, arguments: { text: given } }) => [tool, given.length])).toEqual(
      ['c', 'b', 'a'].map((tool) => [tool, text.length]),
    );
  });
});
