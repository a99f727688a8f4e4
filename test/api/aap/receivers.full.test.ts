/** A fleet gives its instances receivers, which the service asks first. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startTellingReceivers } from '../../../src/services/receivers/send-loop.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { decide, stepAt } from '../../support/scene/approval-requests.ts';
import { createAgent, createProvisioner } from '../../support/scene/factories.ts';
import { startAapReceiver, trustReceivers } from '../../support/servers/aap-receiver.ts';
import { until } from '../../support/waiting.ts';
import { bringForward, eventsOf, tellDue, TELLING } from '../../services/receivers/told.ts';

trustReceivers();
const receiver = await startAapReceiver();
const { app, organization, owner } = await scene({ app: { environment: TELLING } });
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const key = (value: string = randomUUID()) => ({ headers: { 'idempotency-key': value } });
const outcome = ({ status, body }: ApiResponse) => [
  status,
  body?.['error']?.['code'],
  body?.['error']?.['param'],
];

let fleet: HttpClient;

/** Another fleet, and receivers that were asked nothing yet. */
beforeEach(async () => {
  const agent = await createAgent(app, organization);
  fleet = as((await createProvisioner(app, organization, agent.slug)).token);
  await app.db('sign_in_attempts').delete();
  receiver.respondToVerifications((response, { body }) => {
    const { challenge } = JSON.parse(body) as { challenge: string };
    response.end(JSON.stringify({ challenge }));
  });
  receiver.respondToEvents((response) => response.writeHead(204).end());
});

afterAll(async () => {
  await receiver.close();
});

const make = async (delivery: unknown, used = key()) =>
  await fleet.post('/aap/v1/instances', { delivery }, used);
const change = async (id: string, body: unknown, used = key()) =>
  await fleet.call('PATCH', `/aap/v1/instances/${id}`, { body, ...used });
const idOf = ({ body }: ApiResponse) => String(body['instance']?.['id']);
/** A request that waits for people. Returns its id. */
async function askAs({ body }: ApiResponse): Promise<string> {
  const call = { tool: 'issue_refund', arguments: {}, timeout: '1h' };
  const agent = as(String(body['credential']?.['token']));
  const id = String((await agent.post('/aap/v1/requests', call, key())).body['id']);
  await stepAt(app, id);
  return id;
}

async function approve(id: string): Promise<void> {
  expect((await decide(owner.http, id)).status).toBe(200);
}
const countInstances = async () =>
  Number((await app.db('agent_instances').count('* as count').first())?.['count']);

