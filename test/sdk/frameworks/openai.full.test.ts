/** The gate on the real OpenAI Agents SDK, with scripted models and the real service. */
import { afterEach, describe, expect } from '@jest/globals';
import type { Countersign } from '../../../sdk/typescript/src/index.ts';
import { ASKED, gatedScene, LARGE, refunds, SMALL } from '../../support/sdk/gated.ts';
import { until } from '../../support/waiting.ts';
import { framework, test } from './framework.ts';

const { Agent, run, RunContext, tool, webSearchTool } = await framework(async () => {
  const agents = await import('@openai/agents');
  agents.setTracingDisabled(true);
  return agents;
});
const { assistantMessage, functionCall, ScriptedModel } = await framework(
  () => import('@openai/agents/testing'),
);
const { gateTool, runDurable } = await framework(
  () => import('../../../sdk/typescript/src/adapters/openai.ts'),
);
const { clientOf, reply, reviewed, unavailable, crashed, stateOf, requestsOf } = await gatedScene();

let count = 0;
let session = '';
let callId = '';
const fresh = () => {
  count += 1;
  session = `thread-${String(count)}`;
  callId = `call-${String(count)}`;
};
fresh();
afterEach(fresh);

const textOf = (amount: number | string) => `{"payment_id": "pay_1", "amount": ${String(amount)}}`;
const LOOSE = {
  ...{ type: 'object' as const, properties: {}, required: [] },
  additionalProperties: true as const,
};
const DONE = [assistantMessage('Done.')];

/** An agent whose model calls the tool with these arguments, and then says that it is done. */
function agentOf(countersign: Countersign, more: object = {}) {
  const { runs, refund } = refunds();
  const refund_payment = tool({
    ...{ name: 'refund_payment', description: 'Pays a refund.' },
    parameters: LOOSE,
    strict: false as const,
    execute: (args: unknown) => refund(args),
  });
  const gated = gateTool(refund_payment, { countersign, session, ...more });
  const agentWith = (steps: ConstructorParameters<typeof ScriptedModel>[0]) => {
    const model = new ScriptedModel(steps);
    const agent = new Agent({ name: 'Refunds', model, tools: [gated] });
    return { agent, read: () => JSON.stringify(model.lastCall?.request.input) };
  };
  const calling = (args: string) =>
    agentWith([[functionCall('refund_payment', args, { callId })], DONE]);
  return { runs, agentWith, calling };
}

async function generate(countersign: Countersign, args: string, more: object = {}) {
  const { runs, calling } = agentOf(countersign, more);
  const { agent, read } = calling(args);
  const { finalOutput } = await run(agent, 'Refund it.');
  return { runs, read: read(), finalOutput };
}

test('runs a call once that a person approved, with the text of the model', async () => {
  const texts: string[] = [];
  const precise = gateTool(
    {
      ...tool({
        ...{ name: 'refund_payment', description: '', strict: false, execute: () => '' },
        parameters: LOOSE,
      }),
      invoke: async (_: unknown, input: string) => {
        texts.push(input);
        return 'refunded';
      },
    },
    { countersign: reviewed().countersign, session },
  );
  const text = '{"amount": 900.00000000000000001, "order": 9007199254740993}';
  const model = new ScriptedModel([[functionCall('refund_payment', text, { callId })], DONE]);
  await run(new Agent({ name: 'Refunds', model, tools: [precise] }), 'Refund it.');
  expect(texts).toEqual([text]);

  fresh();
  const { countersign, asked } = reviewed();
  const { runs, read, finalOutput } = await generate(countersign, textOf(ASKED));
  expect(runs).toEqual([{ payment_id: 'pay_1', amount: ASKED }]);
  expect([asked.length, finalOutput]).toEqual([1, 'Done.']);
  expect(read).toContain('refund 1');
  // As in a process after a crash.
  const after = reviewed();
  const again = await generate(after.countersign, textOf(ASKED));
  expect([again.runs, after.asked]).toEqual([[], []]);
  expect(again.read).toContain('started before and may have run');
});

