/** Starts the hook as a runtime does: for a harmless call, with everything that can fail, and in the runtime itself. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from './files.ts';
import { tryProgram } from './program.ts';
import { DECIDED } from './run/gate.ts';
import type { Runtime } from './runtimes.ts';
import { lookAt, notCompared, type Look } from './status.ts';

interface Start {
  /** The file of this program. */
  readonly file: string;
  readonly url: string;
  readonly credential: string;
  readonly limit?: number;
  readonly isKilled?: boolean;
}

interface Ended {
  readonly code: number | null;
  readonly reason: string;
  /** A word. */
  readonly outcome: string;
}

/** Calls of this tool do nothing. */
const TOOL = 'countersign_hook_test';
const SERVICE_LIMIT = 45;
const SHORT_LIMIT = 7;

/** True if the service decided about the call, each failure denied it, and the program itself asks in this folder. */
export async function tryOut(runtime: Runtime, start: Start, look: Look): Promise<boolean> {
  say(`Asks ${start.url} for a call of ${TOOL}. A reviewer has half a minute.`);
  const asked = await run(runtime, { ...start, limit: SERVICE_LIMIT });
  const isDecided = isPass(asked) || DECIDED.includes(asked.outcome);
  say(`as installed    ${shown(runtime, asked)}`);
  const areDenied = await failuresDeny(runtime, start);
  const looked = await lookAt(runtime, look);
  const { why, whyNotCompared, others } = looked;
  say(
    `this folder     ${why === undefined ? 'each call is asked about' : `calls run WITHOUT a question, because ${why}`}`,
  );
  for (const [name, text] of notCompared(looked)) say(`${name.padEnd(15)} ${text}`);
  for (const other of others) say(`another hook    ${other}`);
  const tried = await tryProgram(runtime, look);
  say(`${runtime.title.padEnd(15)} ${tried.text}`);
  const isGated = why === undefined && whyNotCompared === undefined;
  const isWell = isDecided && areDenied && isGated && tried.isWell;
  say(
    isWell
      ? 'The hook asks, and every failure blocks the call.'
      : 'The hook does NOT work as it should.',
  );
  return isWell;
}

async function failuresDeny(runtime: Runtime, { file, url, credential }: Start): Promise<boolean> {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const silentUrl = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
  const folder = await mkdtemp(join(tmpdir(), 'countersign-hook-'));
  const wrong = async (of: string) => {
    const path = join(folder, randomUUID());
    await writeFile(path, JSON.stringify({ url: of, token: 'whc_wrong' }), { mode: 0o600 });
    return path;
  };
  const silently = { file, url: silentUrl, credential: await wrong(silentUrl) };
  const failures: readonly (readonly [string, Start])[] = [
    ['wrong address', { file, url: `${url}/wrong`, credential: await wrong(`${url}/wrong`) }],
    ['wrong token', { file, url, credential: await wrong(url) }],
    ['no credential', { file, url, credential: `${credential}.none` }],
    ['no response', { ...silently, limit: SHORT_LIMIT }],
    ['killed', { ...silently, isKilled: true }],
  ];
  let areDenied = true;
  for (const [name, failure] of failures) {
    const ended = await run(runtime, failure);
    say(`${name.padEnd(15)} ${shown(runtime, ended)}`);
    areDenied &&= !isPass(ended);
  }
  silent.close();
  await rm(folder, { recursive: true, force: true });
  return areDenied;
}

const isPass = ({ code }: Ended): boolean => code === 0;

function shown(runtime: Runtime, ended: Ended): string {
  if (isPass(ended)) return 'the call would run';
  if (ended.code === null) return `the call would not run: ${runtime.whenHookFails}`;
  return `the call would not run: ${ended.reason.trim()}`;
}

async function run(
  { name }: Runtime,
  { file, url, credential, limit = SERVICE_LIMIT, isKilled = false }: Start,
): Promise<Ended> {
  const options = [
    ...['--credential', credential, '--limit', `${String(limit)}s`, '--url', url, '--outcome'],
  ];
  const { HOME, XDG_STATE_HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const child = spawn(process.execPath, [file, 'run', name, ...options], {
    env: { HOME, XDG_STATE_HOME, NODE_EXTRA_CA_CERTS },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const errors: Buffer[] = [];
  const outcome: Buffer[] = [];
  child.stdio[3].on('data', (chunk: Buffer) => outcome.push(chunk));
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(eventOf(name)));
  if (isKilled) child.kill('SIGKILL');
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    reason: Buffer.concat(errors).toString(),
    outcome: Buffer.concat(outcome).toString(),
  };
}

function eventOf(name: string): unknown {
  const id = randomUUID();
  return {
    ...(name === 'cursor'
      ? { hook_event_name: 'preToolUse', conversation_id: id, generation_id: id }
      : { hook_event_name: 'PreToolUse', session_id: id }),
    ...{ tool_name: TOOL, tool_use_id: id, cwd: process.cwd() },
    tool_input: { effect: 'none' },
  };
}
