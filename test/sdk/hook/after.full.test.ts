/** What the hook does after a call, and when the program that asked is gone, against the real service. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { bundledHook, type Hook } from './hook-process.ts';

const { app, people, agents, decide } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;

/** The service, and in front of it what takes results. */
interface Results {
  readonly url: string;
  readonly reports: { path: string; body: Record<string, unknown> }[];
  isAway: boolean;
  /** As a service of before that has no such path. */
  isOld: boolean;
  readonly server: Server;
}
function startResults(): Results {
  const reports: Results['reports'] = [];
  const server = createServer((from, to) => {
    const { method, url: path = '', headers } = from;
    if (path.endsWith('/result')) {
      const chunks: Buffer[] = [];
      from.on('data', (chunk: Buffer) => chunks.push(chunk));
      from.on('end', () => {
        if (results.isAway) {
          to.writeHead(503).end();
          return;
        }
        if (results.isOld) {
          const error = { code: 'not_found', message: 'There is nothing at this path.' };
          to.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
          return;
        }
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        reports.push({ path, body });
        to.writeHead(204).end();
      });
      return;
    }
    const passed = request(`${app.url}${path}`, { method, headers }, (response) => {
      to.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(to);
    });
    passed.on('error', () => to.destroy());
    from.pipe(passed);
  }).listen(0, '127.0.0.1');
  const results: Results = {
    ...{ reports, server, isAway: false, isOld: false },
    get url() {
      return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    },
  };
  return results;
}

let results: Results;
let hook: Hook;
beforeAll(async () => {
  results = startResults();
  await once(results.server, 'listening');
  hook = bundledHook();
  mkdirSync(join(hook.home, '.config'));
  writeFileSync(credential(), kept(results.url));
});
afterAll(() => {
  results.server.closeAllConnections();
  results.server.close();
  hook.remove();
});
beforeEach(() => {
  results.reports.length = 0;
  results.isAway = false;
  results.isOld = false;
});

const credential = () => join(hook.home, '.config/countersign-credential');
const kept = (url: string) => JSON.stringify({ url, token: agents.bot.credential });
const RUN = () => ['--credential', credential()];

let count = 0;
const callOf = (session: string, command = 'touch ran') => ({
  ...{ session_id: session, tool_use_id: `toolu_${String(++count)}`, cwd: '/work' },
  ...{ tool_name: 'Bash', tool_input: { command } },
});
type Call = Readonly<Record<string, unknown>>;
const at = (hook_event_name: string, call: Call) => JSON.stringify({ ...call, hook_event_name });

const openIds = async (): Promise<string[]> =>
  await app.db('approval_requests').where({ state: 'pending' }).pluck<string[]>('id');
async function asked(): Promise<string> {
  let id = '';
  await until('it asks', async () => {
    [id = ''] = await openIds();
    return id !== '';
  });
  return id;
}
async function approved(call: Call, runtime = 'claude'): Promise<string> {
  const { ended } = hook.start(['run', runtime, ...RUN()], { stdin: at('PreToolUse', call) });
  const id = await asked();
  expect((await decide(ada, id)).status).toBe(200);
  expect((await ended).code).toBe(0);
  return id;
}
const after = async (call: Call, event = 'PostToolUse', runtime = 'claude') =>
  await hook.run(['run', runtime, ...RUN()], { stdin: at(event, call) });
const reported = () => results.reports.map(({ path, body }) => [path.split('/').at(-2), body]);

