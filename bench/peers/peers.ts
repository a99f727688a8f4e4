/** The peers and Temporal alone as systems: each runs in a process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDatabase } from '../../src/local/embedded-postgres.ts';
import type { JobLoad, System, Turn } from '../compare/system.ts';
import type { Measured } from '../frame/load.ts';
import type { Servers } from '../frame/servers.ts';
import type { PeerSpec } from './peer.ts';

const SPECS: Readonly<Record<string, PeerSpec>> = {
  floor: { job: 'rule', usesPostgres: false },
  DBOS: { job: 'approval', usesPostgres: true },
  Restate: { job: 'approval', usesPostgres: false },
  LangGraph: { job: 'approval', usesPostgres: true },
};

export const PEERS = Object.keys(SPECS).filter((name) => name !== 'floor');

/** Nothing of the caller's environment, where settings and keys of a peer might be. */
const ENVIRONMENT = {
  NODE_ENV: 'production',
  LANGSMITH_TRACING: 'false',
  RESTATE_LOGGING: 'ERROR',
};

/** `packages`: the folder that holds them. `directory`: of the whole run. */
export async function startPeer(
  name: string,
  servers: Servers,
  { packages, directory }: { readonly packages: string; readonly directory: string },
): Promise<System> {
  const { job, usesPostgres } = SPECS[name] ?? { job: 'approval', usesPostgres: true };
  const database = `peer_${name.toLowerCase()}`;
  await ensureDatabase(servers.postgres, database);
  const databaseUrl = servers.postgres.url(database);
  const own = join(directory, database);
  mkdirSync(own);
  const logFile = `${own}.log`;
  const log = openSync(logFile, 'w');
  const child = fork(
    fileURLToPath(new URL('./peer-process.js', import.meta.url)),
    [name, packages, databaseUrl, own, servers.temporal.address],
    { env: ENVIRONMENT, stdio: ['ignore', log, log, 'ipc'] },
  );
  closeSync(log);
  const next = async <T>() => (await answer(child, { name, logFile })) as T;
  const started = await next<Record<string, number>>();
  return {
    name,
    ...(usesPostgres && { databaseUrl }),
    processes: {
      ...{ 'library and callers': child.pid ?? 0, ...started },
      ...(name === 'floor' && { Temporal: servers.temporal.pid() ?? 0 }),
    },
    jobs: {
      [job]: (load: JobLoad): Promise<Turn> =>
        Promise.resolve({
          run: async () => {
            child.send(load);
            return await next<Measured>();
          },
        }),
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
