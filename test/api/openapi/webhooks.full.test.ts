/** What the description says about calls to receivers is what they get, and how their responses are taken. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { endpoints } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createProvisioner } from '../../support/scene/factories.ts';
import {
  startAapReceiver,
  trustReceivers,
  type ReceivedMessage,
} from '../../support/servers/aap-receiver.ts';
import { eventsOf, tellDue, TELLING } from '../../services/receivers/told.ts';

interface Posted {
  readonly parameters: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: { readonly pattern: string };
  }[];
  readonly requestBody: { readonly content: Readonly<Record<string, { schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

const description = JSON.parse(JSON.stringify(openApiDocument(endpoints))) as {
  readonly webhooks: Readonly<Record<string, { readonly post: Posted }>>;
  readonly components: object;
};
const ajv = new Ajv2020({
  strict: false,
  formats: {
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  },
});
ajv.addSchema({ $id: 'description', components: description.components });

trustReceivers();
const receiver = await startAapReceiver();
const { app, organization, owner, agents } = await scene({
  app: { environment: TELLING },
  pipelines: { bot: {} },
});
const fleet = new HttpClient(app.url, {
  authorization: `Bearer ${(await createProvisioner(app, organization, agents.bot.slug)).token}`,
});

beforeAll(async () => {
  const made = await fleet.call('PATCH', `/aap/v1/instances/${agents.bot.instanceId}`, {
    body: { delivery: receiver.delivery() },
    headers: { 'idempotency-key': randomUUID() },
  });
  expect(made.status).toBe(200);
});
afterAll(async () => {
  await receiver.close();
});

async function decided(): Promise<string> {
  const id = await ask(app, agents.bot);
  expect((await decide(owner.http, id)).status).toBe(200);
  await tellDue(app);
  return id;
}

const described = (name: string): Posted => {
  const found = description.webhooks[name]?.post;
  if (!found) throw new Error(`${name} is not described`);
  return found;
};

test.each(['webhook.verification', 'request.resolved'])(
  '%s has the headers and the body that are described',
  async (name) => {
    await decided();
    const messages: readonly ReceivedMessage[] = [...receiver.verifications, ...receiver.events];
    const message = messages.find(({ body }) => body.includes(name));
    const { parameters, requestBody } = described(name);
    const names = parameters.map((parameter) => parameter.name);
    const sent = Object.keys(message?.headers ?? {}).filter((key) =>
      /^(webhook|service)-/.test(key),
    );
    expect(sent.sort()).toEqual([...names].sort());
    for (const { name: header, required, schema } of parameters) {
      expect(required).toBe(true);
      expect(message?.headers[header]).toMatch(new RegExp(schema.pattern));
    }
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody.content);
    expect(message?.headers['content-type']).toBe(type);
    const text = JSON.stringify(schema).replaceAll('"#/', '"description#/');
    const fits = ajv.compile(JSON.parse(text) as object);
    const body = JSON.parse(message?.body ?? '') as Record<string, unknown>;
    expect([fits(body), fits.errors]).toEqual([true, null]);
    expect(body['id']).toBe(message?.headers['webhook-id']);
    expect(fits({ ...body, more: 1 })).toBe(false);
    for (const member of Object.keys(body)) expect(fits({ ...body, [member]: '' })).toBe(false);
  },
);

/** The response that the description has for a status. */
function responseTo(status: number) {
  const { responses } = described('request.resolved');
  const key = [String(status), `${String(status)[0]}XX`].find((each) => each in responses);
  return { key: key ?? 'default', ...responses[key ?? 'default'] };
}

test.each([200, 202, 204, 299, 300, 307, 400, 404, 410, 429, 500, 502, 503])(
  'an event that a receiver answers with %i is accepted, or posted again, as described',
  async (status) => {
    const pauseS = 1_000;
    receiver.respondToEvents((response) =>
      response.writeHead(status, { 'retry-after': String(pauseS) }).end(),
    );
    const before = Date.now();
    const [event] = await eventsOf(app, await decided());
    const { key, headers } = responseTo(status);
    expect(event?.outcome).toBe(key === '2XX' ? 'delivered' : null);
    if (key === '2XX') return;
    const waitsAsAsked = (event?.next_attempt_at?.getTime() ?? 0) >= before + pauseS * 1_000;
    expect(waitsAsAsked).toBe(headers !== undefined && 'Retry-After' in headers);
  },
);
