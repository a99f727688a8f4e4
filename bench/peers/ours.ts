/** Countersign as a system: the service as its users run it, called over HTTP with credentials. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../src/local/processes.ts';
import { measureFor } from '../load.ts';
import { furnish, settle, type Servers } from '../servers.ts';
import {
  ask,
  decide,
  expectStatus,
  introduce,
  startService,
  stopEmail,
  type Parties,
} from '../service.ts';
import { DECISION } from './peer.ts';
import type { System } from './system.ts';

export interface Mode {
  readonly name: string;
  /** Also names its database, namespace and folder. */
  readonly key: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The first is what ratios are to. */
export const MODES: readonly Mode[] = [
  { name: 'Countersign', key: 'countersign', environment: {} },
  {
    name: 'Countersign, rules at the door',
    key: 'countersign-door',
    environment: { COUNTERSIGN_RULES: 'door' },
  },
];

export async function startOurs(mode: Mode, servers: Servers, directory: string): Promise<System> {
  const { databaseUrl, namespace } = await furnish(servers, mode.key);
  const own = join(directory, mode.key);
  mkdirSync(own);
  const service = await startService({
    directory: own,
    databaseUrl,
    temporalAddress: servers.temporal.address,
    port: await freePort(),
    environment: { TEMPORAL_NAMESPACE: namespace, ...mode.environment },
  });
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await stopEmail(db);
  const parties = await introduce(service);
  return {
    name: mode.name,
    databaseUrl,
    processes: {
      service: service.process.pid ?? 0,
      Temporal: servers.temporal.servers[0]?.pid() ?? 0,
      callers: process.pid,
    },
    run: async (load) => {
      const measured = await measureFor(() => approve(parties), load);
      await settle(servers.connection, namespace, db);
      return measured;
    },
    stop: async () => {
      await db.end();
      await service.stop();
    },
  };
}

async function approve({ adapter, owner }: Parties): Promise<void> {
  const id = String((await ask(adapter, 'slow'))['id']);
  await decide(owner, id);
  const { body } = await expectStatus(200, adapter(`GET /api/aap/v1/requests/${id}`));
  if (body['status'] !== DECISION) throw new Error(`expected approval: ${JSON.stringify(body)}`);
}
