/**
 * Processes are killed between what they tell a receiver and what they record: no instance is made twice, and every decision is
 * told with one id and the same bytes.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../support/http.ts';
import {
  killServiceProcesses,
  startServiceProcess,
  type ServiceProcess,
} from '../support/processes/processes.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { decide } from '../support/scene/approval-requests.ts';
import { createProvisioner } from '../support/scene/factories.ts';
import {
  repeatChallenge,
  startAapReceiver,
  testAuthority,
  trustReceivers,
} from '../support/servers/aap-receiver.ts';
import { until, untilBlocked } from '../support/waiting.ts';
import { bringForward, eventsOf, TELLING } from '../services/receivers/told.ts';

trustReceivers();
const receiver = await startAapReceiver();
const directory = mkdtempSync(join(tmpdir(), 'countersign-authority-'));
const certificates = join(directory, 'authority.pem');
writeFileSync(certificates, testAuthority.cert);
const { app, organization, people, agent } = await scene({
  app: { temporal: true, worker: false, environment: TELLING },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
});

let slug: string;
let token: string;

/** Another fleet, and a receiver that accepts. */
beforeEach(async () => {
  ({ slug } = await agent(undefined, 'on-call'));
  ({ token } = await createProvisioner(app, organization, slug));
  receiver.respondToVerifications(repeatChallenge);
  receiver.respondToEvents((response) => response.writeHead(204).end());
});
afterAll(async () => {
  await killServiceProcesses();
  await receiver.close();
  rmSync(directory, { recursive: true });
});

const startProcess = () =>
  startServiceProcess({
    databaseUrl: app.databaseUrl,
    taskQueue: app.taskQueue,
    environment: { ...TELLING, NODE_EXTRA_CA_CERTS: certificates },
  });
const as = (bearer: string, url = app.url) =>
  new HttpClient(url, { authorization: `Bearer ${bearer}` });
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const make = (key: string, delivery: unknown, url?: string) =>
  as(token, url).post('/aap/v1/instances', { delivery }, keyed(key));
const instanceIn = ({ body }: ApiResponse) =>
  body['instance'] as unknown as { readonly id: string };
const tokenIn = ({ body }: ApiResponse) => String(body['credential']?.['token']);

/** As after the leases of a killed process, and in another minute. */
async function endLeases(): Promise<void> {
  await app.db('instance_operations').update({ leased_until: new Date(0) });
  await app.db('sign_in_attempts').delete();
}

/** Makes the call at a process, which dies when it knows that the receiver is verified. Its commit waits for the agent. */
async function dieBeforeCommit(call: (url: string) => Promise<unknown>): Promise<void> {
  const killed = await startProcess();
  await app.db.transaction(async (trx) => {
    const verified = new Promise<void>((resolve, reject) => {
      receiver.respondToVerifications((response, message) => {
        const held = trx('agents').where({ slug }).forUpdate().select('slug');
        held.then(() => {
          repeatChallenge(response, message);
          resolve();
        }, reject);
      });
    });
    const cut = call(killed.url).catch(() => 'cut off');
    await verified;
    await untilBlocked(trx);
    await killed.kill();
    expect(await cut).toBe('cut off');
  });
  receiver.respondToVerifications(repeatChallenge);
}

/** What the fleet's agent has, but for the instance that it began with. */
async function made() {
  const instances = (await app
    .db('agent_instances as i')
    .leftJoin('receivers as r', 'r.agent_instance_id', 'i.id')
    .where({ agent_slug: slug })
    .whereNot({ 'i.id': await firstInstance() })
    .select('i.id', 'r.url')) as { readonly id: string; readonly url: string | null }[];
  const credentials = (await app
    .db('agent_credentials')
    .whereIn(
      'agent_instance_id',
      instances.map(({ id }) => id),
    )
    .pluck('agent_instance_id')) as string[];
  return { instances, credentials };
}

