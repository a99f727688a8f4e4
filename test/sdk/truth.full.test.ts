/** What the model and the operator hear is true, and comes in time. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBrokenServer } from '../support/servers/broken-server.ts';
import { eachClient } from './drivers/each.ts';
import type { SdkCall, SdkOptions } from './drivers/sdk.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let count = 0;
const callOf = (more: Partial<SdkCall> = {}): SdkCall => ({
  ...{ tool: 'hold', session: 'session', callId: `call ${String(++count)}` },
  arguments: { amount: 1 },
  ...more,
});

async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume();
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const ISSUES = [
  { pointer: '/tool', code: 'too_long', message: 'must have at most 512 characters' },
];
const REFUSALS = [
  { status: 400, code: 'validation_failed', advice: /\/tool: must have .*Change the call/ },
  { status: 413, code: 'body_too_large', advice: /Change the call/ },
  { status: 429, code: 'quota_exceeded', advice: /try it again later/ },
  { status: 403, code: 'agent_disabled', advice: /Tell the user/ },
];

eachClient((sdk) => {
  const clientAt = async (url: string, more: SdkOptions = {}) =>
    (await sdk.client({ url, token: 'whc_x', limit: '20s', ...more })).client;
  const holding = async (more: SdkOptions) => {
    let withdrawn = 0;
    const server = await startBrokenServer({
      spoil: (reply, { operation }) => {
        if (operation === 'cancel') withdrawn += 1;
        return reply;
      },
    });
    closing.push(() => server.close());
    const url = server.baseUrl.replace(/\/api\/aap$/, '');
    const client = await clientAt(url, { token: server.credential, ...more });
    return { client, withdrawn: () => withdrawn };
  };

  describe('a refusal', () => {
    test.each(REFUSALS)('with $code is told at once, with its reason', async (refusal) => {
      const { status, code, advice } = refusal;
      let calls = 0;
      const url = await serve((_, response) => {
        calls += 1;
        const details = status === 400 ? { issues: ISSUES } : {};
        const error = { code, message: 'It is too much.', details };
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error }));
      });
      const { failure, runs } = await (await clientAt(url)).run(callOf()).ended;
      expect([runs, calls, failure]).toMatchObject([
        ...[[], 1],
        { name: 'Unavailable', reason: 'refused', refusal: { status, code } },
      ]);
      expect(failure?.toModel).toContain(`(${String(status)} ${code}): It is too much.`);
      expect(failure?.toModel).toMatch(advice);
    });

    test('for too many calls a minute is repeated', async () => {
      let calls = 0;
      const url = await serve((_, response) => {
        calls += 1;
        const code = calls === 1 ? 'rate_limited' : 'quota_exceeded';
        response.writeHead(429, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { code, message: 'Too many.' } }));
      });
      const { failure } = await (await clientAt(url)).run(callOf()).ended;
      expect([calls, failure?.refusal?.code]).toEqual([2, 'quota_exceeded']);
    });
  });

  describe('code of the caller that never ends', () => {
    test('is held to the limit, and the request is withdrawn', async () => {
      const { client, withdrawn } = await holding({ hangs: 'onPending', limit: '2s' });
      const { runs, failure } = await client.run(callOf()).ended;
      expect([runs, failure]).toMatchObject([[], { name: 'Unavailable', reason: 'unreachable' }]);
      expect(failure?.message).toMatch(/^on_?pending did not end in time/i);
      expect(withdrawn()).toBe(1);
    });

    test('is left when the caller aborts', async () => {
      const { client, withdrawn } = await holding({ hangs: 'onPending' });
      const running = client.run(callOf());
      await new Promise((resolve) => setTimeout(resolve, 500));
      await running.abort();
      expect(await running.ended).toMatchObject({ runs: [], failure: { name: 'aborted' } });
      expect(withdrawn()).toBe(1);
    });

    test('does not hold a call in a ledger', async () => {
      const { client } = await holding({ hangs: 'load', limit: '2s' });
      const { runs, failure } = await client.run(callOf({ callId: undefined })).ended;
      expect([runs, failure]).toMatchObject([[], { reason: 'configuration' }]);
    });
  });

  test.each(['/api', '/api/aap', '/api/aap/v1'])(
    'an address that ends in %s is said to be wrong',
    async (end) => {
      const { failure } = await sdk.client({ url: `https://example.com${end}/`, token: 'whc_x' });
      expect(failure).toMatchObject({
        reason: 'configuration',
        message: expect.stringMatching(/example\.com/) as unknown,
      });
    },
  );
});