describe('after a call', () => {
  test('the service learns whether it succeeded, failed, or was refused by the runtime', async () => {
    const [done, failed, refused] = [callOf('s1'), callOf('s1'), callOf('s1')];
    const ids = [await approved(done), await approved(failed), await approved(refused)];
    expect(await after(done)).toEqual({ code: 0, stdout: '', stderr: '' });
    await after({ ...failed, error: 'Exit code 3' }, 'PostToolUseFailure');
    const batch = { session_id: 's1', tool_calls: [done, failed, refused] };
    expect((await after(batch, 'PostToolBatch')).code).toBe(0);
    expect(reported()).toEqual([
      [ids[0], { outcome: 'succeeded' }],
      [ids[1], { outcome: 'failed' }],
      [ids[2], { outcome: 'refused_by_runtime' }],
    ]);
    // The file says when old files were last looked for.
    expect(readdirSync(join(hook.home, '.local/state/countersign-hook/asked'))).toEqual(['looked']);
  });

  test.each(['claude', 'codex'])(
    'another call of %s than the approved one stops its session until a person has looked',
    async (runtime) => {
      const session = `differs-${runtime}`;
      const call = callOf(session);
      const id = await approved(call, runtime);
      results.isAway = true;
      const ran = { ...call, tool_input: { command: 'touch evil' } };
      const stopped = await after(ran, 'PostToolUse', runtime);
      expect([stopped.code, JSON.parse(stopped.stdout)]).toEqual([
        0,
        { continue: false, stopReason: expect.stringMatching(/touch ran.*touch evil/) },
      ]);
      expect(reported()).toEqual([]);
      // The service is back, and the next call brings what it missed.
      results.isAway = false;
      const next = { stdin: at('PreToolUse', callOf(session)) };
      const denied = await hook.run(['run', runtime, ...RUN()], next);
      expect([denied.code, denied.stderr]).toEqual([2, expect.stringMatching(/resume differs-/)]);
      expect(reported()).toEqual([[id, expect.objectContaining({ outcome: 'ran_differently' })]]);
      expect(results.reports[0]?.body['arguments_digest']).toMatch(/^[\da-f]{64}$/);
      expect(await openIds()).toEqual([]);
      await approved(callOf('another session'), runtime);
      expect((await hook.run(['resume'])).stdout).toMatch(/touch evil[^]*reported/);
      expect((await hook.run(['resume', session])).code).toBe(1);
      expect((await hook.run(['resume', session, '--yes'])).code).toBe(0);
      await approved(callOf(session), runtime);
    },
    60_000,
  );

  test('a call that no one approved stops the session, too', async () => {
    const stopped = await after(callOf('unknown'));
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      stopReason: expect.stringContaining('No approval of it is known'),
    });
    const denied = await hook.run(['run', 'claude', ...RUN()], {
      stdin: at('PreToolUse', callOf('unknown')),
    });
    expect([denied.code, reported()]).toEqual([2, []]);
  });

  test('what Claude Code itself fills in is no other call', async () => {
    const question = { ...callOf('s2'), tool_name: 'AskUserQuestion', tool_input: { q: [1] } };
    await approved(question);
    const ran = { ...question, tool_input: { answers: { a: 'b' }, q: [1.0] } };
    expect((await after(ran)).stdout).toBe('');
    const changed = callOf('s2');
    await approved(changed);
    const more = { ...changed, tool_input: { command: 'touch ran', timeout: 1 } };
    expect((await after(more)).stdout).toContain('"continue":false');
  });

  test('a service that takes no results changes nothing', async () => {
    results.isOld = true;
    const call = callOf('s3');
    await approved(call);
    expect(await after(call)).toEqual({ code: 0, stdout: '', stderr: '' });
    const other = callOf('s3');
    await approved(other);
    const stopped = await after({ ...other, tool_input: { command: 'touch evil' } });
    expect(stopped.stdout).toContain('"continue":false');
  });

  test('the service itself keeps the result', async () => {
    const direct = join(hook.home, 'direct');
    writeFileSync(direct, kept(app.url));
    const call = callOf('s5');
    const id = await approved(call);
    const args = ['run', 'claude', '--credential', direct];
    const stdin = at('PostToolUse', { ...call, tool_input: { command: 'touch evil' } });
    expect((await hook.run(args, { stdin })).code).toBe(0);
    expect((await hook.run(['resume', 's5'])).stdout).toContain('reported to Countersign');
    const { body } = await ada.http.get(`/api/v1/requests/${id}`);
    expect(body['result']).toMatchObject({ outcome: 'ran_differently' });
  });
});

test('withdraws when the program that asked was killed, also behind a shell that is left', async () => {
  for (const shell of ['', '; exit 2']) {
    const event = at('PreToolUse', callOf('gone'));
    const command = `echo '${event}' | '${process.execPath}' '${hook.file}' run claude --credential '${credential()}'${shell}`;
    const program = `require('node:child_process').spawnSync('sh', ['-c', process.argv[1]])`;
    const agent = spawn(process.execPath, ['-e', program, command], {
      ...{ env: { HOME: hook.home, PATH: process.env['PATH'] }, stdio: 'ignore' },
    });
    const id = await asked();
    agent.kill('SIGKILL');
    await until('it is withdrawn', async () => (await openIds()).length === 0);
    const row = await app.db('approval_requests').where({ id }).first<{ state: string }>('state');
    expect(row?.state).toBe('cancelled');
  }
});

test('takes its token from the file alone', async () => {
  const stdin = at('PreToolUse', callOf('s4'));
  const env = { COUNTERSIGN_TOKEN: 'whc_another' };
  const { code, stderr } = await hook.run(['run', 'claude', ...RUN()], { stdin, env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('COUNTERSIGN_TOKEN is not')]);
  const none = ['run', 'claude', '--credential', join(hook.home, 'none')];
  const own = { COUNTERSIGN_TOKEN: agents.bot.credential, COUNTERSIGN_URL: app.url };
  const without = await hook.run(none, { stdin, env: own });
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('no credential')]);
  const elsewhere = ['run', 'claude', ...RUN(), '--url', 'http://127.0.0.1:9'];
  expect((await hook.run(elsewhere, { stdin })).stderr).toContain('not for http://127.0.0.1:9');
  expect(await openIds()).toEqual([]);
});

test('`test` asks for a harmless call, and shows that every failure blocks', async () => {
  rmSync(join(hook.home, '.local'), { recursive: true, force: true });
  writeFileSync(join(hook.home, 'claude'), '#!/bin/sh\necho "2.1.332 (Claude Code)"\n', {
    mode: 0o755,
  });
  const program = ['--binary', join(hook.home, 'claude')];
  await hook.run(['install', 'claude', '--yes', ...program]);
  const { ended } = hook.start(['test', 'claude', '--binary', '/nowhere/claude']);
  await decide(ada, await asked());
  const { code, stdout } = await ended;
  expect(stdout).toMatch(/as installed +the call would run\n/);
  for (const name of ['wrong address', 'wrong token', 'no credential', 'no response', 'killed'])
    expect(stdout).toMatch(new RegExp(`${name} +the call would not run: .`));
  expect(stdout).toMatch(/Claude Code +not started: it is not installed/);
  expect([code, stdout]).toEqual([0, expect.stringContaining('every failure blocks the call')]);
  // Of a program that is there and calls no tool, nothing is known.
  const silent = hook.start(['test', 'claude', ...program]);
  await decide(ada, await asked());
  expect(await silent.ended).toMatchObject({ code: 1 });
}, 60_000);
