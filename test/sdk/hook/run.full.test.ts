/** `countersign-hook run` against the real service: only an approval lets a call run, and each call is asked about once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startBrokenServer } from '../../support/servers/broken-server.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { bundledHook, type Ended, type Hook } from './hook-process.ts';

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;

let hook: Hook;
beforeAll(() => {
  hook = bundledHook(() => ({
    COUNTERSIGN_URL: app.url,
    COUNTERSIGN_TOKEN: agents.bot.credential,
  }));
});
afterAll(() => {
  hook.remove();
});

let count = 0;
/** JSON text, because digits matter. */
const eventOf = (more: Readonly<Record<string, unknown>> = {}, input = '{"command":"ls"}') => {
  const { tool_use_id = `toolu_${String(++count)}`, ...rest } = more;
  const members = {
    ...{ session_id: 'session-1', hook_event_name: 'PreToolUse', tool_name: 'Bash', cwd: '/work' },
    ...{ ...rest, tool_use_id },
  };
  return `${JSON.stringify(members).slice(0, -1)},"tool_input":${input}}`;
};
const cursorEvent = (name: string, more: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    ...{ conversation_id: 'conversation-1', generation_id: 'generation-1', hook_event_name: name },
    ...more,
  });

const openIds = async (): Promise<string[]> =>
  await app.db('approval_requests').where({ state: 'pending' }).pluck<string[]>('id');
const requests = async (): Promise<number> =>
  Number((await app.db('approval_requests').count<{ count: string }[]>())[0]?.count);
/** Starts it, and has a person answer the one request that it makes. */
async function answered(
  runtime: string,
  stdin: string,
  body: Readonly<Record<string, unknown>> = { status: 'approved' },
) {
  const { ended } = hook.start(['run', runtime], { stdin });
  let id = '';
  await until('it asks', async () => {
    [id = ''] = await openIds();
    return id !== '';
  });
  await until('it is decided', async () => (await decide(ada, id, body)).status === 200);
  return { id, ...(await ended) };
}
/** Starts it, stops it once it has asked, and returns how it ended. */
async function stopped(runtime: string, stdin: string) {
  const { child, ended } = hook.start(['run', runtime], { stdin });
  let id = '';
  await until('it asks', async () => {
    [id = ''] = await openIds();
    return id !== '';
  });
  child.kill('SIGTERM');
  return { id, ...(await ended) };
}
/** It takes connections, and says nothing. */
async function silentServer() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port: String(port), close: () => server.close() };
}
const rowOf = async (id: string) =>
  await app.db('approval_requests').where({ id }).first<Record<string, unknown>>();

/** The input that was approved, pinned. */
const passed = (input: string, decision = '') => ({
  ...{ code: 0, stderr: '' },
  stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse",${decision}"updatedInput":${input}}}`,
});
const CURSOR_PASS = { code: 0, stdout: '{}', stderr: '' };
function expectDenial(ended: Ended, reason: RegExp, runtime = 'claude') {
  const { code, stdout, stderr } = ended;
  const shown = JSON.parse(stdout) as Record<string, unknown>;
  expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
  const text = stderr.trimEnd();
  expect(shown).toEqual(
    runtime === 'cursor'
      ? { permission: 'deny', user_message: text, agent_message: text }
      : {
          hookSpecificOutput: {
            ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny' },
            permissionDecisionReason: text,
          },
        },
  );
}

describe('a decision', () => {
  test('that approves lets the call run once, and the service has seen every digit', async () => {
    const input = '{"amount": 9007199254740993, "rate": 1.0, "tiny": 1e-400}';
    const event = eventOf({ tool_name: 'mcp__billing__refund__all' }, input);
    const { id, ...ended } = await answered('claude', event);
    expect(ended).toEqual(passed(input));
    const row = await rowOf(id);
    expect(row).toMatchObject({ tool: 'refund__all', server: 'billing', state: 'approved' });
    const { rows } = await app.db.raw<{ rows: { text: string }[] }>(
      'select arguments::text as text from approval_requests where id = ?',
      [id],
    );
    expect(rows[0]?.text).toBe(input);
    // A hook that is started again for this call, as after a crash.
    expectDenial(await hook.run(['run', 'claude'], { stdin: event }), /was started before/);
  });

  test('that denies is told with its note', async () => {
    const body = { status: 'denied', note: 'Not on a Friday.' };
    for (const runtime of ['claude', 'codex'])
      expectDenial(await answered(runtime, eventOf(), body), /denied this call.*Not on a Friday/);
  });

  test('is asked about the server that the runtime names, also where its name has two underscores', async () => {
    const mcp_server = { name: 'billing__eu', source: 'user' };
    const event = eventOf({ tool_name: 'mcp__billing__eu__refund', mcp_server });
    const { id } = await answered('claude', event, { status: 'denied' });
    expect(await rowOf(id)).toMatchObject({ tool: 'refund', server: 'billing__eu' });
  });

  test('that no one makes in time denies', async () => {
    const ended = await hook.run(['run', 'claude', '--limit', '7s'], { stdin: eventOf() });
    expectDenial(ended, /time/);
    await until('nothing is open', async () => (await openIds()).length === 0);
  });

  test('is not waited for by a hook that is stopped: it withdraws', async () => {
    const { id, ...ended } = await stopped('claude', eventOf());
    expectDenial(ended, /stopped waiting/);
    expect(await rowOf(id)).toMatchObject({ state: 'cancelled' });
  });

  test('of a call without an id is found again after the hook was killed', async () => {
    const stdin = eventOf({ tool_use_id: null });
    const { child, ended } = hook.start(['run', 'codex'], { stdin });
    await until('it asks', async () => (await openIds()).length === 1);
    const [id] = await openIds();
    child.kill('SIGKILL');
    expect(await ended).toEqual({ code: null, stdout: '', stderr: '' });
    const again = await answered('codex', stdin);
    expect(again).toMatchObject({
      ...passed('{"command":"ls"}', '"permissionDecision":"allow",'),
      id,
    });
  });
});

