/** Models that give each call of a conversation the same id, in runs that trim their messages: each call is asked for, once. */
import { beforeEach, describe, expect } from '@jest/globals';
import { z } from 'zod';
import { gateTools } from '../../../sdk/typescript/src/adapters/ai.ts';
import type { Countersign } from '../../../sdk/typescript/src/index.ts';
import { recordedService } from '../../support/sdk/recorded.ts';
import { framework, test } from './framework.ts';

const {
  Agent,
  MemorySession,
  run: runAgent,
  setTracingDisabled,
  tool: toolOfAgents,
} = await framework(() => import('@openai/agents'));
const { assistantMessage, functionCall, ScriptedModel } = await framework(
  () => import('@openai/agents/testing'),
);
const { gateTool, runDurable } = await framework(
  () => import('../../../sdk/typescript/src/adapters/openai.ts'),
);
const ai = await framework(() => import('ai'));
const { MockLanguageModelV4 } = await framework(() => import('ai/test'));
const { AIMessage, createAgent, createMiddleware, fakeModel, HumanMessage, tool, ToolMessage } =
  await framework(() => import('langchain'));
const { MemorySaver, REMOVE_ALL_MESSAGES } = await framework(() => import('@langchain/langgraph'));
const { RemoveMessage } = await framework(() => import('@langchain/core/messages'));
const { countersignMiddleware } = await framework(
  () => import('../../../sdk/typescript/src/adapters/langchain.ts'),
);

const { clientOf, decide, keys, outcomes, results } = await recordedService();
let session = '';
let count = 0;
beforeEach(() => {
  session = `chat-${String((count += 1))}`;
  keys.length = 0;
  results.length = 0;
});

describe('in the AI SDK,', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  /** Calls the tool so many times with one id. */
  const modelOf = (calls: number) => {
    let turn = 0;
    const call = {
      ...{ type: 'tool-call' as const, toolCallId: 'call_0', toolName: 'approve' },
      input: '{"amount":1}',
    };
    return new MockLanguageModelV4({
      doGenerate: async () => ({
        ...{ usage, warnings: [] },
        ...((turn += 1) <= calls
          ? { content: [call], finishReason: { unified: 'tool-calls' as const, raw: undefined } }
          : {
              content: [{ type: 'text' as const, text: 'Done.' }],
              finishReason: { unified: 'stop' as const, raw: undefined },
            }),
      }),
    });
  };
  const runs: unknown[] = [];
  const runOf =
    (kept: number, more: { countersign?: Countersign; calls?: number } = {}) =>
    async (messages: { role: 'user'; content: string }[]) => {
      const { countersign = clientOf(), calls = 3 } = more;
      runs.length = 0;
      const approve = ai.tool({
        inputSchema: z.object({ amount: z.number() }),
        execute: (args) => runs.push(args),
      });
      await ai.generateText({
        ...{ model: modelOf(calls), messages, stopWhen: ai.stepCountIs(5) },
        tools: gateTools({ approve }, { countersign, session }),
        prepareStep: ({ messages: all }) => ({ messages: all.slice(-kept) }),
      });
      return keys.splice(0);
    };

  test('each call is another one, and a run that is made again asks for the same ones', async () => {
    const run = runOf(3);
    const messages = [{ role: 'user' as const, content: 'Pay.' }];
    const first = await run(messages);
    expect([new Set(first).size, runs.length]).toEqual([3, 3]);
    // In the same process, and in another one, which has none of the objects.
    expect(await run(messages)).toEqual(first);
    expect(await run(structuredClone(messages))).toEqual(first);
  });

  test('calls of which no message is left are asked for once the gate hears that they ran', async () => {
    const counts: number[] = [];
    for (let restart = 0; restart < 2; restart += 1) {
      const countersign = clientOf();
      for (let at = 0; at < 4; at += 1) {
        const trimmed = [{ role: 'user' as const, content: 'Pay.' }];
        await runOf(3, { countersign, calls: 1 })(trimmed);
        counts.push(runs.length);
      }
    }
    expect(counts).toEqual([1, 0, 1, 1, 0, 0, 0, 1]);
  });
});

