/** Runs of the OpenAI Agents SDK: what is reported of tools that fail, and suspended runs while the service is away. */
import { beforeEach, describe, expect } from '@jest/globals';
import type { DurableInput } from '../../../sdk/typescript/src/adapters/openai.ts';
import type { Options } from '../../../sdk/typescript/src/index.ts';
import { recordedService } from '../../support/sdk/recorded.ts';
import { framework, test } from './framework.ts';

const { Agent, run, tool } = await framework(async () => {
  const agents = await import('@openai/agents');
  agents.setTracingDisabled(true);
  return agents;
});
const { assistantMessage, functionCall, ScriptedModel } = await framework(
  () => import('@openai/agents/testing'),
);
const { gateTool, runDurable, streamDurable } = await framework(
  () => import('../../../sdk/typescript/src/adapters/openai.ts'),
);
const service = await recordedService();
let callId = '';
let count = 0;
beforeEach(() => {
  callId = `call-${String((count += 1))}`;
  service.results.length = 0;
});

const LOOSE = {
  ...{ type: 'object' as const, properties: {}, required: [] },
  additionalProperties: true as const,
};
const DONE = [assistantMessage('Done.')];

describe('the result of a tool', () => {
  const outcomesOf = async (execute: () => unknown, more: object = {}) => {
    const plain = tool({
      ...{ name: 'approve', description: '', parameters: LOOSE, strict: false as const },
      ...{ execute, ...more },
    });
    const tools = [gateTool(plain, { countersign: service.clientOf(), session: 'thread' })];
    const model = new ScriptedModel([[functionCall('approve', '{"amount": 1}', { callId })], DONE]);
    await run(new Agent({ name: 'Refunds', model, tools }), 'Refund it.');
    return service.outcomes();
  };
  const fails = () => {
    throw new Error('no money');
  };

  test.each([
    ['that threw, of which the model is told', fails, {}],
    ['that threw, with an error function of its own', fails, { errorFunction: () => 'Sorry.' }],
  ])('%s, is that it failed', async (_what, execute, more) => {
    expect(await outcomesOf(execute, more)).toEqual(['failed']);
  });

  test('that ran is that it succeeded', async () => {
    expect(await outcomesOf(() => 'paid')).toEqual(['succeeded']);
  });
});

describe('a durable run', () => {
  const runs: unknown[] = [];
  const agentOf = (steps: ConstructorParameters<typeof ScriptedModel>[0], more: Options = {}) => {
    const plain = tool({
      ...{ name: 'hold', description: '', parameters: LOOSE, strict: false as const },
      execute: (args: unknown) => runs.push(args),
    });
    const countersign = service.clientOf(more);
    const gated = gateTool(plain, { countersign, session: 'thread', durable: true });
    return new Agent({ name: 'Refunds', model: new ScriptedModel(steps), tools: [gated] });
  };
  const calling = () => [functionCall('hold', `{"amount": ${String(count)}}`, { callId })];
  beforeEach(() => {
    runs.length = 0;
    service.away.is = false;
  });

  test('stays suspended while the service is away, and its approval is not lost', async () => {
    const { suspended } = await runDurable(agentOf([calling()]), 'Refund it.');
    const [ticket] = suspended?.tickets ?? [];
    service.away.is = true;
    const away = await runDurable(agentOf([], { limit: '1s' }), { state: suspended?.state ?? '' });
    expect(away.suspended?.tickets).toEqual([]);
    service.away.is = false;
    service.decide(ticket?.id ?? '', 'approved');
    const { result } = await runDurable(agentOf([DONE]), { state: away.suspended?.state ?? '' });
    expect([result.finalOutput, runs.length]).toEqual(['Done.', 1]);
  });

  test('is streamed, suspended and resumed', async () => {
    const streamed = async (agent: ReturnType<typeof agentOf>, input: DurableInput) => {
      const types = new Set<string>();
      for await (const event of streamDurable(agent, input)) {
        types.add(event.type);
        if (event.type === 'durable_run_end') return { types, ...event };
      }
      throw new Error('The run has no end.');
    };
    const first = await streamed(agentOf([calling()]), 'Refund it.');
    expect([first.suspended?.tickets.length, runs]).toEqual([1, []]);
    service.decide(first.suspended?.tickets[0]?.id ?? '', 'approved');
    const { state = '' } = first.suspended ?? {};
    const last = await streamed(agentOf([DONE]), { state });
    expect([last.suspended, last.result.finalOutput, runs.length]).toEqual([undefined, 'Done.', 1]);
    expect(last.types).toContain('run_item_stream_event');
  });
});
