/** How much one destination gets at once, and in a minute, however its URL is written and whatever its name leads to. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEgress } from '../../../src/platform/network/egress.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createAgent, createProvisioner, type TestAgent } from '../../support/scene/factories.ts';
import {
  startAapReceiver,
  trustReceivers,
  type AapReceiver,
} from '../../support/servers/aap-receiver.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { until } from '../../support/waiting.ts';
import { bringForward, receive, tellDue, TELLING } from './told.ts';

trustReceivers();
const { app, organization, owner } = await scene({ app: { environment: TELLING } });

const AT_ONCE = 8;
const EVENTS = 14;
/** `changing.example` leads to another of these at each lookup, all other names to the first. */
const ADDRESSES = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 1}`);
let asked = 0;
const resolve = (name: string) => {
  if (name === 'many.example')
    return Promise.resolve(ADDRESSES.map((address) => ({ address, family: 4 })));
  if (name.startsWith('changing.example')) asked += 1;
  const address = ADDRESSES[name.startsWith('changing.example') ? asked % ADDRESSES.length : 0];
  return Promise.resolve([{ address: address ?? '', family: 4 }]);
};
function open(process: TestApp): TestApp {
  process.context.egress.close();
  Object.assign(process.context, { egress: openEgress({ allow: ['127.0.0.0/8'], resolve }) });
  return process;
}

let receiver: AapReceiver;
let otherPort: number;

beforeEach(async () => {
  receiver = await startAapReceiver([
    'one.example',
    'two.example',
    'changing.example',
    'many.example',
  ]);
  otherPort = await receiver.listenAt('127.0.0.1', 0);
  for (const address of ADDRESSES.slice(1)) await receiver.listenAt(address);
  for (const address of ADDRESSES.slice(1)) await receiver.listenAt(address, otherPort);
  open(app);
  await app.db('sign_in_attempts').delete();
});
afterEach(async () => {
  await receiver.close();
});

const url = (host: string, port: number) => `https://${host}:${port}/`;
/** Receivers that are one destination. */
const ONE_DESTINATION: [string, () => string[]][] = [
  ['one receiver', () => [url('one.example', receiver.port)]],
  [
    'two names of one address',
    () => [url('one.example', receiver.port), url('two.example', receiver.port)],
  ],
  [
    'one host, written in many ways, that changes its address',
    () => [
      url('changing.example', receiver.port),
      url('CHANGING.example', receiver.port),
      url('changing.example.', receiver.port),
      url('changing.example', otherPort),
    ],
  ],
];
const nth = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;

describe('eight attempts at once go to', () => {
  test.each(ONE_DESTINATION)('%s', async (_what, urls) => {
    const held: ServerResponse[] = [];
    receiver.respondToEvents((response) => held.push(response));
    const other = open(await startApp({ environment: TELLING, databaseUrl: app.databaseUrl }));
    const agents: TestAgent[] = [];
    for (const each of urls()) {
      const agent = await createAgent(app, organization);
      await receive(app, agent.instanceId, { ...receiver.delivery(), url: each });
      agents.push(agent);
    }
    for (let count = 0; count < EVENTS; count += 1)
      await decide(owner.http, await ask(app, nth(agents, count)));
    const waiting = app.db('receiver_events').whereNotNull('next_attempt_at');
    const telling = [tellDue(app), tellDue(other)];
    await until('what has no turn is put off', async () => {
      expect(receiver.open).toBeLessThanOrEqual(AT_ONCE);
      const leased = await waiting.clone().whereNotNull('lease').pluck('id');
      return leased.length === AT_ONCE && receiver.open === AT_ONCE;
    });
    expect(receiver.mostOpen).toBe(AT_ONCE);
    receiver.respondToEvents((response) => response.writeHead(204).end());
    for (const response of held) response.writeHead(204).end();
    await Promise.all(telling);
    while ((await waiting.clone().pluck('id')).length > 0) {
      await bringForward(app);
      await Promise.all([tellDue(app), tellDue(other)]);
    }
    expect(receiver.mostOpen).toBe(AT_ONCE);
    expect(new Set(receiver.events.map(({ body }) => body)).size).toBe(EVENTS);
    await other.close();
  });
});

describe('verifications', () => {
  const fleet = async () => {
    const { slug } = await createAgent(app, organization);
    const { token } = await createProvisioner(app, organization, slug);
    return new HttpClient(app.url, { authorization: `Bearer ${token}` });
  };
  const key = () => ({ 'idempotency-key': randomUUID() });
  const make = async (by: HttpClient, at: string) => {
    const delivery = { ...receiver.delivery(), url: at };
    return await by.post('/aap/v1/instances', { delivery }, { headers: key() });
  };

  test.each(ONE_DESTINATION)('are thirty a minute for %s', async (_what, urls) => {
    const fleets = await Promise.all([fleet(), fleet(), fleet(), fleet()]);
    for (let count = 0; count < 30; count += 1)
      expect((await make(nth(fleets, count), nth(urls(), count))).status).toBe(201);
    for (const [index, at] of urls().entries()) {
      const refused = await make(nth(fleets, index), at);
      expect([refused.status, refused.body['error']?.['code']]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(receiver.verifications).toHaveLength(30);
  });

  test('count the first sixteen addresses of a name, in one statement', async () => {
    const by = await fleet();
    const statements = await statementsDuring(app, async () => {
      expect((await make(by, url('many.example', receiver.port))).status).toBe(201);
    });
    expect(statements.filter((sql) => sql.includes('into sign_in_attempts'))).toHaveLength(2);
    // The token, the host and its addresses.
    expect(await app.db('sign_in_attempts').pluck('attempts')).toEqual(Array(18).fill(1));
  });

  test('are ten a minute for a token, of new and of changed instances', async () => {
    const [one, other] = [await fleet(), await fleet()];
    const at = url('one.example', receiver.port);
    const made = await make(one, at);
    const path = `/aap/v1/instances/${String(made.body['instance']?.['id'])}`;
    const statuses: number[] = [];
    for (let count = 1; count < 11; count += 1) {
      const delivery = { ...receiver.delivery(), url: at };
      const change = () => one.call('PATCH', path, { body: { delivery }, headers: key() });
      statuses.push((await (count % 2 === 0 ? make(one, at) : change())).status);
    }
    expect(statuses.filter((status) => status < 300)).toHaveLength(9);
    expect(statuses.at(-1)).toBe(429);
    expect(receiver.verifications).toHaveLength(10);
    expect((await make(other, at)).status).toBe(201);
  });
});
