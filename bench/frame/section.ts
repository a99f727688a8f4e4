/** A section measures one service by itself: this build as its users run it, with servers of its own. */
import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { testAuthority } from '../../test/support/servers/aap-receiver.ts';
import { freePort } from '../../src/local/processes.ts';
import { say } from './say.ts';
import { furnish, settle, startServers } from './servers.ts';
import { introduce, startService, stopEmail, type BenchService, type Parties } from './service.ts';

const NAMESPACE = 'countersign';

export interface Bench {
  readonly parties: Parties;
  readonly service: BenchService;
  readonly db: pg.Client;
  /** For data and logs. */
  readonly directory: string;
  /** So many of `usual` as this run takes. */
  readonly countOf: (usual: number) => number;
}

export interface Figure {
  readonly what: string;
  readonly measured: number | string;
  readonly target: string;
}

export type Section = (bench: Bench) => Promise<readonly Figure[]>;

/** One after the other, on one service. */
export async function runSections(
  parent: string,
  {
    sections,
    share,
  }: {
    readonly sections: readonly (readonly [name: string, Section])[];
    readonly share: number;
  },
): Promise<readonly Figure[]> {
  const directory = join(parent, 'sections');
  mkdirSync(directory);
  const servers = await startServers(directory);
  const { databaseUrl, namespace } = await furnish(servers, NAMESPACE);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  const authority = join(directory, 'authority.pem');
  writeFileSync(authority, testAuthority.cert);
  const service = await startService({
    environment: { NODE_EXTRA_CA_CERTS: authority },
    directory,
    databaseUrl,
    temporalAddress: servers.temporal.address,
    port: await freePort(),
  });
  try {
    const parties = await introduce(service);
    await stopEmail(db);
    const countOf = (usual: number) => Math.max(1, Math.round(usual * share));
    const all: Figure[] = [];
    for (const [name, section] of sections) {
      say(name);
      await settle(servers.connection, namespace, db);
      const figures = await section({ parties, service, db, directory, countOf });
      console.table(figures);
      all.push(...figures);
    }
    return all;
  } finally {
    await service.stop();
    await db.end();
    await servers.stop();
  }
}