describe('in OpenAI Agents,', () => {
  const paid: unknown[] = [];
  const agentOf = (countersign: Countersign, name: string, turns: ('call' | 'done')[]) => {
    const plain = toolOfAgents({
      ...{ name, description: '', strict: false as const, execute: () => paid.push(1) },
      parameters: {
        type: 'object' as const,
        properties: {},
        required: [],
        additionalProperties: true as const,
      },
    });
    const tools = [gateTool(plain, { countersign, session, durable: name === 'hold' })];
    const steps = {
      call: [functionCall(name, '{"amount":1}', { callId: 'call_0' })],
      done: [assistantMessage('Done.')],
    };
    return new Agent({
      ...{ name: 'Payer', tools },
      model: new ScriptedModel(turns.map((turn) => steps[turn])),
    });
  };
  beforeEach(() => {
    setTracingDisabled(true);
    paid.length = 0;
  });

  test('each run asks for its call, and one that ran before a restart is refused once', async () => {
    const runs = async () => {
      const agent = agentOf(clientOf(), 'approve', ['call', 'done', 'call', 'done']);
      for (const input of ['Pay.', 'Pay again.']) await runAgent(agent, input);
      return paid.splice(0).length;
    };
    expect([await runs(), new Set(keys).size]).toEqual([2, 2]);
    expect(await runs()).toBe(1);
  });

  test('a durable run asks for the same call in another process', async () => {
    const history = new MemorySession();
    const first = clientOf();
    for (let at = 0; at < 3; at += 1) {
      const before = agentOf(first, 'hold', ['call']);
      const { suspended } = await runDurable(before, 'Pay.', { session: history });
      expect(paid).toHaveLength(at);
      decide(suspended?.tickets[0]?.id ?? '', 'approved');
      const { state = '' } = suspended ?? {};
      const after = agentOf(clientOf(), 'hold', ['done']);
      const { result } = await runDurable(after, { state }, { session: history });
      expect([result.finalOutput, paid.length]).toEqual(['Done.', at + 1]);
    }
    expect(new Set(keys).size).toBe(3);
  });
});

describe('in LangChain,', () => {
  const paid: unknown[] = [];
  const schema = z.object({ amount: z.number() });
  const call = { name: 'approve', args: { amount: 1 }, id: 'call_0' };
  const modelOf = () =>
    fakeModel()
      .respondWithTools([call])
      .respondWithTools([call])
      .respondWithTools([call])
      .respond(new AIMessage('Done.'));
  /** Leaves the model two messages. */
  const trimming = () =>
    createMiddleware({
      name: 'trimming',
      beforeModel: ({ messages }) =>
        messages.length <= 2
          ? undefined
          : {
              messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages.slice(-2)],
            },
    });
  const approve = () => tool((args) => paid.push(args), { name: 'approve', schema });
  beforeEach(() => {
    paid.length = 0;
  });

  test('each call is another one, and a run that is resumed asks for the same one', async () => {
    let isGone = true;
    const countersign = clientOf();
    const run = countersign.run.bind(countersign);
    const ordinals: unknown[] = [];
    countersign.run = async (asked, ...more) => {
      ordinals.push(asked.ordinal);
      if (ordinals.length === 2 && isGone) {
        isGone = false;
        throw new Error('the process ended');
      }
      return await run(asked, ...more);
    };
    const agent = createAgent({
      ...{ model: modelOf(), tools: [approve()], checkpointer: new MemorySaver() },
      middleware: [trimming(), countersignMiddleware({ countersign, session })],
    });
    const config = { configurable: { thread_id: session } };
    await expect(agent.invoke({ messages: 'Pay.' }, config)).rejects.toThrow('the process ended');
    await agent.invoke(null as never, config);
    expect([ordinals, paid.length]).toEqual([[1, 2, 2, 3], 3]);
  });

  test('a history of the caller has turns, too', async () => {
    const agent = createAgent({
      ...{ model: modelOf(), tools: [approve()] },
      middleware: [countersignMiddleware({ countersign: clientOf(), session })],
    });
    const before = [
      new HumanMessage('Pay.'),
      new AIMessage({ content: '', tool_calls: [call] }),
      new ToolMessage({ content: 'paid', name: call.name, tool_call_id: call.id }),
    ];
    const state = await agent.invoke({ messages: before });
    expect([new Set(keys).size, paid.length]).toEqual([3, 3]);
    // The turn is not for callers.
    expect(Object.keys(state)).toEqual(['messages']);
  });

  test('a middleware that is listed after the gate changes what runs, and before it what is asked', async () => {
    const changing = createMiddleware({
      name: 'changing',
      wrapToolCall: async (request, handler) =>
        await handler({
          ...request,
          toolCall: { ...request.toolCall, args: { amount: 9 } },
        }),
    });
    const asked: unknown[] = [];
    const countersign = clientOf();
    const run = countersign.run.bind(countersign);
    countersign.run = async (given, ...more) => {
      asked.push(given.arguments);
      return await run(given, ...more);
    };
    const gate = countersignMiddleware({ countersign, session });
    for (const middleware of [
      [gate, changing],
      [changing, gate],
    ]) {
      const agent = createAgent({ model: modelOf(), tools: [approve()], middleware });
      await agent.invoke({ messages: 'Pay.' });
      expect(paid.splice(0)).toContainEqual({ amount: 9 });
    }
    expect([asked[0], asked.at(-1)]).toEqual([{ amount: 1 }, { amount: 9 }]);
  });

  test('a tool that interrupts the graph hears what to do instead', async () => {
    const { interrupt } = await import('@langchain/langgraph');
    const asking = tool(() => interrupt('sure?') as string, { name: 'approve', schema });
    const agent = createAgent({
      ...{ model: modelOf(), tools: [asking], checkpointer: new MemorySaver() },
      middleware: [countersignMiddleware({ countersign: clientOf(), session })],
    });
    const config = { configurable: { thread_id: session } };
    await expect(agent.invoke({ messages: 'Pay.' }, config)).rejects.toThrow(
      'Interrupt in a node before it.',
    );
    expect(outcomes()).toEqual(['failed']);
  });
});
