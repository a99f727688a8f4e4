/** Connections that fail, and peers that misbehave: what is known of the cause is kept, and logged. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import { openOpenAi } from '../../../src/platform/language-models/openai.ts';
import { openAnthropic } from '../../../src/platform/language-models/anthropic.ts';
import { openSlack } from '../../../src/platform/slack.ts';
import { openEgress } from '../../../src/platform/network/egress.ts';
import { newSigningSecret } from '../../../src/platform/crypto/webhook-signature.ts';
import { askEndpoint } from '../../../src/services/webhooks/ask-endpoint.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Json } from '../../support/http.ts';
import { createOrganization, type TestMember } from '../../support/scene/factories.ts';
import { createAuthority } from '../../support/servers/certificates.ts';
import { startEarlyContinueServer } from '../../support/servers/early-continue.ts';
import { startTlsReceiver } from '../../support/servers/tls-receiver.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const closing: (() => unknown)[] = [];
let app: TestApp;
let owner: TestMember;

beforeAll(async () => {
  const key = randomBytes(32).toString('base64');
  app = await startApp({ environment: { ...LOOPBACK_ALLOWED, COUNTERSIGN_SECRETS_KEY: key } });
  ({ owner } = await createOrganization(app));
});

afterAll(async () => {
  await app.close();
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function earlyContinue(body: string): Promise<string> {
  const server = await startEarlyContinueServer(body);
  closing.push(() => server.close());
  return server.origin;
}

/** Where nothing listens. */
async function refusing(): Promise<string> {
  const gone = await startWebhookReceiver();
  await gone.close();
  return gone.url;
}

async function selfSigned(): Promise<string> {
  const certificate = createAuthority('Unknown').issue({ names: ['127.0.0.1'] });
  const receiver = await startTlsReceiver(certificate);
  closing.push(() => receiver.close());
  return `https://127.0.0.1:${receiver.port}/`;
}

/** Takes connections; `says` it, and then nothing. */
async function peer(says?: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => says && socket.end(says));
    closing.push(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

let count = 0;

/** Tests a new endpoint at the URL over HTTP. */
async function tryOut(url: string): Promise<{ readonly answer: Json; readonly kept: unknown }> {
  const path = `/api/v1/webhook_endpoints/endpoint-${++count}`;
  await owner.http.post(`${path}/revisions`, { name: `Endpoint ${count}`, url });
  const answer = (await owner.http.post(`${path}/revisions/1/test`)).body;
  const { deliveries } = (await owner.http.get(`${path}/deliveries`)).body as Record<
    string,
    unknown
  >;
  return { answer, kept: (deliveries as unknown[])[0] };
}

describe('a connection that fails', () => {
  test.each<[string, string, () => Promise<string>]>([
    ['refused', 'connection_failed', refusing],
    ['certificate', 'connection_failed', selfSigned],
    ['reset', 'connection_failed', () => peer('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')],
    ['protocol', 'connection_failed', () => peer('SSH-2.0-OpenSSH_9.2\r\n')],
    [
      'tls',
      'connection_failed',
      async () => (await peer('HTTP/1.1 400 Bad\r\n\r\n')).replace('http:', 'https:'),
    ],
  ])('says %s in the test and in the record', async (error_cause, error_code, at) => {
    const { answer, kept } = await tryOut(await at());
    expect(answer).toMatchObject({ delivered: false, error_code, error_cause });
    expect(kept).toMatchObject({ error_code, error_cause });
  });

  test.each([
    ['timeout', 'timeout', () => peer()],
    // Saving refuses such a name, so it is not found later.
    ['dns', 'egress_denied', () => Promise.resolve('https://nowhere.invalid/')],
  ])('says %s, too', async (errorCause, errorCode, at) => {
    const egress = openEgress({ allow: ['127.0.0.1'] });
    closing.push(() => {
      egress.close();
    });
    const { signal } = new AbortController();
    const question = {
      secrets: [newSigningSecret()],
      id: 'msg_1',
      payload: '{}',
      timeoutMs: 2_000,
    };
    expect(await askEndpoint({ egress }, { url: await at(), signal, ...question })).toMatchObject({
      kind: 'failed',
      errorCode,
      errorCause,
    });
  });
});

describe('a `100 Continue` that no one asked for', () => {
  test('does not keep the answer of an endpoint from being read', async () => {
    const { answer, kept } = await tryOut(`${await earlyContinue('{"outcome":"approve"}')}/`);
    expect(answer).toMatchObject({ delivered: true, status_code: 200, outcome: 'approve' });
    expect(kept).toMatchObject({ status_code: 200, outcome: 'approve' });
  });

  test.each([
    [
      'openai',
      openOpenAi,
      '{"choices":[{"finish_reason":"stop","message":{"content":"{\\"a\\":1}"}}]}',
    ],
    [
      'anthropic',
      openAnthropic,
      '{"stop_reason":"tool_use","content":[{"type":"tool_use","name":"answer","input":{"a":1}}]}',
    ],
  ])('nor that of a judge (%s)', async (_dialect, open, body) => {
    const model = open({ url: `${await earlyContinue(body)}/`, apiKey: 'a-key' });
    const { signal } = new AbortController();
    const question = { model: 'm', system: 's', user: 'u', schema: {}, maxOutputTokens: 9 };
    expect(await model.ask({ ...question, timeoutMs: 10_000, signal })).toMatchObject({
      kind: 'answered',
      value: expect.anything(),
    });
  });

  test('nor that of Slack', async () => {
    const identity = '{"ok":true,"team_id":"T1","team":"Team","user_id":"U1","bot_id":"B1"}';
    const url = `${await earlyContinue(identity)}/api/`;
    const slack = openSlack(url);
    expect(await slack.identify('xoxb-1')).toMatchObject({ teamId: 'T1' });
    await expect(
      slack.postEphemeral(`${new URL(url).origin}/answer`, 'Hi'),
    ).resolves.toBeUndefined();
  });
});
