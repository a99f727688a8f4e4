/** Countersign as a system: the service as its users run it, called over HTTP with credentials. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { ensureDatabase } from '../../src/local/embedded-postgres.ts';
import { freePort } from '../../src/local/processes.ts';
import { setupTemporal } from '../../temporal/setup.ts';
import { measureFor } from '../frame/load.ts';
import { DECISION } from '../peers/peer.ts';
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
import type { System, Work } from './system.ts';
import type { Variant } from './variants.ts';

export async function startCountersign(
  variant: Variant,
  servers: Servers,
  { directory, work }: { readonly directory: string; readonly work: Work },
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
  return {
    name,
    databaseUrl,
    processes: {
      [worker ? 'API' : 'service']: api.process.pid ?? 0,
      ...(worker && { worker: worker.process.pid ?? 0 }),
      ...(variant.temporalAddress === undefined && {
        Temporal: servers.temporal.pid() ?? 0,
      }),
      callers: process.pid,
    },
    run: async (load) => {
      const measured = await measureFor(() => WORK[work](parties), load);
      await settle(connection, key, db);
      return measured;
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

const WORK: Readonly<Record<Work, (parties: Parties) => Promise<void>>> = {
  person: async ({ adapter, owner }) => {
    const id = String((await ask(adapter, 'slow'))['id']);
    await decide(owner, id);
    const { body } = await expectStatus(200, adapter(`GET /api/aap/v1/requests/${id}`));
    if (body['status'] !== DECISION) throw new Error(`expected approval: ${JSON.stringify(body)}`);
  },
  rule: async ({ adapter }) => {
    await ask(adapter, 'fast');
  },
};