async function firstInstance(): Promise<string> {
  const [id] = (await app
    .db('agent_instances')
    .where({ agent_slug: slug })
    .orderBy('created_at')
    .limit(1)
    .pluck('id')) as string[];
  return id ?? '';
}

describe('killed between the verification of a receiver and the commit', () => {
  test('of a new instance: repeats with the key make one instance with one token and one receiver', async () => {
    const [key, delivery] = [randomUUID(), receiver.delivery()];
    const asked = receiver.verifications.length;
    await dieBeforeCommit((url) => make(key, delivery, url));
    expect(await made()).toEqual({ instances: [], credentials: [] });
    const repeats = [make(key, delivery), make(key, delivery)];
    await endLeases();
    const answers = await Promise.all(repeats);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    const [first, second] = answers;
    expect(first?.body).toEqual(second?.body);
    const { id } = instanceIn(answers[0] as ApiResponse);
    expect(await made()).toEqual({ instances: [{ id, url: delivery.url }], credentials: [id] });
    const said = receiver.verifications.slice(asked).map(({ body }) => JSON.parse(body) as object);
    expect(said).toMatchObject([{}, { instance_id: id }]);
    const call = { tool: 'pay', arguments: {}, timeout: '1h' };
    const asks = await as(tokenIn(answers[0] as ApiResponse)).post(
      '/aap/v1/requests',
      call,
      keyed(randomUUID()),
    );
    expect(asks.status).toBe(201);
  });

  test('of another receiver: the instance keeps the first one until the repeat, which changes it once', async () => {
    const before = receiver.delivery('/before');
    const { id } = instanceIn(await make(randomUUID(), before));
    const [key, after] = [randomUUID(), receiver.delivery('/after')];
    const change = (url?: string) =>
      as(token, url).call('PATCH', `/aap/v1/instances/${id}`, {
        body: { delivery: after },
        ...keyed(key),
      });
    await dieBeforeCommit(change);
    expect((await made()).instances).toEqual([{ id, url: before.url }]);
    await endLeases();
    const answers = await Promise.all([change(), change()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await made()).instances).toEqual([{ id, url: after.url }]);
    const changes = app.db('audit_events').where({ event_type: 'agent_instance.receiver_set' });
    expect(await changes.where({ subject_id: id }).pluck('subject_id')).toEqual([id]);
  });
});

test('killed while instances are made: each key has one instance, and a response that was given comes again', async () => {
  const killed = await startProcess();
  const delivery = receiver.delivery();
  const keys = Array.from({ length: 8 }, () => randomUUID());
  const given = new Map<string, ApiResponse>();
  const kills: Promise<void>[] = [];
  await Promise.all(
    keys.map(async (key) => {
      const answer = await make(key, delivery, killed.url).catch(() => undefined);
      if (answer) given.set(key, answer);
      if (given.size === 3) kills.push(killed.kill());
    }),
  );
  await Promise.all(kills);
  expect(given.size).toBeGreaterThanOrEqual(3);
  await endLeases();
  const repeated = await Promise.all(keys.map((key) => make(key, delivery)));
  for (const [index, key] of keys.entries())
    if (given.has(key)) expect(repeated[index]).toMatchObject({ body: given.get(key)?.body });
  const ids = repeated.map((answer) => instanceIn(answer).id).sort();
  const { instances, credentials } = await made();
  expect(instances.map((instance) => instance.id).sort()).toEqual(ids);
  expect(instances.map(({ url }) => url)).toEqual(ids.map(() => delivery.url));
  expect(credentials.sort()).toEqual(ids);
});

