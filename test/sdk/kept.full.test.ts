/** An approval is not lost: neither by a response that is lost, nor by an agent whose approvals count for longer. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../support/scene.ts';
import { until } from '../support/waiting.ts';
import { startDropping, type Step } from './drivers/dropping.ts';
import { eachSdk } from './drivers/each.ts';
import type { SdkCall, SdkOptions, SdkTicket } from './drivers/sdk.ts';

const { app, owner, people, agents, decide } = await scene({
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
const approve = ({ id }: SdkTicket) => {
  void until(
    'it is approved',
    async () => (await decide(people.ada, id, { status: 'approved' })).status === 200,
  );
};

eachSdk((sdk) => {
  const clientOf = async (more: SdkOptions = {}) => {
    const options = { url: app.url, token: agents.bot.credential, onPending: approve, ...more };
    return (await sdk.client(options)).client;
  };
  const dropping = async (drops: (step: Step, before: number) => boolean) => {
    const proxy = await startDropping(app.url, drops);
    closing.push(proxy.close);
    return proxy;
  };

  test('a lost response at any step runs the call once', async () => {
    const whole = await dropping(() => false);
    expect(await (await clientOf({ url: whole.url })).run(callOf()).ended).toMatchObject({
      value: 'ran',
    });
    for (const lost of whole.steps.keys()) {
      const { url } = await dropping((_, before) => before === lost);
      const { runs, value } = await (await clientOf({ url })).run(callOf()).ended;
      expect([whole.steps[lost], runs.length, value]).toEqual([whole.steps[lost], 1, 'ran']);
    }
  });

  test('a start that was made by someone else is still used', async () => {
    const call = callOf();
    await (await clientOf()).ask(call).ended;
    expect(await (await clientOf()).run(call).ended).toMatchObject({
      runs: [],
      failure: { status: 'used' },
    });
  });

  describe('an approval', () => {
    test.each(['1m', '24h'])('that counts for %s is used', async (approval_window) => {
      const path = `/api/v1/agents/${agents.bot.slug}`;
      const changed = await owner.http.call('PATCH', path, { body: { approval_window } });
      expect(changed.status).toBe(200);
      expect(await (await clientOf()).run(callOf()).ended).toMatchObject({ value: 'ran' });
    });
  });
});
