/**
 * Blocks that ask a webhook endpoint, while their requests end otherwise, and while no worker runs:
 * one outcome, and no call by anyone but a worker.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { requestOf } from '../support/adapter.ts';
import { startApp } from '../support/app.ts';
import { wakeDue } from '../../src/services/engine/wake-round.ts';
import { ROUNDS } from '../support/rounds.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { asking, ASKING, startAskedEndpoint } from '../support/servers/asked-endpoint.ts';
import { eventsOf, typesOf } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';

const FINAL = ['approved', 'denied', 'expired', 'cancelled'];
const { owner, agents, app, timeline, pipeline, read, agent } = await scene({
  app: { temporal: true, environment: ASKING },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { bot: {} },
});
const endpoint = await startAskedEndpoint(owner.http);
/** Neither Temporal nor a worker. */
const idle = await startApp({ environment: ASKING, rules: 'workflow' });
afterAll(async () => {
  await endpoint.close();
  await idle.close();
});

const submit = async (asker = agents.bot, timeout = '1h') =>
  requestOf(await asker.adapter.create({ tool: 'refund', arguments: {}, timeout })).id;
const statusOf = async (id: string) => String((await read(id))['status']);
const finalOf = async (id: string) => {
  await until(`${id} has its final answer`, async () => FINAL.includes(await statusOf(id)));
  return await statusOf(id);
};
const finalEvents = async (id: string) =>
  (await timeline(id))
    .map((event) => String(event['event_type']).replace('approval_request.', ''))
    .filter((verb) => FINAL.includes(verb));
const rounds = <T>(run: () => Promise<T>) =>
  Promise.all(Array.from({ length: ROUNDS }, () => run()));

describe('an answer that comes', () => {
  test('as its request is cancelled: one outcome, which stays', async () => {
    await pipeline('bot', { blocks: [asking('limit', { timeout: '30s', max_attempts: 2 })] });
    const outcomes = await rounds(async () => {
      const id = await submit();
      await endpoint.called(id, 1);
      endpoint.reply(id, { outcome: 'approve' });
      const { status } = await agents.bot.adapter.cancel(id);
      const final = await finalOf(id);
      expect(status).toBe(final === 'approved' ? 409 : 200);
      expect(await finalEvents(id)).toEqual([final]);
      expect(endpoint.callsOf(id)).toHaveLength(1);
      return final;
    });
    for (const outcome of outcomes) expect(['approved', 'cancelled']).toContain(outcome);
  });

  test('at the deadline of its request: approved before it, or expired', async () => {
    await pipeline('bot', { blocks: [asking('limit', { timeout: '30s' })] });
    await rounds(async () => {
      const id = await submit(agents.bot, '2s');
      // On a busy machine the deadline may come before the call.
      await until(
        'a call, or the deadline',
        async () => endpoint.callsOf(id).length > 0 || FINAL.includes(await statusOf(id)),
      );
      const { deadline_at: deadline } = await read(id);
      await until('the deadline', () => Date.now() >= Date.parse(String(deadline)) - 5);
      endpoint.reply(id, { outcome: 'approve' });
      const final = await finalOf(id);
      expect(await finalEvents(id)).toEqual([final]);
      const { decision } = await read(id);
      if (final === 'approved')
        expect(Date.parse(String(decision?.['decided_at']))).toBeLessThan(
          Date.parse(String(deadline)),
        );
      else expect(final).toBe('expired');
    });
  });

  test('as its agent is archived: one outcome', async () => {
    await rounds(async () => {
      const asker = await agent(undefined, { blocks: [asking('limit', { timeout: '30s' })] });
      const id = await submit(asker);
      await endpoint.called(id, 1);
      endpoint.reply(id, { outcome: 'approve' });
      expect((await owner.http.delete(`/api/v1/agents/${asker.slug}`)).status).toBe(204);
      const final = await finalOf(id);
      expect(['approved', 'cancelled']).toContain(final);
      expect(await finalEvents(id)).toEqual([final]);
    });
  });

  test('after the final answer changes nothing, and its call was given up', async () => {
    await pipeline('bot', { blocks: [asking('limit', { timeout: '30s' })] });
    const id = await submit();
    await endpoint.called(id, 1);
    requestOf(await agents.bot.adapter.cancel(id));
    endpoint.reply(id, { outcome: 'approve' });
    await until('the workflow has ended', async () =>
      typesOf(await eventsOf(app, id)).includes('WorkflowExecutionCompleted'),
    );
    expect(await statusOf(id)).toBe('cancelled');
    const events = (await timeline(id)).map((event) => event['event_type']);
    expect(events).not.toContain('approval_request.block_asked');
  });
});

test('an endpoint archived between two attempts leaves the request to a person', async () => {
  await pipeline('bot', { blocks: [asking('limit', { max_attempts: 5 })] });
  const id = await submit();
  await endpoint.called(id, 1);
  await pipeline('bot', { blocks: [] });
  const path = '/api/v1/webhook_endpoints/rules';
  const archived = await owner.http.delete(`${path}/active`, { headers: { 'if-match': '"1"' } });
  expect(archived.status).toBe(204);
  endpoint.reply(id, {}, 503);
  await until('a person is asked', async () =>
    (await timeline(id)).some((event) => event['event_type'] === 'approval_request.routed'),
  );
  const asked = (await timeline(id)).filter(
    (event) => event['event_type'] === 'approval_request.block_asked',
  );
  expect(asked.map((event) => event['data'])).toMatchObject([
    { attempt: 1, status_code: 503, error_code: 'unexpected_status' },
    { attempt: 2, error_code: 'endpoint_inactive' },
  ]);
  await owner.http.post(`${path}/revisions/1/activate`, undefined, {
    headers: { 'if-match': '"0"' },
  });
});

test('a block costs at most six events of the history', async () => {
  const eventsWith = async (...ids: readonly string[]) => {
    await pipeline('bot', { blocks: ids.map((id) => asking(id)) });
    const id = await submit();
    for (const [index] of ids.entries()) {
      await endpoint.called(id, index + 1);
      endpoint.reply(id, { outcome: index === ids.length - 1 ? 'deny' : 'next' });
    }
    expect(await finalOf(id)).toBe('denied');
    const done = async () => typesOf(await eventsOf(app, id));
    await until('the workflow has ended', async () =>
      (await done()).includes('WorkflowExecutionCompleted'),
    );
    return (await done()).length;
  };
  const one = await eventsWith('a');
  expect((await eventsWith('a', 'b', 'c')) - one).toBeLessThanOrEqual(12);
});

test('without a worker, the reconciler and a cancel act, and no one calls the endpoint', async () => {
  const apart = await scene({ on: idle, pipelines: { bot: {} } });
  const other = await startAskedEndpoint(apart.owner.http);
  await apart.pipeline('bot', { blocks: [asking('limit')] });
  const id = await apart.ask({ evaluated: false });
  const { db, context } = idle;
  await db('approval_requests')
    .where({ id })
    .update({ wake_at: db.raw('clock_timestamp()') });
  await (
    await wakeDue(context)
  ).called;
  const row = await db('approval_requests').where({ id }).first<{ state: string }>('state');
  expect(row.state).toBe('evaluating');
  expect(other.callsOf(id)).toHaveLength(0);
  await apart.withdraw(id);
  expect((await apart.read(id))['status']).toBe('cancelled');
  await other.close();
});
