/** After an approval: reviewers see what came of the call, and a call that waits too long for its runtime is parked. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../support/scene.ts';
import { until } from '../support/waiting.ts';
import { startDropping } from './drivers/dropping.ts';
import { eachClient } from './drivers/each.ts';
import type { SdkCall, SdkOptions, SdkTicket } from './drivers/sdk.ts';

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let count = 0;
const callOf = (more: Partial<SdkCall> = {}): SdkCall => ({
  ...{ tool: 'refund_payment', session: 'thread-1', callId: `call-${String(++count)}` },
  ...{ arguments: { amount: count } },
  ...more,
});
const answer = async (id: string, status = 'approved') => {
  await until(
    'it is decided',
    async () => (await decide(people.ada, id, { status })).status === 200,
  );
};
const resultOf = async (id: string) =>
  ((await people.ada.http.get(`/api/v1/requests/${id}`)).body as Record<string, unknown>)['result'];

eachClient((sdk) => {
  const asked: string[] = [];
  const clientOf = async (more: SdkOptions = {}) =>
    (await sdk.client({ url: app.url, token: agents.bot.credential, ...more })).client;
  const approving = async (more: SdkOptions = {}) =>
    await clientOf({
      onPending: ({ id }: SdkTicket) => {
        asked.push(id);
        void answer(id);
      },
      ...more,
    });
  const last = () => asked.at(-1) ?? '';

  describe('the result', () => {
    test('of a call that ran is on record', async () => {
      await (await approving()).run(callOf()).ended;
      expect(await resultOf(last())).toMatchObject({ outcome: 'succeeded' });
    });

    test('of a call that failed is on record, without its arguments', async () => {
      const call = callOf({ arguments: { fails: true, amount: 12.5 } });
      const { failure } = await (await approving()).run(call).ended;
      expect(failure?.name).toBe('RangeError');
      const result = await resultOf(last());
      expect(result).toMatchObject({ outcome: 'failed', detail: 'RangeError' });
      expect(JSON.stringify(result)).not.toContain('12.5');
    });

    test('of a call that changed while it was started is that it did not run', async () => {
      const running: { change: (members: object) => Promise<void> }[] = [];
      const proxy = await startDropping(app.url, (step) => {
        if (step === 'POST start') void running[0]?.change({ amount: 9_999 });
        return step === 'POST start' && running.splice(0).length > 0;
      });
      closing.push(proxy.close);
      const call = (await approving({ url: proxy.url })).run(callOf());
      running.push(call);
      expect(await call.ended).toMatchObject({ runs: [], failure: { status: 'changed' } });
      expect(await resultOf(last())).toMatchObject({ outcome: 'not_run' });
    });

    test('that cannot be reported changes nothing', async () => {
      const proxy = await startDropping(app.url, (step) => step === 'POST result');
      closing.push(proxy.close);
      const client = await approving({ url: proxy.url, limit: '20s' });
      expect(await client.run(callOf()).ended).toMatchObject({ value: 'ran' });
    });
  });

  describe('a call that is parked', () => {
    const park = '4s';
    const parked = async (call: SdkCall, more: SdkOptions = {}) => {
      const told: string[] = [];
      const client = await clientOf({ onPending: ({ id }) => told.push(id), ...more });
      const { runs, failure } = await client.run(call, park).ended;
      expect([runs, failure?.status, told.length]).toEqual([[], 'waiting', 1]);
      expect(failure?.toModel).toContain(told[0]);
      return { client, told, id: told[0] ?? '' };
    };

    test('goes on with its request when it is made again, and runs once', async () => {
      const call = callOf();
      const { client, told, id } = await parked(call);
      await answer(id);
      const again = { ...call, callId: 'another', context: { turn: 2 } };
      expect(await client.run(again, park).ended).toMatchObject({ value: 'ran' });
      expect(told).toHaveLength(1);
      expect(await resultOf(id)).toMatchObject({ outcome: 'succeeded' });
    });

    test('goes on in another process, in which its request still waits', async () => {
      const call = callOf();
      const { id } = await parked(call);
      const other = await clientOf({});
      const running = other.run(call, '30s');
      await answer(id);
      expect(await running.ended).toMatchObject({ value: 'ran' });
      expect(await resultOf(id)).toMatchObject({ outcome: 'succeeded' });
    });

    test('hears that it was denied, and is asked for again after that', async () => {
      const call = callOf();
      const { client, told, id } = await parked(call);
      await answer(id, 'denied');
      expect(await client.run(call, park).ended).toMatchObject({ failure: { status: 'denied' } });
      expect(await client.run(call, park).ended).toMatchObject({ failure: { status: 'waiting' } });
      expect(told).toHaveLength(2);
    });

    test('is withdrawn when the caller aborts', async () => {
      const told: string[] = [];
      const client = await clientOf({ onPending: ({ id }) => told.push(id) });
      const running = client.run(callOf(), '30s');
      await until('a person is asked', () => told.length > 0);
      await running.abort();
      expect(await running.ended).toMatchObject({ failure: { name: 'aborted' } });
      const path = `/api/v1/requests/${told[0] ?? ''}`;
      expect((await people.ada.http.get(path)).body['status']).toBe('cancelled');
    });
  });
});
