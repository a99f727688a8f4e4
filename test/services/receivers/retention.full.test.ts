/** How long events and their bytes are kept. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { deleteFinishedEvents } from '../../../src/data/receivers/receiver-events.ts';
import { purgeBatch } from '../../../src/services/retention.ts';
import { scene } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createAgent, type TestAgent } from '../../support/scene/factories.ts';
import { startAapReceiver, trustReceivers } from '../../support/servers/aap-receiver.ts';
import { explain, statementOf } from '../../support/sql/plans.ts';
import { bringForward, eventsOf, receive, tellDue, TELLING, type EventRow } from './told.ts';

trustReceivers();
const receiver = await startAapReceiver();
const { app, organization, owner } = await scene({ app: { environment: TELLING } });
const HOUR_MS = 3_600_000;

let agent: TestAgent;

beforeEach(async () => {
  agent = await createAgent(app, organization);
  await receive(app, agent.instanceId, receiver.delivery());
  receiver.respondToEvents((response) => response.writeHead(204).end());
});
afterAll(async () => {
  await receiver.close();
});

/** An event that waits, decided so many hours ago. */
async function decided(hoursAgo = 0): Promise<string> {
  const id = await ask(app, agent);
  expect((await decide(owner.http, id)).status).toBe(200);
  await age(id, hoursAgo);
  return id;
}
const age = async (requestId: string, hours: number) =>
  await app
    .db('receiver_events')
    .where({ request_id: requestId })
    .update({ decided_at: app.db.raw(`decided_at - ? * interval '1 hour'`, [hours]) });

async function ended(requestId: string): Promise<EventRow & { ended_at: Date; purge_at: Date }> {
  const [event] = await eventsOf(app, requestId);
  if (!event?.ended_at || !event.purge_at) throw new Error('it has not ended');
  return { ...event, ended_at: event.ended_at, purge_at: event.purge_at };
}

const purge = async () => {
  await purgeBatch(app.context, new AbortController().signal);
};

test.each([
  ['delivered', async () => await tellDue(app)],
  ['removed', async () => await receive(app, agent.instanceId, null)],
  [
    'removed',
    async () => {
      await app.db('receivers').where({ agent_instance_id: agent.instanceId }).delete();
      await tellDue(app);
    },
  ],
  [
    'expired',
    async () => {
      receiver.respondToEvents((response) =>
        response.writeHead(503, { 'retry-after': '700000' }).end(),
      );
      await tellDue(app);
    },
  ],
])(
  'an event that is %s is kept for 168 hours after the decision, or 24 hours if that is later',
  async (outcome, end) => {
    const [early, late] = [await decided(1), await decided(167)];
    await end();
    const [first, second] = [await ended(early), await ended(late)];
    expect([first.outcome, second.outcome]).toEqual([outcome, outcome]);
    expect(first.purge_at.getTime()).toBe(first.decided_at.getTime() + 168 * HOUR_MS);
    expect(second.purge_at.getTime()).toBe(second.ended_at.getTime() + 24 * HOUR_MS);
  },
);

test('purging deletes what is over, and nothing that waits or is kept', async () => {
  const [over, kept] = [await decided(1), await decided(1)];
  await tellDue(app);
  await app
    .db('receiver_events')
    .where({ request_id: over })
    .update({ purge_at: new Date(Date.now() - 1) });
  const waiting = await decided(400);
  await purge();
  const left = await Promise.all([over, kept, waiting].map((id) => eventsOf(app, id)));
  expect(left.map(({ length }) => length)).toEqual([0, 1, 1]);
  await tellDue(app);
  expect(await ended(waiting)).toMatchObject({ outcome: 'expired' });
  expect(await app.db('approval_requests').where({ id: over }).pluck('id')).toEqual([over]);
});

test('purging takes a few at a time, the oldest first, and waits for no lock', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await decided());
  await bringForward(app);
  await tellDue(app);
  for (const [index, id] of ids.entries())
    await app
      .db('receiver_events')
      .where({ request_id: id })
      .update({ purge_at: new Date(Date.now() - (10 - index) * HOUR_MS) });
  const left = async () => (await Promise.all(ids.map((id) => eventsOf(app, id)))).flat();
  await app.db.transaction(async (trx) => {
    await trx('receiver_events').where({ request_id: ids[0] }).forUpdate().select('id');
    expect(await deleteFinishedEvents(app.db, 2)).toBe(2);
  });
  expect((await left()).map((event) => event.request_id)).toEqual([ids[0], ids[3], ids[4]]);
  await purge();
  expect(await left()).toEqual([]);
});

test('purging reads old events by index', async () => {
  await app.db.raw('alter table receiver_events drop constraint receiver_events_request_id_fkey');
  await app.db.raw(
    `insert into receiver_events (id, request_id, queue_id, body, decided_at, outcome, ended_at, purge_at)
     select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '{}', now(), 'delivered', now(), now() + n * interval '1 minute'
       from generate_series(1, 5000) as n`,
  );
  await app.db.raw('analyze receiver_events');
  const nodes = await explain(app, await statementOf(app, (db) => deleteFinishedEvents(db, 500)));
  const types = nodes.map((node) => node['Node Type']);
  expect(types).not.toContain('Sort');
  expect(types).not.toContain('Seq Scan');
});
