/** Countersign as a system: the service as its users run it, called over HTTP with credentials. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { ensureDatabase } from '../../src/local/embedded-postgres.ts';
import { freePort } from '../../src/local/processes.ts';
import { setupTemporal } from '../../temporal/setup.ts';
import { measureFor } from '../frame/load.ts';
import { settle, type Servers } from '../frame/servers.ts';
import {
  ask,
  decide,
  expectStatus,
  introduce,
  migrate,
  startService,
  stopEmail,
  type BenchService,
  type Parties,
  type ServiceOptions,
} from '../frame/service.ts';
import { levelsJob } from './levels.ts';
import type { Job, System } from './system.ts';
import type { Variant } from './variants.ts';

export async function startCountersign(
  variant: Variant & { readonly key: string },
  servers: Servers,
  directory: string,
): Promise<System> {
  const { key, name, temporalAddress = servers.temporal.address } = variant;
  await ensureDatabase(servers.postgres, key);
  const databaseUrl = servers.postgres.url(key);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  if (variant.databaseSetting !== undefined)
    await db.query(`alter database "${key}" set ${variant.databaseSetting}`);
  const connection = await Connection.connect({ address: temporalAddress });
  await setupTemporal(connection, key);
  const own = join(directory, key);
  mkdirSync(own);
  const { api, worker } = await startProcesses(variant, {
    ...variant,
    directory: own,
    databaseUrl,
    temporalAddress,
    port: await freePort(),
    environment: { TEMPORAL_NAMESPACE: key, ...variant.environment },
  });
  await stopEmail(db);
  const parties = await introduce(api);
  const settled = () => settle(connection, key, db);
  return {
    name,
    databaseUrl,
    processes: {
      [worker ? 'API' : 'service']: api.process.pid ?? 0,
      ...(worker && { worker: worker.process.pid ?? 0 }),
      ...(variant.temporalAddress === undefined && { Temporal: servers.temporal.pid() ?? 0 }),
      callers: process.pid,
    },
    jobs: {
      rule: callsJob(() => ask(parties.adapter, 'fast'), settled),
      approval: callsJob(() => approve(parties), settled),
      levels: levelsJob(api, parties, { db, settled }),
    },
    stop: async () => {
      await Promise.all([db.end(), api.stop(), worker?.stop()]);
      await connection.close();
    },
  };
}

async function startProcesses(
  { apart = false }: Variant,
  options: ServiceOptions,
): Promise<{ readonly api: BenchService; readonly worker?: BenchService }> {
  if (!apart) return { api: await startService(options) };
  migrate(options);
  const worker = await startService({ ...options, command: 'worker', port: await freePort() });
  return { api: await startService({ ...options, command: 'api' }), worker };
}

/** `settled` resolves when the workflows of all calls have ended. */
function callsJob(call: () => Promise<unknown>, settled: () => Promise<void>): Job {
  return (load) =>
    Promise.resolve({
      run: async () => {
        const measured = await measureFor(call, load);
        await settled();
        return measured;
      },
    });
}

async function approve({ adapter, owner }: Parties): Promise<void> {
  const path = `/api/aap/v1/requests/${String((await ask(adapter, 'slow'))['id'])}`;
  const waiting = expectStatus(200, adapter(`GET ${path}?wait=30s`));
  await decide(owner, path.slice(path.lastIndexOf('/') + 1));
  const { body } = await waiting;
  if (body['status'] !== 'approved') throw new Error(`expected approval: ${JSON.stringify(body)}`);
}
