/** An approval starts one call, once, by the instance that asked or by another that may resume it. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { createInstance } from '../../support/scene/factories.ts';
import { untilBlocked } from '../../support/waiting.ts';

const { app, organization, owner, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: {
    bot: {},
    quick: {
      blocks: [
        { id: 'yes', type: 'always', name: 'Yes', config: { outcome: 'approve', reason: 'Fine.' } },
      ],
    },
  },
});
const { ada } = people;
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const bot = as(agents.bot.credential);
const replica = await createInstance(app, organization, agents.bot.slug);
const CALL = { tool: 'issue_refund', arguments: { amount: 1 }, timeout: '1h' };

const create = async (caller = bot, query = '') =>
  await caller.post(`/api/aap/v1/requests${query}`, CALL, {
    headers: { 'idempotency-key': randomUUID() },
  });
const idOf = ({ body }: ApiResponse) => String(body['id']);
const start = async (id: string, caller = bot) =>
  await caller.post(`/api/aap/v1/requests/${id}/start`);
const outcome = ({ status, body }: ApiResponse) =>
  `${String(status)} ${body['error']?.['code'] ?? ''}`.trim();
async function approved(): Promise<string> {
  const id = idOf(await create());
  expect((await decide(ada, id, { status: 'approved' })).status).toBe(200);
  return id;
}
const resume = async (mode: string) =>
  await owner.http.call('PATCH', `/api/v1/agents/${agents.bot.slug}`, { body: { resume: mode } });
const timelineOf = async (id: string) => {
  const { body } = await owner.http.get(`/api/v1/requests/${id}/timeline`);
  return body['events'] as unknown as { event_type: string; data: Record<string, unknown> }[];
};

describe('starting', () => {
  test('is recorded once, shown to reviewers, and stays out of the adapter’s request', async () => {
    const id = await approved();
    const before = await bot.get(`/api/aap/v1/requests/${id}`);
    const started = await start(id);
    expect([started.status, Object.keys(started.body)]).toEqual([200, ['id', 'started_at']]);
    const again = await start(id);
    expect(outcome(again)).toBe('409 already_started');
    expect(again.body['error']?.['details']).toEqual({ started_at: started.body['started_at'] });
    expect((await bot.get(`/api/aap/v1/requests/${id}`)).text).toBe(before.text);
    const { body: detail } = await owner.http.get(`/api/v1/requests/${id}`);
    expect(detail['started_at']).toBe(started.body['started_at']);
    const events = (await timelineOf(id)).filter(({ event_type: type }) =>
      type.endsWith('.started'),
    );
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({ agent_instance_id: agents.bot.instanceId });
  });

  test('of many calls at once happens once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await approved();
      const answers = await Promise.all(Array.from({ length: 8 }, () => start(id)));
      expect(answers.map(outcome).sort()).toEqual([
        '200',
        ...Array.from({ length: 7 }, () => '409 already_started'),
      ]);
    }
  });

  test('works for what a rule approved', async () => {
    const caller = as(agents.quick.credential);
    const made = await create(caller);
    expect(made.body['status']).toBe('approved');
    expect(outcome(await start(idOf(made), caller))).toBe('200');
  });

  test('is refused for what is not approved, or no longer', async () => {
    const pending = idOf(await create());
    const answer = await start(pending);
    expect([outcome(answer), answer.body['error']?.['details']]).toEqual([
      '409 not_approved',
      { status: 'pending' },
    ]);
    await decide(ada, pending, { status: 'denied' });
    expect(outcome(await start(pending))).toBe('409 not_approved');
    const late = await approved();
    await app.db.raw('alter table decisions disable trigger user');
    await app
      .db('decisions')
      .where({ request_id: late })
      .update({ expires_at: app.db.raw('decided_at') });
    await app.db.raw('alter table decisions enable trigger user');
    expect(outcome(await start(late))).toBe('409 approval_expired');
  });

  test('is not on the standard mount, and not for others', async () => {
    const id = await approved();
    expect((await bot.post(`/aap/v1/requests/${id}/start`)).status).toBe(404);
    for (const other of [as(agents.quick.credential), as(replica.credential)])
      expect(outcome(await start(id, other))).toBe('404 not_found');
    expect(outcome(await start(randomUUID()))).toBe('404 not_found');
    expect((await owner.http.post(`/api/aap/v1/requests/${id}/start`)).status).toBe(403);
  });

  test('ends no approval of an agent that is disabled meanwhile: its calls are refused', async () => {
    const id = await approved();
    const path = `/api/v1/agents/${agents.bot.slug}`;
    await owner.http.call('PATCH', path, { body: { status: 'disabled' } });
    expect(outcome(await start(id))).toBe('403 agent_disabled');
    await owner.http.call('PATCH', path, { body: { status: 'active' } });
    expect(outcome(await start(id))).toBe('200');
  });
});

test('a start that waits for a lock is refused once its agent is disabled', async () => {
  const id = await approved();
  const path = `/api/v1/agents/${agents.bot.slug}`;
  const { starting } = await app.db.transaction(async (trx) => {
    await trx.raw('select from approval_requests where id = ? for update', [id]);
    const calls = { starting: start(id) };
    await untilBlocked(trx);
    expect((await owner.http.call('PATCH', path, { body: { status: 'disabled' } })).status).toBe(
      200,
    );
    return calls;
  });
  expect(outcome(await starting)).toBe('403 agent_disabled');
  await owner.http.call('PATCH', path, { body: { status: 'active' } });
  expect(outcome(await start(id))).toBe('200');
});

describe('another instance of the agent', () => {
  test('reads, waits for, starts and withdraws a request only where the agent allows it', async () => {
    const other = as(replica.credential);
    const [first, second] = [idOf(await create()), idOf(await create())];
    expect((await other.get(`/api/aap/v1/requests/${first}`)).status).toBe(404);
    const changed = await resume('agent');
    expect([changed.status, changed.body['resume']]).toEqual([200, 'agent']);
    expect((await other.get(`/api/aap/v1/requests/${first}`)).body['status']).toBe('pending');
    const waiting = other.get(`/api/aap/v1/requests/${first}?wait=30s`);
    await decide(ada, first, { status: 'approved' });
    expect((await waiting).body['status']).toBe('approved');
    expect(outcome(await start(first, other))).toBe('200');
    expect(outcome(await start(first))).toBe('409 already_started');
    expect((await other.delete(`/api/aap/v1/requests/${second}`)).body['status']).toBe('cancelled');
    const names = {
      agent_instance_id: replica.instanceId,
      requested_by_instance_id: agents.bot.instanceId,
    };
    for (const id of [first, second])
      expect((await timelineOf(id)).at(-1)?.data).toMatchObject(names);
    expect((await resume('instance')).body['resume']).toBe('instance');
    expect((await other.get(`/api/aap/v1/requests/${first}`)).status).toBe(404);
    const events = await app
      .db('audit_events')
      .where({ organization_id: organization.id, event_type: 'agent.resume_changed' })
      .orderBy('sequence')
      .pluck<string[]>('data');
    expect(events.map((data) => (JSON.parse(data) as { to: string }).to)).toEqual([
      'agent',
      'instance',
    ]);
  });

  test.each([['everyone'], [null]])('cannot be allowed by %p', async (mode) => {
    const { status, body } = await owner.http.call('PATCH', `/api/v1/agents/${agents.bot.slug}`, {
      body: {
        resume: mode,
      },
    });
    expect([status, body['error']?.['details']]).toMatchObject([
      400,
      { issues: [{ pointer: '/resume' }] },
    ]);
  });
});
