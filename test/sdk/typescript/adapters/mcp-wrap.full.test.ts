/** `countersign-mcp wrap` between a real client and a real server: a call reaches the server with an approval, once, or never. */
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateClient } from '../../../../sdk/typescript/src/adapters/mcp.ts';
import { Countersign } from '../../../../sdk/typescript/src/index.ts';
import { builtTestPath } from '../../../support/run/built.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { startLine } from '../../../support/servers/line.ts';
import { until } from '../../../support/waiting.ts';

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const folder = mkdtempSync(join(tmpdir(), 'countersign-mcp-'));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const command = builtTestPath('sdk/typescript/src/adapters/mcp/command.ts');
const server = builtTestPath('test/support/processes/mcp-server-process.ts');
const arguments_ = { payment_id: 'pay_1', amount: 12.5 };

let count = 0;
/** What a client configures, and where the server behind it writes what it did. */
function wrapping(options: readonly string[], given: Record<string, string> = {}) {
  const file = join(folder, `server-${String(++count)}`);
  const env = { COUNTERSIGN_URL: app.url, COUNTERSIGN_TOKEN: agents.bot.credential };
  const lines = () =>
    readFileSync(file, { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    args: [command, 'wrap', ...options, 'billing', '--', process.execPath, server, file],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env, ...given },
    started: () => lines()[0] as { pid: number; names: string[] },
    ran: () => lines().slice(1),
  };
}

async function open(options = ['--limit', '10m'], given: Record<string, string> = {}) {
  const { args, env, started, ran } = wrapping(options, given);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  closing.push(() => client.close());
  const refund = async (given?: { signal?: AbortSignal; timeout?: number }) => {
    const patient = { timeout: 600_000, ...given };
    const result = await client.callTool({ name: 'refund', arguments: arguments_ }, patient);
    const [content] = result.content;
    return [result.isError === true, content?.type === 'text' ? content.text : content];
  };
  return { client, refund, started, ran, pid: transport.pid ?? 0 };
}

/** The one request that waits. */
async function pending(): Promise<string> {
  const ids = async () =>
    await app.db('approval_requests').where({ state: 'pending' }).pluck<string[]>('id');
  await until('a request waits', async () => (await ids()).length === 1);
  return (await ids())[0] ?? '';
}
const stateOf = async (id: string) =>
  (await app.db('approval_requests').where({ id }).first<{ state: string }>('state')).state;
const nothingOpen = async () => {
  await until('nothing is open', async () => {
    const open = await app.db('approval_requests').whereIn('state', ['evaluating', 'pending']);
    return open.length === 0;
  });
};
const isGone = (pid: number) => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};
const resultOf = async (id: string) =>
  ((await ada.http.get(`/api/v1/requests/${id}`)).body as Record<string, unknown>)['result'];
const approve = async () => {
  const id = await pending();
  expect((await decide(ada, id)).status).toBe(200);
};

