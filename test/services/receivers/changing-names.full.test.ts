/** The name of a receiver may lead elsewhere at any moment: no connection is ever opened to an address that is not allowed. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { openEgress } from '../../../src/platform/network/egress.ts';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createProvisioner } from '../../support/scene/factories.ts';
import { startAapReceiver, trustReceivers } from '../../support/servers/aap-receiver.ts';
import { bringForward, eventsOf, receive, tellDue, TELLING } from './told.ts';

/** Stand for a public address, where the receiver listens, and for a private one. */
const [PUBLIC, PRIVATE] = ['127.0.0.1', '127.0.0.2'];
const LOOKUPS = { public: [PUBLIC], private: [PRIVATE], both: [PUBLIC, PRIVATE], nothing: [] };
type Lookup = keyof typeof LOOKUPS;
const KINDS = Object.keys(LOOKUPS) as Lookup[];
const PAIRS = KINDS.flatMap((first) => KINDS.map((then) => [first, then] as const));

trustReceivers();
const receiver = await startAapReceiver(['hook.example']);
const { app, organization, owner, agents } = await scene({
  app: { environment: TELLING },
  pipelines: { bot: {} },
});
const { token } = await createProvisioner(app, organization, agents.bot.slug);
const delivery = () => ({
  ...receiver.delivery(),
  url: receiver.url(`/${randomUUID()}`, 'hook.example'),
});

let connections = 0;
const inside = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(receiver.port, PRIVATE);
await once(inside, 'listening');

/** What the next lookups find. The last one stays. */
let lookups: readonly Lookup[] = [];
const resolve = () => {
  const [next = 'nothing', ...rest] = lookups;
  if (rest.length > 0) lookups = rest;
  return Promise.resolve(LOOKUPS[next].map((address) => ({ address, family: 4 })));
};

/** No connection of an earlier test is left. */
beforeEach(async () => {
  app.context.egress.close();
  Object.assign(app.context, { egress: openEgress({ allow: [PUBLIC], resolve }) });
  await app.db('sign_in_attempts').delete();
});
afterAll(async () => {
  inside.close();
  await receiver.close();
});

test('the private address can be reached from here', async () => {
  lookups = ['private'];
  const open = openEgress({ allow: [PRIVATE], resolve });
  const post = { headers: {}, body: '', timeoutMs: 5_000, maxBytes: 0 };
  await expect(open.post(delivery().url, post)).rejects.toThrow();
  expect(connections).toBe(1);
  connections = 0;
});

test.each(PAIRS)(
  'at the verification the name leads first to %s, then to %s',
  async (first, then) => {
    lookups = [first, then];
    const fleet = new HttpClient(app.url, { authorization: `Bearer ${token}` });
    const headers = { 'idempotency-key': randomUUID() };
    const made = await fleet.post('/aap/v1/instances', { delivery: delivery() }, { headers });
    const refused = first === 'nothing' ? 'webhook_verification_failed' : 'invalid_webhook_url';
    expect(made.body['error']?.['code']).toBe(first === 'public' ? undefined : refused);
    expect(connections).toBe(0);
  },
);

test.each(PAIRS)(
  'at deliveries it leads first to %s, then to %s, and to the receiver in the end',
  async (first, then) => {
    await receive(app, agents.bot.instanceId, delivery());
    const id = await ask(app, agents.bot);
    await decide(owner.http, id);
    lookups = [first, then];
    await tellDue(app);
    expect(connections).toBe(0);
    const [event] = await eventsOf(app, id);
    const isPublic = first === 'public';
    expect(event?.outcome).toBe(isPublic ? 'delivered' : null);
    if (!isPublic) expect(event?.last_error).toMatch(/^egress_denied: /);
    lookups = ['public'];
    await bringForward(app);
    await tellDue(app);
    expect(await eventsOf(app, id)).toMatchObject([{ outcome: 'delivered' }]);
  },
);
