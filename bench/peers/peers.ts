/** The peers as systems: each runs in a process of its own, with the packages of the cache. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDatabase } from '../../src/local/embedded-postgres.ts';
import type { Measured, TimedLoad } from '../frame/load.ts';
import type { Servers } from '../frame/servers.ts';
import type { System } from '../approvals/system.ts';

export interface PeerSpec {
  readonly name: string;
  readonly usesPostgres: boolean;
}

export const PEERS: readonly PeerSpec[] = [
  { name: 'DBOS', usesPostgres: true },
  { name: 'Restate', usesPostgres: false },
  { name: 'LangGraph', usesPostgres: true },
];

/** Nothing of the caller's environment, where settings and keys of a peer might be. */
const ENVIRONMENT = {
  NODE_ENV: 'production',
  LANGSMITH_TRACING: 'false',
  RESTATE_LOGGING: 'ERROR',
};

/** `packages`: the folder that holds them. `directory`: of the whole run. */
export async function startPeer(
  { name, usesPostgres }: PeerSpec,
  servers: Servers,
  { packages, directory }: { readonly packages: string; readonly directory: string },
): Promise<System> {
  const database = `peer_${name.toLowerCase()}`;
  await ensureDatabase(servers.postgres, database);
  const databaseUrl = servers.postgres.url(database);
  const own = join(directory, database);
  mkdirSync(own);
  const logFile = `${own}.log`;
  const log = openSync(logFile, 'w');
  const child = fork(
    fileURLToPath(new URL('./peer-process.js', import.meta.url)),
    [name, packages, databaseUrl, own],
    { env: ENVIRONMENT, stdio: ['ignore', log, log, 'ipc'] },
  );
  closeSync(log);
  const next = async <T>() => (await answer(child, { name, logFile })) as T;
  const started = await next<Record<string, number>>();
  return {
    name,
    databaseUrl: usesPostgres ? databaseUrl : undefined,
    processes: { 'library and callers': child.pid ?? 0, ...started },
    run: async (load: TimedLoad) => {
      child.send(load);
      return await next<Measured>();
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** The next message. Throws with the last lines of its log when the process ends instead. */
async function answer(
  child: ChildProcess,
  { name, logFile }: { readonly name: string; readonly logFile: string },
): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]: unknown[]) => message),
      once(child, 'exit', { signal }).then(() => {
        const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-10);
        throw new Error(`the process of ${name} ended:\n${lines.join('\n')}`);
      }),
    ]);
  } finally {
    over.abort();
  }
}