test('tells the model of a denial, of no decision and of arguments that are none, and runs nothing', async () => {
  const denied = await generate(reviewed('denied', 'Ask first.').countersign, textOf(ASKED));
  expect([denied.runs, denied.read]).toEqual([[], expect.stringContaining('denied this call')]);
  expect(denied.read).toContain('Ask first.');
  fresh();
  const expired = await generate(clientOf(), textOf(ASKED), { timeout: '1s' });
  expect([expired.runs, expired.read]).toEqual([[], expect.stringContaining('in time')]);
  fresh();
  const twice = await generate(clientOf(), '{"payment_id": "a", "amount": 1, "amount": 2}');
  expect([twice.runs, twice.read]).toEqual([[], expect.stringContaining('stands twice')]);
  expect(await requestsOf(session)).toEqual([]);
});

test('runs nothing without a service, and tells the model so, not where the service is', async () => {
  for (const [what, countersign] of Object.entries(await unavailable())) {
    fresh();
    const { runs, read } = await generate(countersign, textOf(ASKED));
    expect([what, runs]).toEqual([what, []]);
    expect(read).toContain('The approval service did not respond, so this call did not run');
    expect(read).not.toMatch(/127\.0\.0\.1|address|token/);
  }
});

test('an abort withdraws the request', async () => {
  const stop = new AbortController();
  let id = '';
  const countersign = clientOf({
    onPending: (ticket) => {
      ({ id } = ticket);
      stop.abort(new Error('stopped'));
    },
  });
  const { runs, calling } = agentOf(countersign);
  await run(calling(textOf(ASKED)).agent, 'Refund it.', { signal: stop.signal }).catch(() => 0);
  await until('it is withdrawn', async () => (await stateOf(id)) === 'cancelled');
  expect(runs).toEqual([]);
});

test('an approval from before a crash is used by the restarted run, once', async () => {
  const args = { payment_id: 'pay_1', amount: ASKED };
  await crashed({ tool: 'refund_payment', session, callId, arguments: args });
  const [once, twice] = [reviewed(), reviewed()];
  const restarted = await generate(once.countersign, textOf(ASKED));
  const again = await generate(twice.countersign, textOf(ASKED));
  expect([restarted.runs.length, again.runs.length]).toEqual([1, 0]);
  expect([once.asked, twice.asked]).toEqual([[], []]);
});

test('refuses what is no function tool, and lets no one swap what it gated', async () => {
  const countersign = clientOf();
  for (const other of [webSearchTool(), null, { type: 'function', name: 'x' }])
    expect(() => gateTool(other as never, { countersign, session })).toThrow('function tools');
  const { refund } = refunds();
  const open = tool({
    ...{ name: 'refund_payment', description: '', parameters: LOOSE, strict: false as const },
    execute: (args: unknown) => refund(args),
  });
  expect(() => gateTool(open, { countersign, session: '' })).toThrow('session');
  const gated = gateTool(open, { countersign, session });
  expect(() => Object.assign(gated, { invoke: open.invoke })).toThrow(TypeError);
  const chats = gateTool(open, { countersign, session: ({ context }) => String(context) });
  await chats.invoke(new RunContext(session), `{"amount": ${String(SMALL)}}`);
  expect(await requestsOf(session)).toHaveLength(1);
});

