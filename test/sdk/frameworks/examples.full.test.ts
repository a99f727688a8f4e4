/** The examples of gates on their frameworks, in a project that has the built SDK beside them. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { builtTestPath } from '../../support/run/built.ts';
import { frameworkPackages } from '../../support/run/frameworks.ts';
import { scene } from '../../support/scene.ts';
import { linkPeers } from '../../support/sdk/projects.ts';
import { environmentFor, startMessagesApi } from '../../support/servers/messages-api.ts';
import { test } from './framework.ts';

const run = promisify(execFile);
const SMALL = {
  id: 'amount',
  field: '/request/arguments/amount',
  operator: 'less_than',
  value: 100,
};
const { app, agents } = await scene({
  app: { temporal: true },
  pipelines: {
    bot: {
      blocks: [
        {
          id: 'small',
          type: 'cel',
          name: 'Small',
          config: { when: SMALL, on_match: 'approve', reason: 'Small.' },
        },
        {
          id: 'rest',
          type: 'always',
          name: 'Rest',
          config: { outcome: 'deny', reason: 'Too much.' },
        },
      ],
    },
  },
});

const program = {
  PATH: process.env['PATH'],
  ...{ COUNTERSIGN_URL: app.url, COUNTERSIGN_TOKEN: agents.bot.credential },
};
const root = packageRoot();
const packages = frameworkPackages() ?? '';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-examples-'));
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const sdk = join(folder, 'node_modules/@countersign/sdk');
  cpSync(dirname(builtTestPath('sdk/typescript/src/index.ts')), join(sdk, 'dist'), {
    recursive: true,
  });
  copyFileSync(join(root, 'sdk/typescript/package.json'), join(sdk, 'package.json'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a program prints that runs an example of a framework with a scripted model. */
async function responseOf(example: string, peers: readonly string[], model: string) {
  linkPeers(folder, packages, ...peers);
  copyFileSync(join(root, 'examples/gates', `${example}.js`), join(folder, `${example}.js`));
  const call = `{ prompt: 'Refund it.', chatId: '${example}' }`;
  writeFileSync(
    join(folder, `run-${example}.js`),
    `import { respond } from './${example}.js';\n${model}\nconsole.log(await respond(model, ${call}));`,
  );
  const env = { ...program, HOME: folder };
  return await run(process.execPath, [`run-${example}.js`], { cwd: folder, env });
}

const INPUT = `'{"payment_id": "pay_1", "amount": 12.5}'`;

test('gates tools of the AI SDK', async () => {
  const model = `
    import { MockLanguageModelV4 } from 'ai/test';
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'refund_payment', input: ${INPUT} };
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const { role, content } = prompt.at(-1);
        const read = role === 'tool' && { type: 'text', text: content[0].output.value };
        const finishReason = { unified: read ? 'stop' : 'tool-calls' };
        return { content: [read || call], finishReason, usage, warnings: [] };
      },
    });`;
  const { stdout } = await responseOf('ai-sdk', ['ai', 'zod'], model);
  expect(stdout).toBe('refunded 12.5 of pay_1\n');
});

test('gates tools of the OpenAI Agents SDK', async () => {
  const model = `
    import { setTracingDisabled } from '@openai/agents';
    import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
    setTracingDisabled(true);
    const model = new ScriptedModel([
      [functionCall('refund_payment', ${INPUT}, { callId: '1' })],
      modelResponder(({ request }) => [assistantMessage(request.input.at(-1).output.text)]),
    ]);`;
  const { stdout } = await responseOf('openai-agents', ['@openai/agents', 'zod'], model);
  expect(stdout).toBe('refunded 12.5 of pay_1\n');
});

test('gates agents of LangChain', async () => {
  const model = `
    import { AIMessage, fakeModel } from 'langchain';
    const model = fakeModel()
      .respondWithTools([{ name: 'refund_payment', args: JSON.parse(${INPUT}), id: '1' }])
      .respond((messages) => new AIMessage(messages.at(-1).text));`;
  const { stdout } = await responseOf('langchain', ['langchain', 'zod'], model);
  expect(stdout).toBe('refunded 12.5 of pay_1\n');
});

test('gates an agent of the Claude Agent SDK', async () => {
  linkPeers(folder, packages, '@anthropic-ai/claude-agent-sdk');
  copyFileSync(join(root, 'examples/gates/claude-agent-sdk.js'), join(folder, 'claude.js'));
  const input = JSON.stringify({ command: `echo > ${join(folder, 'ran')}` });
  const api = await startMessagesApi([{ id: 'call_1', name: 'Bash', input }]);
  writeFileSync(
    join(folder, 'run-claude.js'),
    `import { respond } from './claude.js';
    console.log(await respond('Go.', { model: 'claude-sonnet-4-5', settingSources: [], allowedTools: ['Bash'] }));`,
  );
  const { stdout } = await run(process.execPath, ['run-claude.js'], {
    cwd: folder,
    env: { ...program, HOME: folder, ...environmentFor(api, folder) },
  });
  expect(stdout).toBe('Done.\n');
  expect(api.results()[0]).toContain('Too much.');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  await api.close();
});
