/** Connections that fail, and peers that misbehave: what is known of the cause is kept, and logged. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openOpenAi } from '../../../src/platform/language-models/openai.ts';
import { openAnthropic } from '../../../src/platform/language-models/anthropic.ts';
import { openSlack } from '../../../src/platform/slack.ts';
import { openEgress } from '../../../src/platform/network/egress.ts';
import { newSigningSecret } from '../../../src/platform/crypto/webhook-signature.ts';
import { askEndpoint } from '../../../src/services/webhooks/ask-endpoint.ts';
import type { Json } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { startEarlyContinueServer } from '../../support/servers/early-continue.ts';
import { FAILING_PEERS, rawPeer, type FailingPeer } from '../../support/servers/failing-peers.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';

const closing: (() => unknown)[] = [];

const key = randomBytes(32).toString('base64');
const { owner } = await scene({
  app: { environment: { ...LOOPBACK_ALLOWED, COUNTERSIGN_SECRETS_KEY: key } },
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function earlyContinue(body: string): Promise<string> {
  const server = await startEarlyContinueServer(body);
  closing.push(() => server.close());
  return server.origin;
}

async function urlOf(opening: Promise<FailingPeer>): Promise<string> {
  const peer = await opening;
  closing.push(() => peer.close());
  return peer.url;
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
    ['refused', 'connection_failed', () => urlOf(FAILING_PEERS.refused())],
    ['certificate', 'connection_failed', () => urlOf(FAILING_PEERS.certificate())],
    ['reset', 'connection_failed', () => urlOf(FAILING_PEERS.reset())],
    ['protocol', 'connection_failed', () => urlOf(rawPeer('SSH-2.0-OpenSSH_9.2\r\n'))],
    [
      'tls',
      'connection_failed',
      async () => (await urlOf(rawPeer('HTTP/1.1 400 Bad\r\n\r\n'))).replace('http:', 'https:'),
    ],
  ])('says %s in the test and in the record', async (error_cause, error_code, at) => {
    const { answer, kept } = await tryOut(await at());
    expect(answer).toMatchObject({ delivered: false, error_code, error_cause });
    expect(kept).toMatchObject({ error_code, error_cause });
  });

  test.each([
    ['timeout', 'timeout', 1_000, () => urlOf(FAILING_PEERS.timeout())],
    // Saving refuses such a name, so it is not found later.
    ['dns', 'egress_denied', 60_000, () => urlOf(FAILING_PEERS.dns())],
  ])('says %s, too', async (errorCause, errorCode, timeoutMs, at) => {
    const egress = openEgress({ allow: ['127.0.0.1'] });
    closing.push(() => {
      egress.close();
    });
    const { signal } = new AbortController();
    const question = {
      secrets: [newSigningSecret()],
      id: 'msg_1',
      payload: '{}',
      timeoutMs,
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
      kind: 'responded',
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