/** A request that waits for people, of an instance whose receiver has a path of its own. */
async function pending(): Promise<{ readonly id: string; readonly path: string }> {
  const path = `/${randomUUID()}`;
  const bearer = tokenIn(await make(randomUUID(), receiver.delivery(path)));
  const call = { tool: 'pay', arguments: {}, timeout: '1h' };
  const asked = await as(bearer).post('/aap/v1/requests', call, keyed(randomUUID()));
  const id = String(asked.body['id']);
  const state = () => app.db('approval_requests').where({ id }).pluck('state');
  await until('people are asked', async () => String(await state()) === 'pending');
  return { id, path };
}

const approve = async ({ url }: Pick<ServiceProcess, 'url'>, id: string) =>
  await decide(as(people.ada.apiKey, url), id);
const told = (path: string) =>
  receiver.events
    .filter((message) => message.path === path)
    .map(({ headers, body }) => ({ id: headers['webhook-id'], body }));
const isDelivered = (id: string) => async () =>
  (await eventsOf(app, id)).some(({ outcome }) => outcome === 'delivered');

describe('killed', () => {
  test('between a decision and its delivery: another process delivers the event', async () => {
    const killed = await startProcess();
    const { id, path } = await pending();
    await app.db.transaction(async (trx) => {
      // A process asks for this before it posts.
      await trx.raw(`select pg_advisory_xact_lock(hashtextextended('receiver destinations', 0))`);
      expect((await approve(killed, id)).status).toBe(200);
      await untilBlocked(trx);
      await killed.kill();
    });
    const [event, ...more] = await eventsOf(app, id);
    expect([event?.outcome, more, told(path)]).toEqual([null, [], []]);
    await bringForward(app);
    const next = await startProcess();
    await until('it is delivered', isDelivered(id));
    expect(told(path)).toEqual([{ id: event?.id, body: event?.body }]);
    expect(await eventsOf(app, id)).toMatchObject([{ outcome: 'delivered', attempts: 2 }]);
    await next.kill();
  });

  test('after the receiver has accepted: it gets the same message again, and one row says that it is delivered', async () => {
    const killed = await startProcess();
    const { id, path } = await pending();
    const accepted = new Promise<void>((resolve) => {
      receiver.respondToEvents((response) => {
        // It never learns that the receiver has accepted.
        process.kill(killed.pid, 'SIGSTOP');
        response.on('finish', resolve).writeHead(204).end();
      });
    });
    expect((await approve(app, id)).status).toBe(200);
    await accepted;
    await killed.kill();
    receiver.respondToEvents((response) => response.writeHead(204).end());
    const [event] = await eventsOf(app, id);
    expect(event).toMatchObject({ outcome: null, attempts: 1, lease: expect.any(String) });
    await bringForward(app);
    const next = await startProcess();
    await until('it is delivered', isDelivered(id));
    const message = { id: event?.id, body: event?.body };
    expect(told(path)).toEqual([message, message]);
    expect(await eventsOf(app, id)).toMatchObject([{ outcome: 'delivered', attempts: 2 }]);
    await next.kill();
  });

  test('among many decisions: each has one event, and every message of it is the same', async () => {
    const killed = await startProcess();
    const asked = [];
    for (let count = 0; count < 8; count += 1) asked.push(await pending());
    const kills: Promise<void>[] = [];
    let decided = 0;
    await Promise.all(
      asked.map(async ({ id }) => {
        await approve(killed, id).catch(() => undefined);
        if ((decided += 1) === 3) kills.push(killed.kill());
      }),
    );
    await Promise.all(kills);
    const next = await startProcess();
    for (const { id } of asked) {
      // Recorded or not: then it is decided now.
      await approve(next, id);
      await bringForward(app);
      await until('it is delivered', isDelivered(id));
    }
    for (const { id, path } of asked) {
      const [event, ...more] = await eventsOf(app, id);
      expect([event?.outcome, more]).toEqual(['delivered', []]);
      const messages = told(path);
      expect(messages.length).toBeGreaterThanOrEqual(1);
      expect(messages).toEqual(messages.map(() => ({ id: event?.id, body: event?.body })));
    }
    await next.kill();
  });
});
