/** An adapter parks a call and goes on with it later: the same call finds its request again. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { createInstance } from '../../support/scene/factories.ts';

const { app, organization, owner, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {}, clerk: {} },
});
const { ada } = people;
const { bot } = agents;
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const caller = as(bot.credential);
const replica = as((await createInstance(app, organization, bot.slug)).credential);

let nextAmount = 0;
/** A call that no other test makes. */
const call = () => ({ tool: 'issue_refund', arguments: { amount: (nextAmount += 1) } });

const create = async (body: object, { by = caller, key = randomUUID() as string } = {}) =>
  await by.post(
    '/api/aap/v1/requests',
    { timeout: '1h', resume: true, ...body },
    { headers: { 'idempotency-key': key } },
  );
const idOf = ({ body }: ApiResponse) => String(body['id']);
const start = async (id: string) => await caller.post(`/api/aap/v1/requests/${id}/start`);

describe('a create with resume', () => {
  test('goes on with an equal call that is open, and then with its approval until it starts', async () => {
    const refund = call();
    const first = await create(refund);
    expect([first.status, first.body['status']]).toEqual([201, 'pending']);
    const again = await create({ ...refund, timeout: '2h', context: { turn: 2 } });
    expect([again.status, idOf(again)]).toEqual([200, idOf(first)]);
    await decide(ada, idOf(first), { status: 'approved' });
    const approved = await create(refund);
    expect([approved.status, idOf(approved), approved.body['status']]).toEqual([
      200,
      idOf(first),
      'approved',
    ]);
    expect((await start(idOf(first))).status).toBe(200);
    const next = await create(refund);
    expect([next.status, idOf(next) === idOf(first)]).toEqual([201, false]);
  });

  test('goes on with a request that was made without it, and makes a new one without it', async () => {
    const refund = call();
    const first = await create({ ...refund, resume: false });
    const again = await create({ ...refund, resume: false });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(idOf(await create(refund))).toBe(idOf(again));
  });

  test('makes a new request after a denial, a withdrawal, and an approval that ended', async () => {
    const ends: ((id: string) => Promise<unknown>)[] = [
      async (id) => await decide(ada, id, { status: 'denied' }),
      async (id) => await caller.delete(`/api/aap/v1/requests/${id}`),
      async (id) => {
        await decide(ada, id, { status: 'approved' });
        await app.db.raw('alter table decisions disable trigger user');
        await app
          .db('decisions')
          .where({ request_id: id })
          .update({ expires_at: app.db.raw('decided_at') });
        await app.db.raw('alter table decisions enable trigger user');
      },
    ];
    for (const end of ends) {
      const refund = call();
      const id = idOf(await create(refund));
      await end(id);
      const next = await create(refund);
      expect([next.status, next.body['status'], idOf(next) === id]).toEqual([
        201,
        'pending',
        false,
      ]);
    }
  });

  test('is another call with other arguments, another tool, another server and another spelling', async () => {
    const { tool, arguments: given } = call();
    const first = idOf(await create({ tool, arguments: given }));
    for (const other of [
      { tool, arguments: { amount: given.amount + 0.5 } },
      { tool: 'other', arguments: given },
      { tool, server: 'billing', arguments: given },
    ])
      expect(idOf(await create(other))).not.toBe(first);
    const spelled = await caller.post(
      '/api/aap/v1/requests',
      `{"tool":"${tool}","arguments":{"amount":${String(given.amount)}.0},"timeout":"1h","resume":true}`,
      { headers: { 'idempotency-key': randomUUID() } },
    );
    expect([spelled.status, idOf(spelled) === first]).toEqual([201, false]);
  });

  test('finds calls of other instances only where the agent allows that, and never those of other agents', async () => {
    const refund = call();
    const first = idOf(await create(refund));
    const resume = async (mode: string) =>
      await owner.http.call('PATCH', `/api/v1/agents/${bot.slug}`, { body: { resume: mode } });
    expect(idOf(await create(refund, { by: as(agents.clerk.credential) }))).not.toBe(first);
    const alone = idOf(await create(refund, { by: replica }));
    expect(alone).not.toBe(first);
    await resume('agent');
    expect(idOf(await create(refund, { by: replica }))).toBe(alone);
    await caller.delete(`/api/aap/v1/requests/${alone}`);
    expect(idOf(await create(refund, { by: replica }))).toBe(first);
    await resume('instance');
  });

  test('keeps sessions apart, unless the agent lets any instance go on', async () => {
    const refund = call();
    const inSession = async (session: string) =>
      idOf(await create({ ...refund, context: { session, turn: randomUUID() } }));
    const first = await inSession('one');
    const second = await inSession('two');
    expect(second).not.toBe(first);
    expect(await inSession('one')).toBe(first);
    expect(idOf(await create(refund))).not.toBe(second);
    await owner.http.call('PATCH', `/api/v1/agents/${bot.slug}`, { body: { resume: 'agent' } });
    const joined = await inSession('four');
    expect(await inSession('five')).toBe(joined);
    await owner.http.call('PATCH', `/api/v1/agents/${bot.slug}`, { body: { resume: 'instance' } });
  });

  test('never takes the key of another call: it gets its own request, or a conflict', async () => {
    const [one, other] = [call(), call()];
    const key = randomUUID();
    const first = idOf(await create(one, { key }));
    const open = idOf(await create(other));
    const conflict = await create(other, { key });
    expect([conflict.status, conflict.body['error']?.['code']]).toEqual([
      409,
      'idempotency_conflict',
    ]);
    expect(open).not.toBe(first);
    await decide(ada, first, { status: 'denied' });
    const again = await create(one, { key });
    expect([again.status, idOf(again), again.body['status']]).toEqual([200, first, 'denied']);
  });

  test('of many equal calls at once asks people once', async () => {
    const refund = call();
    const all = await Promise.all(Array.from({ length: 8 }, () => create(refund)));
    expect(new Set(all.map(idOf)).size).toBe(1);
    expect(all.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ]);
  });

  test('reads a context that Postgres cannot: with a zero character and half of a pair', async () => {
    const refund = call();
    const text = String.raw`{"session":"a\u0000\ud800"}`;
    const send = async (context: string) =>
      await caller.post(
        '/api/aap/v1/requests',
        `{"tool":"${refund.tool}","arguments":${JSON.stringify(refund.arguments)},"timeout":"1h","resume":true,"context":${context}}`,
        { headers: { 'idempotency-key': randomUUID() } },
      );
    const first = await send(text);
    expect(first.status).toBe(201);
    expect(idOf(await send(text))).toBe(idOf(first));
    expect((await send('{"session":"b"}')).status).toBe(201);
  });

  test('reads a long context outside of the event loop', async () => {
    const refund = { ...call(), context: { notes: 'x'.repeat(100_000), session: 'long' } };
    const first = await create(refund);
    expect(first.status).toBe(201);
    expect(idOf(await create(refund))).toBe(idOf(first));
  });

  test('is no member of AAP 1.0.0', async () => {
    const response = await caller.post(
      '/aap/v1/requests',
      { ...call(), timeout: '1h', resume: true },
      { headers: { 'idempotency-key': randomUUID() } },
    );
    expect(response.status).toBe(400);
  });
});
