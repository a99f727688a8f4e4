/** The event of a decision: written with it, signed, and posted until the receiver accepts it. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startTellingReceivers } from '../../../src/services/receivers/send-loop.ts';
import { appForFile } from '../../support/scene.ts';
import {
  adapterOf,
  ask,
  decide,
  postRequest,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import {
  activatePipeline,
  createAgent,
  createOrganization,
  type TestAgent,
} from '../../support/scene/factories.ts';
import { always } from '../../support/scene/request-approval-pipelines.ts';
import { startApp } from '../../support/app.ts';
import {
  startAapReceiver,
  trustReceivers,
  type Delivery,
} from '../../support/servers/aap-receiver.ts';
import { until } from '../../support/waiting.ts';
import { bringForward, eventsOf, receive, tellDue, TELLING, type EventRow } from './told.ts';

trustReceivers();
const receiver = await startAapReceiver();
const app = await appForFile({ environment: TELLING });
const organization = await createOrganization(app);
const { http } = organization.owner;

let agent: TestAgent;
let delivery: Delivery;

const approveAll = { blocks: [always('all', { outcome: 'approve' })] };

beforeEach(async () => {
  agent = await createAgent(app, organization);
  delivery = receiver.delivery(`/${agent.instanceId}`);
  receiver.respondToEvents((response) => response.writeHead(204).end());
});

afterAll(async () => {
  await receiver.close();
});

const told = () => receiver.events.filter(({ path }) => path === `/${agent.instanceId}`);

describe('a decision', () => {
  test('is told once, in a message that a standard library accepts', async () => {
    await receive(app, agent.instanceId, delivery);
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    await tellDue(app);
    const [message, ...more] = told();
    expect(more).toEqual([]);
    const headers: Record<string, unknown> = message?.headers ?? {};
    const body = message?.body ?? '';
    const request = await adapterOf(app, agent).get(`/api/aap/v1/requests/${id}`);
    const said = new Webhook(delivery.signing_secret).verify(
      body,
      headers as Record<string, string>,
    );
    expect(said).toEqual({
      id: headers['webhook-id'],
      type: 'request.resolved',
      instance_id: agent.instanceId,
      request_id: id,
      created_at: request.body['decision']?.['decided_at'],
    });
    expect(headers['content-type']).toBe('application/json');
    expect(await eventsOf(app, id)).toMatchObject([
      { attempts: 1, outcome: 'delivered', last_error: null },
    ]);
  });

  test.each([
    ['drips', (response: ServerResponse) => response.writeHead(200).write('{')],
    ['is too long', (response: ServerResponse) => response.writeHead(202).end('x'.repeat(200_000))],
  ])('is accepted by a 2xx, also if its body %s', async (_what, answer) => {
    await receive(app, agent.instanceId, delivery);
    receiver.respondToEvents(answer);
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    expect(await eventsOf(app, id)).toMatchObject([{ attempts: 1, outcome: 'delivered' }]);
    await until('the connection is closed', () => receiver.open === 0);
  });

  test('of any kind makes one event, and none without a receiver', async () => {
    const without = await ask(app, agent);
    await receive(app, agent.instanceId, delivery);
    const cancelled = await ask(app, agent);
    await adapterOf(app, agent).call('DELETE', `/api/aap/v1/requests/${cancelled}`);
    const denied = await ask(app, agent);
    await decide(http, denied, { status: 'denied' });
    const expired = await ask(app, agent, { timeout: '1m' });
    await stepAt(app, expired, new Date(Date.now() + 120_000));
    for (const id of [cancelled, denied, expired])
      expect((await eventsOf(app, id)).map((row) => row.request_id)).toEqual([id]);
    await receive(app, agent.instanceId, null);
    await decide(http, without);
    expect(await eventsOf(app, without)).toEqual([]);
  });
});

describe('a verdict of rules', () => {
  test.each(['door', 'workflow'] as const)(
    'is told like a decision, with rules in the %s',
    async (rules) => {
      await activatePipeline(organization.owner, `agents/${agent.slug}`, approveAll);
      await receive(app, agent.instanceId, delivery);
      const other = await startApp({ environment: TELLING, databaseUrl: app.databaseUrl, rules });
      const created = await postRequest(other, agent);
      const id = String(created.body['id']);
      await stepAt(other, id);
      const [event, ...more] = await eventsOf(app, id);
      expect(more).toEqual([]);
      expect(JSON.parse(event?.body ?? '')).toMatchObject({ request_id: id });
      await other.close();
    },
  );
});

describe('an event that is not accepted', () => {
  /** So many seconds are between an instant before the attempt and the next one, and not more are left now. */
  const expectPause = (
    row: EventRow | undefined,
    began: number,
    [least, most]: readonly [number, number],
  ) => {
    const next = row?.next_attempt_at?.getTime() ?? 0;
    expect((next - began) / 1_000).toBeGreaterThan(least);
    expect((next - Date.now()) / 1_000).toBeLessThan(most);
  };

  test('is posted again with the same id and bytes and a fresh signature, after a growing pause', async () => {
    await receive(app, agent.instanceId, delivery);
    receiver.respondToEvents((response) => response.writeHead(500).end('x'.repeat(1_000_000)));
    const id = await ask(app, agent);
    await decide(http, id);
    for (const [attempt, from, to] of [
      [1, 4, 6],
      [2, 8, 12],
      [3, 16, 24],
    ] as const) {
      const began = Date.now();
      await tellDue(app);
      const [row] = await eventsOf(app, id);
      expect(row).toMatchObject({ attempts: attempt, last_error: 'status 500', lease: null });
      expectPause(row, began, [from - 0.1, to]);
      await bringForward(app);
    }
    receiver.respondToEvents((response) => response.writeHead(204).end());
    await tellDue(app);
    expect(new Set(told().map(({ body }) => body)).size).toBe(1);
    expect(new Set(told().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await eventsOf(app, id)).toMatchObject([{ attempts: 4, outcome: 'delivered' }]);
  });

  test.each([
    [429, '120', 120],
    [503, () => new Date(Date.now() + 600_000).toUTCString(), 599],
    [500, '120', 4],
  ] as const)('waits as long as a %i asks', async (status, asked, least) => {
    await receive(app, agent.instanceId, delivery);
    const began = Date.now();
    const after = typeof asked === 'string' ? asked : asked();
    receiver.respondToEvents((response) =>
      response.writeHead(status, { 'retry-after': after }).end('x'.repeat(200_000)),
    );
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    const [row] = await eventsOf(app, id);
    expectPause(row, began, [least - 0.1, least + 10]);
  });

  test('is given up 168 hours after the decision', async () => {
    await receive(app, agent.instanceId, delivery);
    receiver.respondToEvents((response) =>
      response.writeHead(503, { 'retry-after': '700000' }).end(),
    );
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    expect(await eventsOf(app, id)).toMatchObject([
      { outcome: 'expired', last_error: 'status 503' },
    ]);
  });

  test('follows no redirect', async () => {
    await receive(app, agent.instanceId, delivery);
    receiver.respondToEvents((response) =>
      response.writeHead(307, { location: receiver.url('/elsewhere') }).end(),
    );
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    expect(receiver.events.map(({ path }) => path)).not.toContain('/elsewhere');
    expect(await eventsOf(app, id)).toMatchObject([{ attempts: 1, last_error: 'status 307' }]);
  });
});

