/** The SDKs against the real service: a call runs once with an approval, and never without one. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REVIEWER, scene } from '../support/scene.ts';
import { createProvisioner } from '../support/scene/factories.ts';
import { until } from '../support/waiting.ts';
import { eachClient } from './drivers/each.ts';
import { startGate } from './drivers/gate.ts';
import type { SdkCall, SdkOptions, SdkTicket } from './drivers/sdk.ts';

const { app, organization, people, agents, decide, owner } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;

let count = 0;
const callOf = (more: Partial<SdkCall> = {}): SdkCall => ({
  ...{ tool: 'refund_payment', server: 'billing', session: 'thread-1' },
  ...{ callId: `call-${String(++count)}`, arguments: { payment_id: 'pay_1', amount: 12.5 } },
  ...more,
});
const answer = async (
  id: string,
  decision: Readonly<Record<string, unknown>> = { status: 'approved' },
) => {
  await until('it is decided', async () => (await decide(ada, id, decision)).status === 200);
};
const approve = ({ id }: SdkTicket) => {
  void answer(id);
};
const stateOf = async (id: string) =>
  (await app.db('approval_requests').where({ id }).first<{ state: string }>('state')).state;
const openOf = async ({ session, callId = '' }: SdkCall) =>
  await app
    .db('approval_requests')
    .whereIn('state', ['pending', 'evaluating'])
    .whereRaw(`context->>'call_id' = ? and context->>'session' = ?`, [callId, session]);
const RAN = { runs: [{ payment_id: 'pay_1', amount: 12.5 }], value: 'ran' };
const notRun = (failure: object) => ({ runs: [], failure: expect.objectContaining(failure) });

eachClient((sdk) => {
  const clientOf = async (more: SdkOptions = {}) => {
    const options = { url: app.url, token: agents.bot.credential, ...more };
    return (await sdk.client(options)).client;
  };

  describe('run', () => {
    test('runs the tool once with what was approved, and never again', async () => {
      const client = await clientOf({ onPending: approve });
      const call = callOf();
      expect(await client.run(call).ended).toEqual(RAN);
      expect(await client.run(call).ended).toEqual(notRun({ name: 'NotApproved', status: 'used' }));
      const forged = { ...call, context: { customer: 'other' } };
      expect(await client.run(forged).ended).toEqual(notRun({ status: 'changed' }));
    });

    test('says what was decided, and runs nothing without an approval', async () => {
      const note = 'Ask the customer first.';
      const client = await clientOf({
        onPending: ({ id }) => void answer(id, { status: 'denied', note }),
      });
      expect(await client.run(callOf()).ended).toEqual(
        notRun({
          ...{ name: 'NotApproved', status: 'denied', note },
          toModel: expect.stringContaining(note) as unknown,
        }),
      );
      expect(await client.run(callOf({ timeout: '1m' })).ended).toEqual(
        notRun({ name: 'NotApproved', status: 'denied' }),
      );
      const silent = await clientOf({ timeout: '1s' });
      expect(await silent.run(callOf()).ended).toEqual(notRun({ status: 'expired' }));
    });

    test('goes on with its request after a restart, and with its key where the call has no id', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
      const call = callOf({ callId: undefined, session: 'crashing' });
      const first = await clientOf({ ledger: { folder } });
      const { value: ticket } = await first.start(call).ended;
      const asked: string[] = [];
      const restarted = await clientOf({
        ledger: { folder },
        onPending: (pending) => {
          asked.push(pending.id);
          approve(pending);
        },
      });
      expect(await restarted.run(call).ended).toEqual(RAN);
      expect(asked).toEqual([ticket?.id]);
      // The next equal call is another one.
      const { value: next } = await (await clientOf({ ledger: { folder } })).start(call).ended;
      expect(next?.id).not.toBe(ticket?.id);
      rmSync(folder, { recursive: true, force: true });
    });

    test('asks again in another conversation, and for equal calls at once', async () => {
      const asked = new Set<string>();
      const client = await clientOf({
        onPending: (ticket) => {
          asked.add(ticket.id);
          approve(ticket);
        },
      });
      const call = callOf();
      const all = [{}, { session: 'thread-2' }, { callId: undefined }, { callId: undefined }];
      const ended = all.map(async (more) => await client.run({ ...call, ...more }).ended);
      expect(await Promise.all(ended)).toEqual([RAN, RAN, RAN, RAN]);
      expect(asked.size).toBe(4);
    });

    test('refuses arguments that changed while a person read them', async () => {
      const asked: SdkTicket[] = [];
      const client = await clientOf({ onPending: (ticket) => asked.push(ticket) });
      const running = client.run(callOf());
      await until('a person is asked', () => asked.length > 0);
      await running.change({ amount: 12_500 });
      await answer(asked[0]?.id ?? '');
      expect(await running.ended).toEqual(notRun({ status: 'changed' }));
    });

    test('keeps every digit', async () => {
      const text = '{"amount": 9007199254740993, "rate": 1.0, "__proto__": "x"}';
      const client = await clientOf({ onPending: approve });
      const { value } = await client.ask(callOf({ arguments: text })).ended;
      expect(value?.argumentsText).toBe(text);
    });
  });

  describe('an id that a runtime gives to several calls', () => {
    test('is of another call with other arguments, another server or another ordinal', async () => {
      const asked = new Set<string>();
      const client = await clientOf({
        onPending: (ticket) => {
          asked.add(ticket.id);
          approve(ticket);
        },
      });
      const call = callOf();
      const all = [{}, { arguments: { amount: 2 } }, { server: 'other' }, { ordinal: 2 }];
      for (const more of all)
        expect(await client.run({ ...call, ...more }).ended).toMatchObject({ value: 'ran' });
      expect(asked.size).toBe(all.length);
    });

    test('is refused after a denial only for the call that was denied', async () => {
      let status = 'denied';
      const client = await clientOf({ onPending: ({ id }) => void answer(id, { status }) });
      const call = callOf();
      expect(await client.run(call).ended).toEqual(notRun({ status: 'denied' }));
      status = 'approved';
      const corrected = { ...call, arguments: { amount: 2 } };
      expect(await client.run(corrected).ended).toMatchObject({ value: 'ran' });
    });

    test.each([0, 1.5, '2', true])('has no ordinal %p', async (ordinal) => {
      const call = callOf({ ordinal: ordinal as never });
      expect(await (await clientOf()).run(call).ended).toEqual(notRun({ name: 'TypeError' }));
    });
  });

  describe('an abort', () => {
    test('withdraws a request that waits', async () => {
      const asked: SdkTicket[] = [];
      const client = await clientOf({ onPending: (ticket) => asked.push(ticket) });
      const running = client.run(callOf());
      await until('a person is asked', () => asked.length > 0);
      await running.abort();
      expect(await running.ended).toEqual(notRun({ name: 'aborted' }));
      expect(await stateOf(asked[0]?.id ?? '')).toBe('cancelled');
    });

    test('during the create leaves nothing open', async () => {
      const gate = await startGate(app.url);
      const client = await clientOf({ url: gate.url });
      const call = callOf();
      const running = client.run(call);
      // The service gets it only after the caller has ended.
      const pass = await gate.held();
      await running.abort();
      pass();
      expect(await running.ended).toEqual(notRun({ name: 'aborted' }));
      await until('the create has reached the service', () => gate.isIdle());
      expect(await openOf(call)).toEqual([]);
      const again = await clientOf();
      expect(await again.run(call).ended).toEqual(notRun({ status: 'cancelled' }));
      await gate.close();
    });
  });

  test('a limit below the timeout leaves nothing open', async () => {
    const call = callOf();
    const { runs, failure } = await (await clientOf({ limit: '2s' })).run(call).ended;
    // Which of the two ends first is open.
    expect([runs, ['Unavailable', 'NotApproved']]).toEqual([
      [],
      expect.arrayContaining([failure?.name]),
    ]);
    await until('it is closed', async () => (await openOf(call)).length === 0);
  });

  test('a suspended call is settled later, once, and only for the question of its ticket', async () => {
    const client = await clientOf();
    const { value } = await client.start(callOf()).ended;
    const ticket = value as SdkTicket;
    expect(ticket.reviewUrl).toBe(`${app.url}/requests/${ticket.id}`);
    await answer(ticket.id);
    const forged = { ...ticket, digest: 'other' };
    expect(await client.settle(forged).ended).toEqual(notRun({ status: 'changed' }));
    const { value: approved } = await (await clientOf()).settle(ticket).ended;
    expect(approved).toMatchObject({ id: ticket.id, arguments: { amount: 12.5 } });
    expect(await client.settle(ticket.id).ended).toEqual(notRun({ status: 'used' }));
    expect(await client.withdraw(ticket).ended).toEqual({ runs: [], value: false });
  });

  test('tools are reported, and a wrong report is refused', async () => {
    const client = await clientOf();
    const sources = [{ source: 'builtin', tools: [{ name: 'refund_payment' }] }];
    const report = { runtime: 'tests', discovery_context: 'here', sources };
    expect(await client.reportTools(report).ended).toEqual({ runs: [] });
    expect(await client.reportTools({ tools: [] }).ended).toEqual(
      notRun({ name: 'Unavailable', reason: 'refused' }),
    );
  });

  describe('no decision', () => {
    test('because of a wrong token or a personal key is said at once', async () => {
      for (const token of ['whc_0000000000_x', owner.apiKey]) {
        const { runs, failure } = await (await clientOf({ token })).run(callOf()).ended;
        expect([runs, failure]).toMatchObject([[], { name: 'Unavailable', reason: 'refused' }]);
        expect(failure?.refusal?.status).toBeGreaterThanOrEqual(401);
      }
    });

    test('of a service that is away ends at the limit', async () => {
      const client = await clientOf({ url: 'http://127.0.0.1:9', limit: '1s' });
      expect(await client.run(callOf()).ended).toEqual(
        notRun({ name: 'Unavailable', reason: 'unreachable' }),
      );
    });

    test('without an address or a token is refused when the client is made', async () => {
      const { url } = app;
      const env = { COUNTERSIGN_CREDENTIAL: '/nowhere' };
      for (const options of [
        { token: 'whc_x' },
        { url },
        { url, token: 'whc_x', timeout: '15 minutes' },
        { url, token: 'whc_\u00e9' },
        ...['', 'nowhere', 'ftp://example.com', 'https://a:b@example.com'].map((wrong) => ({
          ...{ url: wrong, token: 'whc_x' },
        })),
        { url: 'https://example.com/?x=1', token: 'whc_x' },
        { url: 'file:///etc/passwd', token: 'whc_x' },
      ]) {
        const { failure } = await sdk.client(options, env);
        expect([options, failure]).toMatchObject([options, { reason: 'configuration' }]);
      }
    });
  });

  test('a fleet’s token makes one instance for all calls', async () => {
    const { token } = await createProvisioner(app, organization, agents.bot.slug);
    const options = { url: app.url, provisioner: token, onPending: approve };
    const { client } = await sdk.client(options);
    const ended = await Promise.all([client.ask(callOf()).ended, client.ask(callOf()).ended]);
    const ids = ended.map(({ value }) => value?.id ?? '');
    const instances = await app
      .db('approval_requests')
      .whereIn('id', ids)
      .pluck<string[]>('agent_instance_id');
    expect([instances.length, new Set(instances).size]).toEqual([2, 1]);
  });
});