describe('a call', () => {
  test('reaches the server once it is approved, and the server has no credential to ask with', async () => {
    const { client, refund, started, ran } = await open();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['refund', 'crash']);
    const result = refund();
    const id = await pending();
    expect(ran()).toEqual([]);
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<Record<string, unknown>>('tool', 'server');
    expect(row).toEqual({ tool: 'refund', server: 'billing' });
    await decide(ada, id);
    expect(await result).toEqual([false, 'refunded 12.5']);
    expect(ran()).toEqual([arguments_]);
    await until('its result is on record', async () => (await resultOf(id)) !== undefined);
    expect(await resultOf(id)).toMatchObject({ outcome: 'succeeded' });
    expect(started().names.filter((name) => name.startsWith('COUNTERSIGN'))).toEqual([]);
    // The same call again is another one.
    const again = refund();
    await decide(ada, await pending(), { status: 'denied', note: 'Once is enough.' });
    expect(await again).toEqual([true, expect.stringContaining('Once is enough.')]);
    expect(ran()).toHaveLength(1);
  });

  test('that no one decides in time never runs, and can be asked again', async () => {
    const { refund, ran } = await open(['--limit', '2s']);
    expect(await refund()).toEqual([true, expect.stringMatching(/did not run/)]);
    await nothingOpen();
    expect(ran()).toEqual([]);
  });

  test('that is parked goes on with its request when it is made again', async () => {
    const { refund, ran } = await open(['--limit', '3s', '--park', '15m']);
    const [isError, text] = await refund();
    const id = await pending();
    expect([isError, text]).toEqual([true, expect.stringContaining(id)]);
    await approve();
    expect(await refund()).toEqual([false, 'refunded 12.5']);
    expect(ran()).toHaveLength(1);
    expect(await stateOf(id)).toBe('approved');
  });

  test('that is parked goes on in another process where the agent lets any instance go on', async () => {
    await app.db('agents').update({ resume: 'agent' });
    const { refund, ran } = await open(['--limit', '3s', '--park', '15m']);
    expect((await refund())[0]).toBe(true);
    const id = await pending();
    const other = await open(['--limit', '10m', '--park', '15m']);
    const result = other.refund();
    await approve();
    expect(await result).toEqual([false, 'refunded 12.5']);
    expect([ran().length, other.ran().length]).toEqual([0, 1]);
    expect(await stateOf(id)).toBe('approved');
    await app.db('agents').update({ resume: 'instance' });
  });

  test('that the client gives up is withdrawn: by an abort, and by its own limit', async () => {
    const { refund, ran } = await open();
    const stop = new AbortController();
    const aborted = refund({ signal: stop.signal }).catch(() => 'aborted');
    const id = await pending();
    stop.abort(new Error('stopped'));
    expect(await aborted).toBe('aborted');
    await until('it is withdrawn', async () => (await stateOf(id)) === 'cancelled');
    const late = refund({ timeout: 1_000 }).catch((error: unknown) => String(error));
    expect(await late).toMatch(/timed out/i);
    await nothingOpen();
    expect(ran()).toEqual([]);
  });

  test('shows the client that a reviewer is asked, and where', async () => {
    const { client } = await open(['--limit', '1h']);
    const messages: unknown[] = [];
    const result = client.callTool(
      { name: 'refund', arguments: arguments_ },
      { timeout: 600_000, onprogress: ({ message }) => messages.push(message) },
    );
    const id = await pending();
    await until('the client knows', () => messages.length > 0);
    // Reviewers have the limit, but for the time to withdraw.
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<{ deadline_at: Date; created_at: Date }>('deadline_at', 'created_at');
    expect(row.deadline_at.getTime() - row.created_at.getTime()).toBe((3_600 - 10) * 1_000);
    await decide(ada, id);
    await result;
    expect(messages[0]).toBe(`Waits for a reviewer: ${app.url}/requests/${id}`);
  });

  test('of a tool that is left out is not asked for', async () => {
    const { refund, ran } = await open(['--exempt', 'list,refund']);
    expect(await refund()).toEqual([false, 'refunded 12.5']);
    const other = await open(['--tools', 'crash']);
    expect(await other.refund()).toEqual([false, 'refunded 12.5']);
    expect([ran().length, other.ran().length]).toEqual([1, 1]);
  });
});

test('a gated client asks for every call of a tool, by whatever method it sends it', async () => {
  const file = join(folder, 'gated');
  const client = new Client({ name: 'test', version: '1.0.0' });
  const countersign = new Countersign({
    ...{ url: app.url, token: agents.bot.credential, limit: '2m' },
  });
  gateClient(client, { countersign, server: 'billing', session: 'chat', exempt: ['list'] });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, file], stderr: 'ignore' }),
  );
  closing.push(() => client.close());
  const params = { name: 'refund', arguments: arguments_ };
  const ran = () => readFileSync(file, 'utf8').trim().split('\n').slice(1);

  const approved = client.callTool(params, { timeout: 60_000 });
  await approve();
  expect(await approved).toMatchObject({ content: [{ text: 'refunded 12.5' }] });
  const denied = client.request({ method: 'tools/call', params });
  await decide(ada, await pending(), { status: 'denied', note: 'No.' });
  expect(await denied).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Note: No.') as unknown }],
  });
  const stop = new AbortController();
  const stopped = client.callTool(params, { signal: stop.signal }).catch(() => 'stopped');
  const id = await pending();
  stop.abort(new Error('stopped'));
  expect(await stopped).toBe('stopped');
  expect(await stateOf(id)).toBe('cancelled');
  expect(ran()).toHaveLength(1);
});