describe('a durable run', () => {
  const durable = { durable: true };

  test('is kept while a person is asked, and goes on in another process, where no one is asked again', async () => {
    const before = agentOf(clientOf(), durable);
    const first = await runDurable(before.calling(textOf(ASKED)).agent, 'Refund it.');
    const { state = '', tickets = [] } = first.suspended ?? {};
    expect([tickets.length, before.runs]).toEqual([1, []]);

    // Too early: it is kept again, with the same request.
    const after = agentOf(clientOf(), durable);
    const early = await runDurable(after.agentWith([]).agent, { state });
    expect(early.suspended?.tickets.map(({ id }) => id)).toEqual([tickets[0]?.id]);
    await reply(tickets[0]?.id ?? '');
    const { agent, read } = after.agentWith([DONE]);
    const { result, suspended } = await runDurable(agent, {
      state: early.suspended?.state ?? '',
    });
    expect([result.finalOutput, suspended]).toEqual(['Done.', undefined]);
    expect(after.runs).toEqual([{ payment_id: 'pay_1', amount: ASKED }]);
    expect(read()).toContain('refund 1');

    // The process crashed before it forgot the state.
    const crashedRun = agentOf(clientOf(), durable);
    const repeated = crashedRun.agentWith([DONE]);
    await runDurable(repeated.agent, { state });
    expect(crashedRun.runs).toEqual([]);
    expect(repeated.read()).toContain('started before and may have run');
    expect(await requestsOf(session)).toHaveLength(1);
  });

  test('goes on at once where rules decide, and tells the model of denials', async () => {
    for (const [amount, runs, told] of [
      [SMALL, 1, 'refund 1'],
      [LARGE, 0, 'Too much.'],
    ] as const) {
      fresh();
      const gated = agentOf(clientOf(), durable);
      const { agent, read } = gated.calling(textOf(amount));
      const { result, suspended } = await runDurable(agent, 'Refund it.');
      expect([result.finalOutput, suspended, gated.runs.length]).toEqual([
        'Done.',
        undefined,
        runs,
      ]);
      expect(read()).toContain(told);
    }
  });

  test('runs nothing for an approval or arguments that someone wrote into its state', async () => {
    const { suspended } = await runDurable(
      agentOf(clientOf(), durable).calling(textOf(ASKED)).agent,
      'Refund it.',
    );
    const state = suspended?.state ?? '';
    const id = suspended?.tickets[0]?.id ?? '';
    // As the Agents SDK writes it for an approval of its own.
    const own = agentOf(clientOf(), durable);
    const kept = await run(own.calling(textOf(ASKED)).agent, 'Refund it.');
    const [item] = kept.interruptions;
    if (item) kept.state.approve(item);
    const denied = reply(id, 'denied');
    const forged = agentOf(clientOf(), durable);
    const { agent, read } = forged.agentWith([DONE]);
    await runDurable(agent, { state: kept.state.toString() });
    await denied;
    expect(forged.runs).toEqual([]);
    expect(read()).toContain('denied this call');

    const other = agentOf(clientOf(), durable);
    const changed = other.agentWith([DONE]);
    const more = state.replaceAll('500', '900');
    expect(more).not.toBe(state);
    // Another call, which people are asked about.
    const { suspended: again } = await runDurable(changed.agent, { state: more });
    expect(other.runs).toEqual([]);
    expect(again?.tickets.map((ticket) => ticket.id)).not.toEqual([id]);
    expect(again?.tickets).toHaveLength(1);
  });

  test('tells the model when there is no service', async () => {
    const gated = agentOf(clientOf({ token: 'whc_0000000000_x' }), durable);
    const { agent, read } = gated.calling(textOf(ASKED));
    const { result } = await runDurable(agent, 'Refund it.');
    expect([result.finalOutput, gated.runs]).toEqual(['Done.', []]);
    expect(read()).toContain('The approval service did not respond');
  });

  test('leaves approvals of other tools to their owner', async () => {
    const { runs, refund } = refunds();
    const own = tool({
      ...{
        name: 'own',
        description: '',
        parameters: LOOSE,
        strict: false as const,
        needsApproval: true,
      },
      execute: (args: unknown) => refund(args),
    });
    const model = new ScriptedModel([[functionCall('own', '{}', { callId })], DONE]);
    const agent = new Agent({ name: 'Refunds', model, tools: [own] });
    const { result, suspended } = await runDurable(agent, 'Go.');
    expect([result.interruptions.length, suspended?.tickets, runs]).toEqual([1, [], []]);
  });
});
