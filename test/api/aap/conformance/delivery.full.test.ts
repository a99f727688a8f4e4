/** Lines 46 to 62: receivers, and the events that they are told. */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, expect } from '@jest/globals';
import type { ApiResponse, Json } from '../../../support/http.ts';
import {
  startAapReceiver,
  trustReceivers,
  type Delivery,
  type ReceivedMessage,
} from '../../../support/servers/aap-receiver.ts';
import {
  ask,
  codeOf,
  CALL,
  decisionOf,
  describeLines,
  idOf,
  timeOf,
  type BrokenMessages,
  type BrokenReplies,
  type Line,
  type Messages,
  type Provider,
} from './provider.ts';

trustReceivers();
const receiver = await startAapReceiver();

afterAll(async () => {
  await receiver.close();
});

const HOUR = 3_600;
const at = (id: string) => `/v1/instances/${id}`;
const instanceOf = ({ body }: ApiResponse) => body['instance'] as unknown as Json;
const saidIn = ({ body }: ReceivedMessage) => JSON.parse(body) as Record<string, string>;

const reply = (method: string, spoil: BrokenReplies['spoil']): BrokenReplies => ({
  method,
  spoil,
});
const send = (change: BrokenMessages['send']): Line['broken'] => ({ send: change });
const sendNothing = send(() => []);
const sendOneMore = send((messages) => [...messages, { path: '', headers: {}, body: '{}' }]);
const sendOther = (change: (message: ReceivedMessage, messages: Messages) => object) =>
  send((messages) => messages.map((message) => ({ ...message, ...change(message, messages) })));

const refuse = () => {
  receiver.respondToEvents((response) => response.writeHead(500).end());
};
const accept = () => {
  receiver.respondToEvents((response) => response.writeHead(202).end('{"status": "ignored"}'));
};
const repeat = (status: number, more: object = {}) => {
  receiver.respondToVerifications((response, { body }) => {
    const { challenge } = JSON.parse(body) as { challenge: string };
    response.writeHead(status).end(JSON.stringify({ challenge, ...more }));
  });
};

beforeEach(() => {
  accept();
  repeat(200);
});

interface Fleet {
  readonly path: string;
  readonly delivery: Delivery;
  readonly made: ApiResponse;
  readonly id: string;
  readonly as: { readonly token: string };
}

/** An instance with a receiver at a path of its own. */
async function enrol({ call }: Provider): Promise<Fleet> {
  const path = `/${randomUUID()}`;
  const delivery = receiver.delivery(path);
  const made = await call('POST', '/v1/instances', { key: randomUUID(), body: { delivery } });
  const token = String(made.body['credential']?.['token']);
  return { path, delivery, made, id: String(instanceOf(made)?.['id']), as: { token } };
}

async function change({ call }: Provider, id: string, delivery: Delivery | null): Promise<void> {
  const answer = await call('PATCH', at(id), { key: randomUUID(), body: { delivery } });
  expect(answer.status).toBe(200);
}

/** Asks for a decision and gets it. Returns the request. */
async function decideOne(provider: Provider, { as }: Pick<Fleet, 'as'>): Promise<string> {
  const id = idOf(await ask(provider, { as }));
  await provider.decide(id, 'approved');
  return id;
}

function signatureOf(secret: string, { headers, body }: Omit<ReceivedMessage, 'path'>): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

const PUBLISHED = {
  secret: `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`,
  signature: 'v1,zgT2qt+QiEEonu9tmZqEuKzoa83SGE9ZcCgUHzqSPZ8=',
  headers: {
    'webhook-id': 'f4b96ac4-404d-4f6a-9a03-a0565edc4922',
    'webhook-timestamp': '1789560121',
  },
  event: {
    id: 'f4b96ac4-404d-4f6a-9a03-a0565edc4922',
    type: 'request.resolved',
    instance_id: 'b29a43a7-1949-4b9f-9d61-b7ae66f85d31',
    request_id: '7ab8c8ec-7b2d-4fd6-9b52-752f9515eb71',
    created_at: '2026-09-16T12:02:00Z',
  },
};

