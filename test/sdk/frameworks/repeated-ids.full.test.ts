/** Models that give each call of a conversation the same id, in runs that trim their messages: each call is asked for, once. */
import { beforeEach, describe, expect } from '@jest/globals';
import { z } from 'zod';
import { gateTools } from '../../../sdk/typescript/src/adapters/ai.ts';
import { recordedService } from '../../support/sdk/recorded.ts';
import { framework, test } from './framework.ts';

const ai = await framework(() => import('ai'));
const { MockLanguageModelV4 } = await framework(() => import('ai/test'));
const { AIMessage, createAgent, createMiddleware, fakeModel, HumanMessage, tool, ToolMessage } =
  await framework(() => import('langchain'));
const { MemorySaver, REMOVE_ALL_MESSAGES } = await framework(() => import('@langchain/langgraph'));
const { RemoveMessage } = await framework(() => import('@langchain/core/messages'));
const { countersignMiddleware } = await framework(
  () => import('../../../sdk/typescript/src/adapters/langchain.ts'),
);

const { clientOf, keys, outcomes, results } = await recordedService();
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
  /** Calls the tool three times with one id. */
  const modelOf = () => {
    let turn = 0;
    const call = {
      ...{ type: 'tool-call' as const, toolCallId: 'call_0', toolName: 'approve' },
      input: '{"amount":1}',
    };
    return new MockLanguageModelV4({
      doGenerate: async () => ({
        ...{ usage, warnings: [] },
        ...((turn += 1) <= 3
          ? { content: [call], finishReason: { unified: 'tool-calls' as const, raw: undefined } }
          : {
              content: [{ type: 'text' as const, text: 'Done.' }],
              finishReason: { unified: 'stop' as const, raw: undefined },
            }),
      }),
    });
  };
  const runs: unknown[] = [];
  const runOf = (kept: number) => async (messages: { role: 'user'; content: string }[]) => {
    runs.length = 0;
    const approve = ai.tool({
      inputSchema: z.object({ amount: z.number() }),
      execute: (args) => runs.push(args),
    });
    await ai.generateText({
      ...{ model: modelOf(), messages, stopWhen: ai.stepCountIs(5) },
      tools: gateTools({ approve }, { countersign: clientOf(), session }),
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