describe('a receiver that repeats the challenge', () => {
  test('is asked once, shown without its secret, and told of a decision', async () => {
    const delivery = receiver.delivery();
    const { signing_secret: secret, ...shown } = delivery;
    const used = key();
    const before = receiver.verifications.length;
    const made = await make(delivery, used);
    expect([made.status, made.body['instance']?.['delivery']]).toEqual([201, shown]);
    expect((await make(delivery, used)).body).toEqual(made.body);
    expect(receiver.verifications).toHaveLength(before + 1);
    const asked = receiver.verifications[before];
    const verified = new Webhook(secret).verify(
      asked?.body ?? '',
      asked?.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({
      type: 'webhook.verification',
      registration_id: delivery.registration_id,
      instance_id: idOf(made),
    });
    const read = await fleet.get(`/aap/v1/instances/${idOf(made)}`);
    expect(read.body).toEqual(made.body['instance']);
    const loop = startTellingReceivers(app.context);
    const request = await askAs(made);
    await approve(request);
    await until('it is told', () => receiver.events.some(({ body }) => body.includes(request)));
    await loop.stop();
    expect(await eventsOf(app, request)).toMatchObject([{ outcome: 'delivered' }]);
    const places = await app.db('audit_events').select('data', 'event_type');
    expect(JSON.stringify(places)).not.toContain(secret.slice(6));
    expect([app.log.join('\n'), made.text, read.text].join('\n')).not.toContain(secret.slice(6));
  });

  test('is replaced, kept by a new name, and removed', async () => {
    const first = await make(receiver.delivery());
    const id = idOf(first);
    const { signing_secret: _secret, ...second } = receiver.delivery('/second');
    const replaced = await change(id, { delivery: { ...second, signing_secret: _secret } });
    expect([replaced.status, replaced.body['delivery']]).toEqual([200, second]);
    const renamed = await change(id, { instance_name: `n ${id}` });
    expect(renamed.body['delivery']).toEqual(second);
    const removed = await change(id, { delivery: null });
    expect([removed.status, 'delivery' in removed.body]).toEqual([200, false]);
    const events = await app.db('audit_events').where({ subject_id: id }).select('event_type');
    expect(events.map(({ event_type: type }: { event_type: string }) => type)).toEqual([
      'agent_instance.provisioned',
      'agent_instance.receiver_set',
      'agent_instance.renamed',
      'agent_instance.receiver_removed',
    ]);
  });
});

describe('a receiver that does not', () => {
  test.each([
    ['another challenge', 200, JSON.stringify({ challenge: randomUUID() })],
    ['no body', 204, ''],
    ['nothing but 200', 200, ''],
    ['the challenge and more', 200, 'more'],
    ['the challenge twice', 200, 'twice'],
    ['the challenge behind a byte order mark', 200, 'marked'],
    ['the challenge with 201', 201, 'same'],
    ['a redirect', 307, ''],
    ['a huge body', 200, `{"challenge":"${'x'.repeat(200_000)}"}`],
  ])('returns %s: nothing is made, and the key is free', async (_what, status, said) => {
    const delivery = receiver.delivery();
    receiver.respondToVerifications((response, { body }) => {
      const { challenge } = JSON.parse(body) as { challenge: string };
      const quoted = JSON.stringify(challenge);
      const texts: Readonly<Record<string, string>> = {
        same: `{"challenge":${quoted}}`,
        more: `{"challenge":${quoted},"more":1}`,
        twice: `{"challenge":"x","challenge":${quoted}}`,
        marked: `\uFEFF{"challenge":${quoted}}`,
      };
      response
        .writeHead(status, status === 307 ? { location: receiver.url('/there') } : {})
        .end(texts[said] ?? said);
    });
    const before = await countInstances();
    const used = key();
    const refused = [422, 'webhook_verification_failed', 'delivery'];
    expect(outcome(await make(delivery, used))).toEqual(refused);
    expect(await countInstances()).toBe(before);
    expect(receiver.verifications.at(-1)?.path).toBe('/aap/events');
    receiver.respondToVerifications((response, { body }) => {
      const { challenge } = JSON.parse(body) as { challenge: string };
      response.end(JSON.stringify({ challenge }));
    });
    expect((await make(delivery, used)).status).toBe(201);
  });

  test('leaves name and receiver as they are', async () => {
    const made = await make(receiver.delivery());
    receiver.respondToVerifications((response) => response.writeHead(500).end());
    const body = { instance_name: 'other', delivery: receiver.delivery('/new') };
    expect(outcome(await change(idOf(made), body))).toEqual([
      422,
      'webhook_verification_failed',
      'delivery',
    ]);
    const read = await fleet.get(`/aap/v1/instances/${idOf(made)}`);
    expect(read.body).toEqual(made.body['instance']);
  });

  test('has ten seconds, also for a body that drips', async () => {
    receiver.respondToVerifications((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 200);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const began = performance.now();
    expect(outcome(await make(receiver.delivery()))[0]).toBe(422);
    expect(performance.now() - began).toBeGreaterThan(9_000);
  });
});

test.each([
  ['invalid_webhook_url', { url: 'http://hooks.example/' }],
  ['invalid_webhook_url', { url: 'https://user:pass@hooks.example/' }],
  ['invalid_webhook_url', { url: 'https://hooks.example/#part' }],
  ['invalid_webhook_url', { url: 'https://10.0.0.1/' }],
  ['invalid_webhook_url', { url: 'https://169.254.169.254/latest' }],
  ['invalid_webhook_url', { url: 'https://[fd00::1]/' }],
  ['unsupported_delivery_type', { type: 'socket' }],
  ['validation_failed', { signing_secret: `whsec_${'A'.repeat(42)}B=` }],
  ['validation_failed', { registration_id: 'none' }],
  ['validation_failed', { more: 1 }],
])('%s: %j', async (code, wrong) => {
  const before = receiver.verifications.length;
  const refused = await make({ ...receiver.delivery(), ...wrong });
  expect(outcome(refused)).toEqual([400, code, 'delivery']);
  expect(receiver.verifications).toHaveLength(before);
});

test('deleting an instance cancels its requests and tells no one', async () => {
  const made = await make(receiver.delivery('/gone'));
  receiver.respondToEvents((response) => response.writeHead(500).end());
  const [decided, open] = [await askAs(made), await askAs(made)];
  await approve(decided);
  await tellDue(app);
  expect((await fleet.delete(`/aap/v1/instances/${idOf(made)}`)).status).toBe(204);
  expect(await eventsOf(app, open)).toEqual([]);
  expect(await eventsOf(app, decided)).toMatchObject([{ outcome: 'removed' }]);
});

test('a decision while the receiver is removed is told or not, and nothing stays behind', async () => {
  const made = await make(receiver.delivery());
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = await askAs(made);
    await app.db('sign_in_attempts').delete();
    const [, changed] = await Promise.all([
      approve(request),
      change(idOf(made), { delivery: null }),
    ]);
    expect(changed.status).toBe(200);
    await change(idOf(made), { delivery: receiver.delivery('/later') });
    await bringForward(app);
    await tellDue(app);
    const events = await eventsOf(app, request);
    expect(events.map(({ outcome: is }) => is)).toEqual(events.map(() => 'removed'));
  }
  expect(receiver.events.map(({ path }) => path)).not.toContain('/later');
});
