/** Runs of the OpenAI Agents SDK: what is reported of tools that fail, and suspended runs while the service is away. */
import { beforeEach, describe, expect } from '@jest/globals';
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
const { gateTool } = await framework(
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
