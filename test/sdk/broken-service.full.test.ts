/** A service that breaks the protocol in any way gets no call to run. The list of ways is the one that the strict adapter refuses. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { mutations, type Mutation } from '../support/adapter/mutations.ts';
import { decision, shift } from '../support/adapter/spoils.ts';
import { startBrokenServer, type BrokenReply } from '../support/servers/broken-server.ts';
import { eachSdk } from './drivers/each.ts';
import type { Sdk } from './drivers/sdk.ts';

const call = (tool: string) => ({
  ...{ tool, session: 'session', callId: `${tool} 1` },
  arguments: { list: [1.5, 'two'], z: true },
  reasoning: 'Because I hold.',
});

const looks = ({ status, headers, body }: BrokenReply) => [
  status,
  headers['Content-Type'],
  headers['Retry-After'],
  body.toString(),
];

/** How often the tool ran, the name of what was thrown, and whether a response to the SDK was broken. */
async function visit(sdk: Sdk, tool: string, { spoil, server: more }: Partial<Mutation> = {}) {
  const limit = spoil ? '5s' : '5m';
  let isBroken = false;
  const server = await startBrokenServer({
    ...more,
    spoil: (reply, given) => {
      const spoiled = spoil?.({ ...reply, headers: { ...reply.headers } }, given) ?? reply;
      if (
        // After the call: neither can make it run.
        !['cancel', 'unknown'].includes(given.operation) &&
        JSON.stringify(looks(spoiled)) !== JSON.stringify(looks(reply))
      )
        isBroken = true;
      return spoiled;
    },
  });
  const { client } = await sdk.client({
    ...{ url: server.baseUrl.replace(/\/api\/aap$/, ''), token: server.credential },
    ...{ timeout: '1h', limit },
    onPending: ({ id }) => {
      server.decide(id, 'approved');
    },
  });
  const { runs, failure } = await client.run(call(tool)).ended;
  await server.close();
  return { runs: runs.length, thrown: failure?.name, isBroken };
}

/** A create that is repeated after a lost response is 200 as well, so the SDK cannot know. */
const UNSEEN = ['replay-status'];
/** An agent has its own window, between a minute and a day. */
const ANY_WINDOW = 'expires-at-window';
const window = (broken: string, ms: number): Mutation => ({
  ...{ rule: ANY_WINDOW, broken },
  spoil: decision('any any', (it) => {
    if (it['expires_at']) it['expires_at'] = shift(it['decided_at'], ms);
  }),
});
const SPOILS = [
  ...mutations.filter(({ spoil, rule }) => spoil && ![...UNSEEN, ANY_WINDOW].includes(rule)),
  window('a window below a minute', 59_999),
  window('a window above a day', 24 * 3_600_000 + 1),
];

/** A server that is something else. */
async function elsewhere(sdk: Sdk, listener: RequestListener) {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    request.resume();
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const { client } = await sdk.client({ url, token: 'whc_x', limit: '30s' });
  const ended = await client.run(call('approve')).ended;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { ended, calls };
}

const ELSEWHERE: readonly (readonly [string, RequestListener])[] = [
  [
    'a page of HTML',
    (_, response) => response.setHeader('content-type', 'text/html').end('<p>approved'),
  ],
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  ],
  [
    'a redirect with JSON',
    (_, response) => {
      const headers = { location: 'http://127.0.0.1:9/', 'content-type': 'application/json' };
      response.writeHead(307, headers).end('{}');
    },
  ],
  [
    '401 with a body that looks approved',
    (_, response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"status":"approved"}'),
  ],
  ['403 of a proxy', (_, response) => response.writeHead(403).end('no')],
  [
    '404 of a wrong path',
    (_, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end(),
  ],
];

eachSdk((sdk) => {
  test('a service that follows the protocol gets its call run', async () => {
    for (const tool of ['approve', 'hold'])
      expect(await visit(sdk, tool)).toEqual({ runs: 1, thrown: undefined, isBroken: false });
    expect(await visit(sdk, 'deny')).toMatchObject({ runs: 0, thrown: 'NotApproved' });
  });

  test('no call runs after a broken response', async () => {
    const visits = SPOILS.flatMap((mutation) =>
      ['approve', 'hold'].map((tool) => ({ tool, mutation })),
    );
    const ran: unknown[] = [];
    const broken = new Set<string>();
    // Most of the time they wait, for a second try and for their limit.
    const visitAll = async () => {
      for (let next = visits.pop(); next; next = visits.pop()) {
        const { tool, mutation } = next;
        const { isBroken, runs, thrown } = await visit(sdk, tool, mutation);
        if (!isBroken) continue;
        broken.add(mutation.broken);
        if (runs !== 0 || thrown !== 'Unavailable') ran.push([tool, mutation.broken, runs, thrown]);
      }
    };
    await Promise.all(Array.from({ length: 32 }, visitAll));
    expect(ran).toEqual([]);
    expect([...broken]).toEqual(
      expect.arrayContaining(['a window below a minute', 'a window above a day']),
    );
  });

  test.each(ELSEWHERE)('%s is fatal at once', async (_name, listener) => {
    const { ended, calls } = await elsewhere(sdk, listener);
    expect(ended).toMatchObject({
      runs: [],
      failure: { name: 'Unavailable', reason: 'configuration' },
    });
    // The ask, and at most one try to withdraw it.
    expect(calls).toBeLessThanOrEqual(2);
  });
});
