/** After an approval: the window in which the call may start, a start whose response was lost, and the result. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { createInstance } from '../../support/scene/factories.ts';

const { app, organization, owner, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const { bot } = agents;
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const caller = as(bot.credential);
const replica = as((await createInstance(app, organization, bot.slug)).credential);
const DIGEST = 'a'.repeat(64);

async function approved(): Promise<string> {
  const { body } = await caller.post(
    '/api/aap/v1/requests',
    { tool: 'issue_refund', arguments: { amount: 1 }, timeout: '1h' },
    { headers: { 'idempotency-key': randomUUID() } },
  );
  const id = String(body['id']);
  expect((await decide(ada, id, { status: 'approved' })).status).toBe(200);
  return id;
}
const start = async (id: string, key?: string, by = caller) =>
  await by.post(
    `/api/aap/v1/requests/${id}/start`,
    undefined,
    key === undefined ? {} : { headers: { 'idempotency-key': key } },
  );
const report = async (id: string, body: unknown, by = caller) =>
  await by.post(`/api/aap/v1/requests/${id}/result`, body);
const outcome = ({ status, body }: ApiResponse) =>
  `${String(status)} ${body?.['error']?.['code'] ?? ''}`.trim();
const detail = async (id: string) => (await ada.http.get(`/api/v1/requests/${id}`)).body;
const typesOf = async (id: string) => {
  const { body } = await ada.http.get(`/api/v1/requests/${id}/timeline`);
  return (body['events'] as unknown as { event_type: string }[]).map(({ event_type: type }) =>
    type.replace('approval_request.', ''),
  );
};

describe('the key of a start', () => {
  test('gets the same response again after one that was lost, and any other key is refused', async () => {
    const id = await approved();
    const first = await start(id, 'one');
    const again = await start(id, 'one');
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(outcome(await start(id, 'two'))).toBe('409 already_started');
    expect(outcome(await start(id))).toBe('409 already_started');
    expect((await typesOf(id)).filter((type) => type === 'started')).toHaveLength(1);
  });

  test('of many calls at once starts once, and all get the same', async () => {
    const id = await approved();
    const all = await Promise.all(Array.from({ length: 8 }, () => start(id, 'same')));
    expect(new Set(all.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
    expect((await typesOf(id)).filter((type) => type === 'started')).toHaveLength(1);
  });
});

describe('the result of a call', () => {
  test('is on record once, for reviewers, in the timeline and the audit log', async () => {
    const id = await approved();
    await start(id, 'one');
    const result = { outcome: 'failed', detail: 'The bank refused.', arguments_digest: DIGEST };
    expect((await report(id, result)).status).toBe(204);
    expect((await report(id, result)).status).toBe(204);
    expect((await detail(id))['result']).toEqual({
      ...result,
      reported_at: expect.any(String) as unknown,
    });
    expect((await typesOf(id)).slice(-2)).toEqual(['started', 'result_reported']);
    const other = await report(id, { outcome: 'succeeded' });
    expect(outcome(other)).toBe('409 result_reported');
    expect(other.body['error']?.['details']).toEqual({ outcome: 'failed' });
  });

  test('comes from the instance that started the call', async () => {
    const id = await approved();
    expect(outcome(await report(id, { outcome: 'not_run' }))).toBe('409 not_started');
    await start(id);
    expect(outcome(await report(id, { outcome: 'not_run' }, replica))).toBe('404 not_found');
    expect((await report(id, { outcome: 'not_run' })).status).toBe(204);
    expect(outcome(await report(randomUUID(), { outcome: 'not_run' }))).toBe('404 not_found');
  });

  test.each([
    ['another outcome', { outcome: 'fine' }, '/outcome'],
    ['no outcome', {}, '/outcome'],
    ['a detail that is too long', { outcome: 'failed', detail: 'x'.repeat(2_001) }, '/detail'],
    ['a zero character', { outcome: 'failed', detail: 'a\u0000b' }, '/detail'],
    ['no digest', { outcome: 'failed', arguments_digest: 'abc' }, '/arguments_digest'],
    ['a member that is not known', { outcome: 'failed', more: 1 }, '/more'],
  ])('is refused with %s', async (_name, body, path) => {
    const id = await approved();
    await start(id);
    const response = await report(id, body);
    expect(outcome(response)).toBe('400 validation_failed');
    expect(response.text).toContain(path);
    expect(await detail(id)).not.toHaveProperty('result');
  });
});

describe('a call that ran differently', () => {
  test('stands in the timeline by itself', async () => {
    const id = await approved();
    await start(id);
    const result = { outcome: 'ran_differently', arguments_digest: DIGEST };
    expect((await report(id, result)).status).toBe(204);
    expect((await typesOf(id)).slice(-2)).toEqual(['result_reported', 'ran_differently']);
  });
});

describe('the window of an approval', () => {
  const change = async (approval_window: string) =>
    await owner.http.call('PATCH', `/api/v1/agents/${bot.slug}`, { body: { approval_window } });
  const windowOf = async (id: string, mount: string) => {
    const { decision } = (await caller.get(`${mount}/v1/requests/${id}`)).body as unknown as {
      decision: { decided_at: string; expires_at: string };
    };
    return (Date.parse(decision.expires_at) - Date.parse(decision.decided_at)) / 60_000;
  };

  test('is a setting of the agent, kept by decisions of before, and five minutes for AAP 1.0.0', async () => {
    const before = await approved();
    expect((await detail(before))['approval_window']).toBe('5m');
    const changed = await change('120m');
    expect([changed.status, changed.body['approval_window']]).toEqual([200, '2h']);
    const after = await approved();
    expect([await windowOf(before, '/api/aap'), await windowOf(after, '/api/aap')]).toEqual([
      5, 120,
    ]);
    expect([await windowOf(before, '/aap'), await windowOf(after, '/aap')]).toEqual([5, 5]);
    const shown = await detail(after);
    expect(shown['approval_window']).toBe('2h');
    const { body } = await caller.get(`/api/aap/v1/requests/${after}`);
    expect(shown['approval_expires_at']).toBe(
      (body['decision'] as unknown as { expires_at: string }).expires_at,
    );
    const events = await app
      .db('audit_events')
      .where({ organization_id: organization.id, event_type: 'agent.approval_window_changed' })
      .pluck<string[]>('data');
    expect(events.map((data) => JSON.parse(data) as unknown)).toEqual([
      expect.objectContaining({ from: '5m', to: '2h' }),
    ]);
  });

  test.each(['59s', '25h', '1d', ''])('is never %p', async (window) => {
    expect(outcome(await change(window))).toBe('400 validation_failed');
  });
});
