/** What a hostile service, ticket, argument or other call tries, so that a call runs without an approval of its own. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBrokenServer, type BrokenServerOptions } from '../support/servers/broken-server.ts';
import { until } from '../support/waiting.ts';
import { eachClient } from './drivers/each.ts';
import type { Operation, SdkCall, SdkOptions, SdkTicket } from './drivers/sdk.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Spoil = NonNullable<BrokenServerOptions['spoil']>;
type Body = Record<string, unknown>;

let count = 0;
const callOf = (more: object = {}): SdkCall => ({
  ...{ tool: 'approve', session: 'session', callId: `call ${String(++count)}` },
  arguments: { amount: 1 },
  ...more,
});
const notRun = (failure: object) => ({ runs: [], failure: expect.objectContaining(failure) });

/** A server of the test's own making. Returns its address. */
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

eachClient((sdk) => {
  const clientAt = async (url: string, more: SdkOptions = {}) =>
    (await sdk.client({ url, token: 'whc_x', ...more })).client;
  const clientOf = async (spoil: Spoil = (reply) => reply, more: SdkOptions = {}) => {
    const server = await startBrokenServer({ spoil });
    closing.push(() => server.close());
    const url = server.baseUrl.replace(/\/api\/aap$/, '');
    return await clientAt(url, { token: server.credential, timeout: '1h', limit: '2m', ...more });
  };

  describe('a ticket', () => {
    test.each(['tool', 'server'])('of a call with another %s is not settled', async (member) => {
      const client = await clientOf();
      const ticket = (await client.start(callOf()).ended).value as SdkTicket;
      const forged = { ...ticket, [member]: 'delete_everything' };
      expect(await client.settle(forged).ended).toEqual(notRun({ status: 'changed' }));
      expect((await client.settle(ticket).ended).value).toMatchObject({ id: ticket.id });
    });

    test('whose id is none is never a part of an address', async () => {
      const client = await clientOf();
      for (const id of ['..', '', 'x/../../v1/other', '?idempotency_key=k', 'é'.repeat(36)]) {
        expect(await client.settle(id).ended).toEqual(notRun({ name: 'TypeError' }));
        expect(await client.withdraw(id).ended).toEqual(notRun({ name: 'TypeError' }));
      }
    });
  });

  describe('the start', () => {
    test.each([
      ['another request', { id: '0198f3a2-6c00-7d11-a0b1-3c4d5e6f7081' }],
      ['a time before the decision', { started_at: '2020-01-01T00:00:00.000Z' }],
      ['a time after the approval ended', { started_at: '2099-01-01T00:00:00.000Z' }],
    ])('of %s runs nothing', async (_what, members) => {
      const client = await clientOf((reply, { operation }) => {
        const body = JSON.parse(reply.body.toString()) as Body;
        return operation === 'start'
          ? { ...reply, body: JSON.stringify({ ...body, ...members }) }
          : reply;
      });
      expect(await client.run(callOf()).ended).toEqual(notRun({ reason: 'invalid_response' }));
    });

    test('runs nothing when the arguments change, or the caller aborts, during it', async () => {
      const during = async (act: (running: Operation<string>) => Promise<void>) => {
        const running: Operation<string>[] = [];
        const client = await clientOf(async (reply, { operation }) => {
          if (operation === 'start') for (const each of running) await act(each);
          return reply;
        });
        running.push(client.run(callOf()));
        return await running[0]?.ended;
      };
      expect(await during((running) => running.change({ amount: 9_999 }))).toEqual(
        notRun({ status: 'changed' }),
      );
      expect(await during((running) => running.abort())).toEqual(notRun({ name: 'aborted' }));
    });
  });

  describe('a limit', () => {
    test('holds where the service never responds, withdrawing included', async () => {
      const client = await clientAt(await serve(() => undefined), { limit: '1s' });
      expect(await client.run(callOf()).ended).toEqual(notRun({ reason: 'unreachable' }));
    });

    test('gives reviewers less time, so that the caller hears that no one decided', async () => {
      const timeouts: unknown[] = [];
      const spoil: Spoil = (reply, { operation }) => {
        if (operation === 'create')
          timeouts.push((JSON.parse(reply.body.toString()) as Body)['timeout']);
        return reply;
      };
      const client = await clientOf(spoil, { limit: '9m' });
      await client.start(callOf()).ended;
      await client.start(callOf({ timeout: '1m' })).ended;
      expect(timeouts).toEqual(['530s', '1m']);
    });

    test('is not used up by calls without a pause', async () => {
      let calls = 0;
      const url = await serve((_, response) => {
        calls += 1;
        response.writeHead(503, { 'retry-after': '0' }).end();
      });
      const client = await clientAt(url, { limit: '1s' });
      await client.run(callOf()).ended;
      expect(calls).toBeLessThan(12);
    });
  });

  test('a page that never ends is left, so that the process can end', async () => {
    let isLeft = false;
    const url = await serve((_, response) => {
      response.on('close', () => (isLeft = true));
      response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
    });
    const client = await clientAt(url, { limit: '1m' });
    expect(await client.run(callOf()).ended).toEqual(notRun({ reason: 'configuration' }));
    await until('the page is left', () => isLeft);
  });

  describe('what a call says', () => {
    test('is refused before anyone is asked where it cannot be a call', async () => {
      const client = await clientOf();
      for (const wrong of [
        { callId: '' },
        { callId: 7 },
        { session: '' },
        { session: 7 },
        { tool: '' },
        { server: '' },
        { arguments: [] },
        { arguments: null },
      ]) {
        const { runs, failure } = await client.run(callOf(wrong)).ended;
        expect([wrong, runs, failure?.name]).toEqual([wrong, [], 'TypeError']);
      }
    });

    test('about its session is the key’s own', async () => {
      const contexts: unknown[] = [];
      const spoil: Spoil = (reply, { operation }) => {
        if (operation === 'create')
          contexts.push((JSON.parse(reply.body.toString()) as Body)['context']);
        return reply;
      };
      const client = await clientOf(spoil, { context: { run: 2, deployment: 'eu' } });
      const context = { session: 'other', call_id: 'x', run: 1 };
      await client.start(callOf({ callId: 'own', context })).ended;
      expect(contexts).toEqual([{ session: 'session', call_id: 'own', run: 1, deployment: 'eu' }]);
    });
  });

  describe('instances of a fleet', () => {
    const made = (endsIn: number) =>
      JSON.stringify({
        agent_instance: { created_at: '2026-01-01T00:00:00.000Z' },
        credential: {
          token: 'whc_made',
          expires_at: new Date(Date.UTC(2026, 0, 1) + endsIn).toISOString(),
        },
      });
    const json = { 'content-type': 'application/json' };
    /** Makes instances with what `make` responds, and refuses requests. */
    const fleetOf = async (make: (request: IncomingMessage, response: ServerResponse) => void) => {
      const url = await serve((request, response) => {
        if (request.url?.endsWith('/instances')) make(request, response);
        else
          response
            .writeHead(403, json)
            .end('{"error": {"code": "agent_disabled", "message": "Disabled."}}');
      });
      return (await sdk.client({ url, provisioner: 'whp_x', limit: '2m' })).client;
    };

    test('are made once, whatever this machine’s clock and however short they live', async () => {
      let instances = 0;
      const client = await fleetOf((_, response) => {
        instances += 1;
        response.writeHead(201, json).end(made(600_000));
      });
      for (const _ of [1, 2, 3])
        expect(await client.run(callOf({ timeout: '1h' })).ended).toEqual(
          notRun({ reason: 'refused', refusal: { status: 403, code: 'agent_disabled' } }),
        );
      expect(instances).toBe(1);
    });

    test('have one key, so that a lost response makes no second one', async () => {
      const keys: unknown[] = [];
      const client = await fleetOf((request, response) => {
        keys.push(request.headers['idempotency-key']);
        if (keys.length === 1) request.socket.destroy();
        else response.writeHead(200, json).end(made(3_600_000));
      });
      expect(await client.run(callOf()).ended).toEqual(notRun({ reason: 'refused' }));
      expect(keys).toEqual([expect.any(String), keys[0]]);
    });

    test('that a call waits for do not hold another call past its abort, nor end with it', async () => {
      const held: ServerResponse[] = [];
      const client = await fleetOf((_, response) => held.push(response));
      const runs = [1, 2, 3].map(() => client.run(callOf()));
      await until('an instance is asked for', () => held.length > 0);
      for (const aborted of runs.slice(0, 2).reverse()) await aborted.abort();
      for (const aborted of runs.slice(0, 2))
        expect(await aborted.ended).toEqual(notRun({ name: 'aborted' }));
      for (const response of held) response.writeHead(201, json).end(made(3_600_000));
      expect(await runs[2]?.ended).toEqual(notRun({ reason: 'refused' }));
      expect(held).toHaveLength(1);
    });

    test('are not believed from anything else', async () => {
      for (const body of ['{}', '{"credential": {}}', made(-1), 'null']) {
        const client = await fleetOf((_, response) => response.writeHead(201, json).end(body));
        const { runs, failure } = await client.run(callOf()).ended;
        expect([body, runs, failure?.reason]).toEqual([body, [], 'invalid_response']);
      }
    });

    test('are not made with a token that is refused, and the next call tries again', async () => {
      let tries = 0;
      const client = await fleetOf((_, response) => {
        tries += 1;
        response
          .writeHead(401, json)
          .end('{"error": {"code": "authentication_required", "message": "No."}}');
      });
      for (const _ of [1, 2])
        expect(await client.run(callOf()).ended).toEqual(notRun({ reason: 'refused' }));
      expect(tries).toBe(2);
    });
  });
});