describe('the end', () => {
  test.each(['SIGTERM', 'the end of the client'])(
    'by %s withdraws, and ends the server',
    async (how) => {
      const { client, refund, ran, started, pid } = await open();
      const result = refund().catch(() => 'closed');
      const id = await pending();
      if (how === 'SIGTERM') process.kill(pid, how);
      else await client.close();
      expect(await result).toBe('closed');
      await until('it is withdrawn', async () => (await stateOf(id)) === 'cancelled');
      await until('both are gone', () => isGone(pid) && isGone(started().pid));
      expect(ran()).toEqual([]);
    },
  );

  test('comes before its client kills it, where the server ignores that its input ended', async () => {
    const stubborn = `process.on('SIGTERM', () => undefined); console.log(process.pid); setInterval(() => undefined, 1000);`;
    const { env } = wrapping([]);
    const args = [command, 'wrap', 'billing', '--', process.execPath, '-e', stubborn];
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.stdin.end();
    const began = performance.now();
    await once(child, 'exit');
    // Clients send SIGKILL after four seconds.
    expect(performance.now() - began).toBeLessThan(4_000);
    await until('it is gone', () => isGone(Number(line.toString())));
  });

  test('by a crash before the start leaves an approval that no later call uses', async () => {
    const first = await open();
    const lost = first.refund().catch(() => 'lost');
    const id = await pending();
    process.kill(first.pid, 'SIGKILL');
    expect(await lost).toBe('lost');
    expect((await decide(ada, id)).status).toBe(200);
    const second = await open();
    const result = second.refund();
    expect(await pending()).not.toBe(id);
    await approve();
    expect(await result).toEqual([false, 'refunded 12.5']);
    expect([first.ran().length, second.ran().length]).toEqual([0, 1]);
  });

  test('of the server is that of the wrapper, with its code', async () => {
    const { args, env } = wrapping(['--exempt', 'crash']);
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    const call = (id: number, name: string) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: arguments_ } })}\n`;
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize })}\n`,
    );
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    child.stdin.write(call(1, 'refund'));
    const id = await pending();
    child.stdin.write(call(2, 'crash'));
    expect(await once(child, 'exit')).toEqual([7, null]);
    expect(await stateOf(id)).toBe('cancelled');
  });
});

describe('no decision', () => {
  test.each([
    ['of a wrong address', { COUNTERSIGN_URL: 'http://127.0.0.1:9' }],
    ['of a service that is something else', { COUNTERSIGN_URL: `${app.url}/login` }],
    ['for a wrong token', { COUNTERSIGN_TOKEN: 'whc_0000_wrong' }],
  ])('%s never reaches the server', async (_name, env) => {
    const { refund, ran } = await open(['--limit', '2s'], env);
    expect(await refund()).toEqual([true, expect.stringMatching(/did not run/)]);
    expect(ran()).toEqual([]);
  });

  test('of a service that is killed. After a restart the call goes on, and runs once', async () => {
    const { url, cut, mend } = await startLine(app.url);
    closing.push(cut);
    const { refund, ran } = await open(['--limit', '10m'], { COUNTERSIGN_URL: url });
    const result = refund();
    const id = await pending();
    cut();
    await decide(ada, id);
    expect(ran()).toEqual([]);
    await mend();
    expect(await result).toEqual([false, 'refunded 12.5']);
    cut();
    const short = await open(['--limit', '2s'], { COUNTERSIGN_URL: url });
    expect(await short.refund()).toEqual([true, expect.stringMatching(/did not run/)]);
    expect([ran().length, short.ran().length]).toEqual([1, 0]);
  });

  test('without an address or a token starts no server', async () => {
    for (const [code, args, env] of [
      [1, ['--limit', '2s'], { COUNTERSIGN_TOKEN: '' }],
      [1, ['--limit', '4 seconds'], {}],
      [2, ['--tools', 'a', '--exempt', 'b'], {}],
      [2, ['--ask', 'a'], {}],
    ] as const) {
      const given = wrapping(args, env);
      const child = spawn(process.execPath, given.args, { env: given.env, stdio: 'ignore' });
      expect(await once(child, 'exit')).toEqual([code, null]);
      expect(given.started()).toBeUndefined();
    }
  });
});
