/** Starts the hook as a runtime does: for a harmless call, and with everything that can fail. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { say } from './files.ts';
import type { Runtime } from './runtimes.ts';

interface Start {
  /** The file of this program. */
  readonly file: string;
  readonly url: string;
  readonly limit?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly isKilled?: boolean;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly reason: string;
}

/** Calls of this tool do nothing. */
const TOOL = 'countersign_hook_test';
const SERVICE_LIMIT = 45;
const SHORT_LIMIT = 7;

/** True if the service decided about the call, and each failure denied it. */
export async function tryOut(runtime: Runtime, { file, url }: Start): Promise<boolean> {
  say(`Asks ${url} for a call of ${TOOL}. A reviewer has half a minute.`);
  const asked = await start(runtime, { file, url, limit: SERVICE_LIMIT });
  const isDecided =
    isPass(runtime, asked) || !/did not respond|gave no decision/.test(asked.reason);
  say(`as installed    ${shown(runtime, asked)}`);

  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const silentUrl = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
  const env = { COUNTERSIGN_TOKEN: 'whc_wrong' };
  const failures: readonly (readonly [string, Start])[] = [
    ['wrong address', { file, url: `${url}/wrong` }],
    ['wrong token', { file, url, env }],
    ['no response', { file, url: silentUrl, limit: SHORT_LIMIT, env }],
    ['killed', { file, url: silentUrl, env, isKilled: true }],
  ];
  let areDenied = true;
  for (const [name, failure] of failures) {
    const ended = await start(runtime, failure);
    say(`${name.padEnd(15)} ${shown(runtime, ended)}`);
    areDenied &&= !isPass(runtime, ended);
  }
  silent.close();
  say(
    isDecided && areDenied
      ? 'The hook asks, and every failure blocks the call.'
      : 'The hook does NOT work as it should.',
  );
  return isDecided && areDenied;
}

const isPass = ({ passes }: Runtime, { code, output }: Ended): boolean =>
  code === 0 && output === passes;

function shown(runtime: Runtime, ended: Ended): string {
  if (isPass(runtime, ended)) return 'the call would run';
  if (ended.code === null) return `the call would not run: ${runtime.whenHookFails}`;
  return `the call would not run: ${ended.reason.trim()}`;
}

async function start(
  { name }: Runtime,
  { file, url, limit = SERVICE_LIMIT, env = {}, isKilled = false }: Start,
): Promise<Ended> {
  const args = [file, 'run', name, '--limit', `${String(limit)}s`, '--url', url];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(eventOf(name)));
  if (isKilled) child.kill('SIGKILL');
  const [code] = (await once(child, 'close')) as [number | null];
  const [output, reason] = [out, errors].map((chunks) => Buffer.concat(chunks).toString()) as [
    string,
    string,
  ];
  return { code, output, reason };
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