const lines: readonly Omit<Line, 'only'>[] = [
  {
    line: 46,
    must: 'messages are signed as in the published example',
    check: async (provider) => {
      const { secret, signature, headers, event } = PUBLISHED;
      const body = JSON.stringify(event, null, 2);
      expect(signatureOf(secret, { headers, body })).toBe(signature);
      const fleet = await enrol(provider);
      await decideOne(provider, fleet);
      const messages = [...provider.asked(fleet.path), ...(await provider.told(fleet.path))];
      expect(messages).toHaveLength(2);
      for (const message of messages)
        expect(message.headers['webhook-signature']).toBe(
          signatureOf(fleet.delivery.signing_secret, message),
        );
    },
    broken: sendOther(({ headers }) => ({ headers: { ...headers, 'webhook-timestamp': '1' } })),
  },
  {
    line: 47,
    must: 'a receiver is asked once, with a fresh challenge, for the instance that comes to be',
    check: async (provider) => {
      const { path, id, delivery } = await enrol(provider);
      const [message, ...more] = provider.asked(path);
      expect([message?.headers['content-type'], more]).toEqual(['application/json', []]);
      const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(message && saidIn(message)).toEqual({
        ...{ id: message?.headers['webhook-id'], type: 'webhook.verification' },
        ...{ registration_id: delivery.registration_id, instance_id: id },
        ...{ created_at: expect.stringMatching(/Z$/), challenge: uuid },
      });
    },
    broken: sendOther(() => ({ body: '{"type": "webhook.verification"}' })),
  },
  {
    line: 48,
    must: 'only status 200 with exactly the challenge makes the instance',
    check: async (provider) => {
      const answers = [
        () => {
          repeat(201);
        },
        () => {
          repeat(200, { challenge: randomUUID() });
        },
        () => {
          receiver.respondToVerifications((response) => response.writeHead(200).end());
        },
        () => {
          receiver.respondToVerifications((response) => response.writeHead(204).end());
        },
      ];
      for (const answer of answers) {
        answer();
        const { made } = await enrol(provider);
        expect(codeOf(made)).toEqual([422, 'webhook_verification_failed']);
        expect(made.body['error']?.['param']).toBe('delivery');
      }
    },
    broken: reply('POST', (made) => (made.status = 201)),
  },
  {
    line: 49,
    must: 'a failed creation leaves its key unused',
    check: async ({ call }) => {
      const body = { delivery: receiver.delivery() };
      const options = { key: randomUUID(), body };
      repeat(201);
      expect((await call('POST', '/v1/instances', options)).status).toBe(422);
      repeat(200);
      expect((await call('POST', '/v1/instances', options)).status).toBe(201);
    },
    broken: reply('POST', (made) => {
      if (made.status === 201) made.status = 422;
    }),
  },
  {
    line: 50,
    must: 'a failed update leaves name and receiver as they are',
    check: async (provider) => {
      const { id, made } = await enrol(provider);
      repeat(201);
      const body = { instance_name: randomUUID(), delivery: receiver.delivery('/new') };
      const failed = await provider.call('PATCH', at(id), { key: randomUUID(), body });
      expect(codeOf(failed)).toEqual([422, 'webhook_verification_failed']);
      expect((await provider.call('GET', at(id))).body).toEqual(instanceOf(made));
    },
    broken: reply('GET', ({ body }) => (body['name'] = randomUUID())),
  },
  {
    line: 51,
    must: 'the secret is never returned',
    check: async (provider) => {
      const { id, made, delivery } = await enrol(provider);
      const { signing_secret: secret, ...shown } = delivery;
      const read = await provider.call('GET', at(id));
      expect([instanceOf(made)['delivery'], read.body['delivery']]).toEqual([shown, shown]);
      expect(made.text + read.text).not.toContain(secret);
    },
    broken: reply('GET', ({ body }) => (body['delivery'] = { ...PUBLISHED })),
  },
  {
    line: 52,
    must: 'every way to be decided is told, also at creation',
    check: async (provider) => {
      const { path, as } = await enrol(provider);
      const [approved, denied, cancelled, expired] = [
        idOf(await ask(provider, { as })),
        idOf(await ask(provider, { as })),
        idOf(await ask(provider, { as })),
        idOf(await ask(provider, { as, body: { ...CALL, timeout: '1s' } })),
      ];
      await provider.decide(approved, 'approved');
      await provider.decide(denied, 'denied');
      await provider.call('DELETE', `/v1/requests/${cancelled}`, { as });
      await provider.call('GET', `/v1/requests/${expired}?wait=10s`, { as });
      const told = (await provider.told(path)).map((message) => saidIn(message)['request_id']);
      expect(told.sort()).toEqual([approved, denied, cancelled, expired].sort());
      const body = { delivery: receiver.delivery(`${path}/free`) };
      const options = { as: 'freeProvisioner', key: randomUUID(), body } as const;
      expect((await provider.call('PATCH', at(provider.freeInstanceId), options)).status).toBe(200);
      const free = await ask(provider, { as: 'free' });
      const [message] = await provider.told(`${path}/free`);
      expect(message && saidIn(message)['request_id']).toBe(idOf(free));
    },
    broken: sendNothing,
  },
  {
    line: 53,
    must: 'an event is told once: no more after a 2xx, a repeated request or a read',
    check: async (provider) => {
      const { path, as } = await enrol(provider);
      const key = randomUUID();
      const id = idOf(await ask(provider, { as, key }));
      await provider.decide(id, 'denied');
      expect(await provider.told(path)).toHaveLength(1);
      expect((await ask(provider, { as, key })).status).toBe(200);
      await provider.call('GET', `/v1/requests/${id}`, { as });
      expect(await provider.told(path, HOUR)).toHaveLength(1);
    },
    broken: sendOneMore,
  },
  {
    line: 54,
    must: 'deleting an instance tells nothing, and ends what is queued',
    check: async (provider) => {
      const fleet = await enrol(provider);
      await decideOne(provider, fleet);
      await ask(provider, { as: fleet.as });
      expect((await provider.call('DELETE', at(fleet.id))).status).toBe(204);
      expect(await provider.told(fleet.path, HOUR)).toEqual([]);
    },
    broken: sendOneMore,
  },
  {
    line: 55,
    must: 'id and body stay the same in every attempt and for every receiver',
    check: async (provider) => {
      const fleet = await enrol(provider);
      refuse();
      await decideOne(provider, fleet);
      await provider.told(fleet.path);
      await provider.told(fleet.path, HOUR);
      await change(provider, fleet.id, receiver.delivery(fleet.path));
      accept();
      const messages = await provider.told(fleet.path);
      expect(messages).toHaveLength(3);
      expect(new Set(messages.map(({ body }) => body)).size).toBe(1);
      expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    },
    broken: sendOther((message, messages) => ({
      body: `${message.body}${' '.repeat(messages.indexOf(message))}`,
    })),
  },
  {
    line: 56,
    must: 'every attempt has its own time and signature',
    check: async (provider) => {
      const fleet = await enrol(provider);
      refuse();
      await decideOne(provider, fleet);
      await provider.told(fleet.path);
      await delay(1_100);
      accept();
      const messages = await provider.told(fleet.path, HOUR);
      for (const name of ['webhook-timestamp', 'webhook-signature'])
        expect(new Set(messages.map(({ headers }) => headers[name])).size).toBe(2);
    },
    broken: sendOther((_message, [first]) => ({ headers: first?.headers })),
  },
  {
    line: 57,
    must: 'an event names itself, the instance, the request and the time of the decision',
    check: async (provider) => {
      const fleet = await enrol(provider);
      const id = await decideOne(provider, fleet);
      const read = await provider.call('GET', `/v1/requests/${id}`, { as: fleet.as });
      const [message] = await provider.told(fleet.path);
      expect(message && saidIn(message)).toEqual({
        id: message?.headers['webhook-id'],
        type: 'request.resolved',
        instance_id: fleet.id,
        request_id: id,
        created_at: decisionOf(read)['decided_at'],
      });
    },
    broken: sendOther(({ headers }) => ({ headers: { ...headers, 'webhook-id': randomUUID() } })),
  },
  {
    line: 58,
    must: 'a redirect is not followed, and is no acknowledgement',
    check: async (provider) => {
      const fleet = await enrol(provider);
      const elsewhere = `${fleet.path}/elsewhere`;
      receiver.respondToEvents((response) =>
        response.writeHead(307, { location: receiver.url(elsewhere) }).end(),
      );
      await decideOne(provider, fleet);
      expect(await provider.told(fleet.path)).toHaveLength(1);
      accept();
      expect(await provider.told(elsewhere)).toEqual([]);
      expect(await provider.told(fleet.path, HOUR)).toHaveLength(2);
    },
    broken: send((messages) => messages.slice(0, 1)),
  },
  {
    line: 59,
    must: 'Retry-After of 429 and 503 is honoured',
    check: async (provider) => {
      const inMinutes = () => new Date(Date.now() + 600_000).toUTCString();
      for (const [status, after] of [
        [429, '600'],
        [503, inMinutes()],
      ] as const) {
        const fleet = await enrol(provider);
        receiver.respondToEvents((response) =>
          response.writeHead(status, { 'retry-after': after }).end(),
        );
        await decideOne(provider, fleet);
        expect(await provider.told(fleet.path)).toHaveLength(1);
        accept();
        expect(await provider.told(fleet.path, 500)).toHaveLength(1);
        expect(await provider.told(fleet.path, 200)).toHaveLength(2);
      }
    },
    broken: send((messages) => messages.concat(messages)),
  },
  {
    line: 60,
    must: 'what is queued goes to the new receiver, with its secret',
    check: async (provider) => {
      const fleet = await enrol(provider);
      refuse();
      await decideOne(provider, fleet);
      await provider.told(fleet.path);
      const next = receiver.delivery(`${fleet.path}/next`);
      await change(provider, fleet.id, next);
      accept();
      const [message] = await provider.told(`${fleet.path}/next`, HOUR);
      expect(message?.headers['webhook-signature']).toBe(
        message && signatureOf(next.signing_secret, message),
      );
      expect(message && timeOf(saidIn(message)['created_at'])).toBeGreaterThan(0);
      expect(await provider.told(fleet.path, HOUR)).toHaveLength(1);
    },
    broken: sendNothing,
  },
  {
    line: 61,
    must: 'nothing is told once the receiver is removed',
    check: async (provider) => {
      const fleet = await enrol(provider);
      await decideOne(provider, fleet);
      await change(provider, fleet.id, null);
      expect(await provider.told(fleet.path, HOUR)).toEqual([]);
    },
    broken: sendOneMore,
  },
  {
    line: 62,
    must: 'a new receiver is not told of what was decided without one',
    check: async (provider) => {
      const fleet = await enrol(provider);
      await change(provider, fleet.id, null);
      await decideOne(provider, fleet);
      await change(provider, fleet.id, receiver.delivery(fleet.path));
      expect(await provider.told(fleet.path, HOUR)).toEqual([]);
    },
    broken: sendOneMore,
  },
];

/** Only the standard address has receivers. */
await describeLines(
  lines.map((line) => ({ ...line, only: '/aap' })),
  receiver,
);