describe('without a decision the call is denied', () => {
  const SHORT = ['--limit', '8s'];

  test.each<[string, readonly [url: string, token?: string], RegExp]>([
    ['a wrong address', ['/nowhere'], /did not respond/],
    ['something that is no address', ['ftp://x'], /did not respond.*no address/],
    ['a wrong token', ['', 'whc_0000000000_x'], /did not respond.*401/],
    ['no token', ['', ''], /did not respond.*Give a token/],
  ])('for %s, at once', async (_name, [url, token], reason) => {
    const env = {
      COUNTERSIGN_URL: url.includes(':') ? url : `${app.url}${url}`,
      ...(token !== undefined && { COUNTERSIGN_TOKEN: token }),
    };
    expectDenial(await hook.run(['run', 'claude'], { stdin: eventOf(), env }), reason);
  });

  test('for a service that is away, never responds, or is killed while a person reads', async () => {
    const { port, close } = await silentServer();
    for (const url of ['http://127.0.0.1:9', `http://127.0.0.1:${port}`]) {
      const args = ['run', 'codex', '--url', url, ...SHORT];
      expectDenial(await hook.run(args, { stdin: eventOf() }), /time/);
    }
    close();

    const server = await startBrokenServer({
      spoil: (reply, { operation }) => {
        if (operation === 'get') setImmediate(() => void server.close());
        return reply;
      },
    });
    const env = { COUNTERSIGN_TOKEN: server.credential };
    const address = server.baseUrl.replace(/\/api\/aap$/, '');
    const stdin = eventOf({ tool_name: 'hold' });
    const args = ['run', 'claude', '--url', address, ...SHORT];
    expectDenial(await hook.run(args, { env, stdin }), /time/);
    await server.close();
  });

  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  const garbage: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['half an object', '{"session_id":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['bytes that are no text', Uint8Array.of(0x7b, 0xff, 0x7d)],
    ['another event', eventOf({ hook_event_name: 'SessionStart' })],
    ['no event', '{"session_id":"s","tool_name":"Bash","tool_input":{}}'],
    ['no session', eventOf({ session_id: '' })],
    ['no tool', eventOf({ tool_name: null })],
    ['a tool that is a number', eventOf({ tool_name: 1 })],
    ['no arguments', '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash"}'],
    ['arguments twice', eventOf().replace('}}', '},"tool_input":{}}')],
    ['a name twice in the arguments', eventOf({}, '{"a":1,"a":2}')],
    ['arguments that are too deep', eventOf({}, `{"a":${deep}}`)],
    ['text after the event', `${eventOf()} x`],
    ['more than any call', eventOf({}, `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`)],
  ];
  test('for anything else on standard input, and no one is asked', async () => {
    const before = await requests();
    for (const [name, stdin] of garbage)
      await Promise.all(
        ['claude', 'cursor'].map(async (runtime) => {
          const ended = await hook.run(['run', runtime], { stdin });
          expect([name, ended.code, ended.stderr]).toEqual([name, 2, expect.stringMatching(/./)]);
          expectDenial(ended, /gave no decision/, runtime);
        }),
      );
    expect(await requests()).toBe(before);
  });

  test('for wrong options, errors that nothing catches, and a runtime that reads no output', async () => {
    const stdin = eventOf();
    // It asks no one, so nothing is left open.
    const { port, close } = await silentServer();
    const address = `http://127.0.0.1:${port}`;
    const loaded = (source: string) => ({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}`,
    });
    // Once the hook has begun, however long it takes to load.
    const begun = (then: string) =>
      loaded(
        `const timer = setInterval(() => { if (process.listenerCount('SIGTERM') > 0) { clearInterval(timer); ${then} } }, 20)`,
      );
    const rejected = begun('void Promise.reject(new Error("lost"));');
    const thrown = begun('throw new Error("lost");');
    for (const [args, env, reason] of [
      [['run'], {}, /no runtime/],
      [['run', 'vim'], {}, /no runtime/],
      [['run', 'claude', '--limit', '1s'], {}, /--limit/],
      [['run', 'claude', '--limit', 'x'], {}, /--limit/],
      [['run', 'claude', '--wrong'], {}, /--wrong/],
      [['run', 'claude', '--url', address], rejected, /lost/],
      [['run', 'claude', '--url', address], thrown, /lost/],
    ] as const)
      expectDenial(await hook.run(args, { stdin, env }), reason);
    for (const args of [[], ['runs', 'claude'], ['runs']])
      expect(await hook.run(args, { stdin })).toMatchObject({ code: 2, stdout: '' });
    const { child, ended } = hook.start(['run', 'codex'], { stdin: '{' });
    child.stdout.destroy();
    child.stderr.destroy();
    expect((await ended).code).toBe(2);
    close();
  });
});

describe('Cursor reports a call twice', () => {
  const command = 'rm -rf "build"';
  const shell = (id: string) =>
    cursorEvent('preToolUse', { tool_name: 'Shell', tool_use_id: id, tool_input: { command } });
  const beforeShell = cursorEvent('beforeShellExecution', {
    command,
    cwd: '/work',
    sandbox: false,
  });
  const pairs = () => join(hook.home, '.local/state/countersign-hook/pairs');

  test('and a person is asked once, for commands and for tools of MCP servers', async () => {
    expect(await answered('cursor', shell('1'))).toMatchObject(CURSOR_PASS);
    const before = await requests();
    expect(await hook.run(['run', 'cursor'], { stdin: beforeShell })).toEqual(CURSOR_PASS);
    const tool_input = { id: 7, note: 'a "b"' };
    const mcp = { tool_name: 'MCP:refund', tool_use_id: '2', tool_input };
    const { id, ...ended } = await answered('cursor', cursorEvent('preToolUse', mcp));
    expect([ended, await rowOf(id)]).toEqual([
      CURSOR_PASS,
      expect.objectContaining({ tool: 'refund' }),
    ]);
    const again = { tool_name: 'refund', tool_input: JSON.stringify(tool_input) };
    const stdin = cursorEvent('beforeMCPExecution', { ...again, mcp_server_name: 'billing' });
    expect(await hook.run(['run', 'cursor'], { stdin })).toEqual(CURSOR_PASS);
    expect([await requests(), readdirSync(pairs())]).toEqual([before + 1, []]);
  });

  test('and the second event asks by itself when the first did not, or for another call', async () => {
    const { id, ...ended } = await stopped('cursor', beforeShell);
    expectDenial(ended, /stopped waiting/, 'cursor');
    expect(await rowOf(id)).toMatchObject({ tool: 'Shell', state: 'cancelled' });
    expect(await answered('cursor', shell('3'))).toMatchObject(CURSOR_PASS);
    const other = cursorEvent('beforeShellExecution', { command: 'rm -rf /', cwd: '/work' });
    expectDenial(await stopped('cursor', other), /stopped waiting/, 'cursor');
    // Of the command itself, once.
    expect(await hook.run(['run', 'cursor'], { stdin: beforeShell })).toEqual(CURSOR_PASS);
    expectDenial(await stopped('cursor', beforeShell), /stopped waiting/, 'cursor');
  });

  test('and a forged mark of an approval is worth nothing', async () => {
    expect(await answered('cursor', shell('4'))).toMatchObject(CURSOR_PASS);
    const [mark = ''] = readdirSync(pairs());
    const [pair = ''] = mark.split('.');
    const denied = await answered('cursor', shell('5'), { status: 'denied' });
    renameSync(join(pairs(), mark), join(pairs(), `${pair}.${denied.id}`));
    expectDenial(await stopped('cursor', beforeShell), /stopped waiting/, 'cursor');
    const other = await answered(
      'cursor',
      cursorEvent('preToolUse', {
        ...{ tool_name: 'Shell', tool_use_id: '6', tool_input: { command: 'ls' } },
      }),
    );
    for (const id of [other.id, 'x', '01890000-0000-7000-8000-000000000000'])
      writeFileSync(join(pairs(), `${pair}.${id}`), '');
    expectDenial(await stopped('cursor', beforeShell), /stopped waiting/, 'cursor');
  });
});