describe('a receiver that changes', () => {
  test('passes what is queued on to its successor, with the same bytes', async () => {
    await receive(app, agent.instanceId, delivery);
    receiver.respondToEvents((response) => response.writeHead(500).end());
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    const successor = receiver.delivery(`/${agent.instanceId}`);
    await receive(app, agent.instanceId, successor);
    receiver.respondToEvents((response) => response.writeHead(204).end());
    // At once: the pause was for the receiver before.
    await tellDue(app);
    const [first, second] = told();
    expect(second?.body).toBe(first?.body);
    const verify = (secret: string) =>
      new Webhook(secret).verify(second?.body ?? '', second?.headers as Record<string, string>);
    expect(verify(successor.signing_secret)).toMatchObject({ request_id: id });
    expect(() => verify(delivery.signing_secret)).toThrow();
    expect(await eventsOf(app, id)).toMatchObject([{ attempts: 2, outcome: 'delivered' }]);
  });

  test('gets nothing once it is removed, and a later one does not inherit', async () => {
    await receive(app, agent.instanceId, delivery);
    receiver.respondToEvents((response) => response.writeHead(500).end());
    const id = await ask(app, agent);
    await decide(http, id);
    await tellDue(app);
    await receive(app, agent.instanceId, null);
    expect(await eventsOf(app, id)).toMatchObject([{ outcome: 'removed', next_attempt_at: null }]);
    await receive(app, agent.instanceId, receiver.delivery(`/${agent.instanceId}`));
    await bringForward(app);
    await tellDue(app);
    expect(told()).toHaveLength(1);
  });
});

test('an event of this process goes out at once', async () => {
  await receive(app, agent.instanceId, delivery);
  const loop = startTellingReceivers(app.context, { pollMs: 3_600_000 });
  const id = await ask(app, agent);
  await decide(http, id);
  await until('it is delivered', async () => {
    const [event] = await eventsOf(app, id);
    return event?.outcome === 'delivered';
  });
  await loop.stop();
  expect(told()).toHaveLength(1);
});
