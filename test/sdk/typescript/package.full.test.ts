/** The package as users get it: built, packed, installed into an empty project, and run. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { builtTestPath } from '../../support/run/built.ts';
import { scene } from '../../support/scene.ts';
import { linkPeers } from '../../support/sdk/projects.ts';
import { until } from '../../support/waiting.ts';

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
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-'));
  const sdk = join(folder, 'sdk');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', join(root, 'sdk/typescript'), '--noCheck', '--outDir', join(sdk, 'dist')];
  await run(process.execPath, [compiler, ...options]);
  copyFileSync(join(root, 'sdk/typescript/package.json'), join(sdk, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  // As from a registry: packed, and not as a link.
  await run('npm', ['install', '--install-links', '--offline', '--no-audit', '--no-fund', sdk], {
    cwd: folder,
  });
  copyFileSync(join(root, 'examples/gated-tool/refund.js'), join(folder, 'refund.js'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What the example prints, and how it ends. */
async function refund(amount: string, env: Record<string, string> = {}) {
  const given = { COUNTERSIGN_URL: app.url, COUNTERSIGN_TOKEN: agents.bot.credential };
  const options = {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...given, ...env },
  };
  return await run(process.execPath, ['refund.js', 'pay_81', amount], options).then(
    ({ stdout }) => [0, stdout],
    (error: { code: number; stdout: string }) => [error.code, error.stdout],
  );
}

test('has no dependency, and declares its types', () => {
  const installed = join(folder, 'node_modules/@countersign/sdk');
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(readFileSync(join(installed, 'dist/index.d.ts'), 'utf8')).toContain('Countersign');
});

test('gates a tool in a program of its own', async () => {
  expect(await refund('12.50')).toEqual([0, 'refunded 12.5 of pay_81\n']);
  expect(await refund('250')).toEqual([
    1,
    expect.stringMatching(/denied this call.*Too much\.\n$/),
  ]);
  expect(await refund('12.50', { COUNTERSIGN_TOKEN: 'whc_wrong' })).toEqual([
    1,
    expect.stringMatching(/did not respond, so this call did not run/),
  ]);
});

test('puts its command in front of an MCP server, as the example configures it', async () => {
  const { mcpServers } = JSON.parse(
    readFileSync(join(root, 'examples/gates/mcp.json'), 'utf8'),
  ) as { mcpServers: { billing: { command: string; args: string[] } } };
  writeFileSync(
    join(folder, 'billing-server.js'),
    `import { createInterface } from 'node:readline';
    createInterface(process.stdin).on('line', (line) => {
      console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { line } }));
    });`,
  );
  const { command, args } = mcpServers.billing;
  const child = spawn(join(folder, 'node_modules/.bin', command), args, {
    cwd: folder,
    env: { ...program, HOME: folder },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const callOf = (id: number, amount: string) =>
    `{"jsonrpc":"2.0","id":${String(id)},"method":"tools/call","params":{"name":"refund","arguments":{"amount":${amount}}}}`;
  const responses: string[] = [];
  createInterface(child.stdout).on('line', (line) => responses.push(line));
  child.stdin.write(`${callOf(1, '12.50')}\n${callOf(2, '250')}\n`);
  await until('both have a response', () => responses.length === 2);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(responses.map((line) => JSON.parse(line) as unknown)).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 1, result: { line: callOf(1, '12.50') } },
      {
        ...{ jsonrpc: '2.0', id: 2 },
        result: {
          content: [{ type: 'text', text: expect.stringMatching(/denied this call.*Too much/) }],
          isError: true,
        },
      },
    ]),
  );
});

test('gates a program that calls an MCP server', async () => {
  linkPeers(folder, join(root, 'node_modules'), '@modelcontextprotocol/client');
  copyFileSync(join(root, 'examples/gates/mcp-client.js'), join(folder, 'mcp-client.js'));
  const server = builtTestPath('test/support/processes/mcp-server-process.ts');
  const options = { command: process.execPath, args: [server, join(folder, 'refunds')] };
  writeFileSync(
    join(folder, 'run-mcp-client.js'),
    `import { refund } from './mcp-client.js';
    const options = ${JSON.stringify({ ...options, chatId: 'mcp' })};
    for (const amount of [12.5, 250]) console.log((await refund(amount, options)).content[0].text);`,
  );
  const { stdout } = await run(process.execPath, ['run-mcp-client.js'], {
    cwd: folder,
    env: { ...program, HOME: folder },
  });
  expect(stdout).toMatch(/^refunded 12.5\n.*denied this call.*Too much\.\n$/);
});

test('reads the file of `countersign enroll`', async () => {
  const file = join(folder, 'credential');
  writeFileSync(file, JSON.stringify({ url: app.url, token: agents.bot.credential }));
  const env = { COUNTERSIGN_URL: '', COUNTERSIGN_TOKEN: '', COUNTERSIGN_CREDENTIAL: file };
  expect(await refund('1', env)).toEqual([0, 'refunded 1 of pay_81\n']);
});
