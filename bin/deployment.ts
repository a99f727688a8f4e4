/** What a process says of itself and of its servers: to /health/ready, and to people who run it. */
import { readClock, requireWritable } from '../src/data/clock.ts';
import { pendingMigrations } from '../src/data/migrate.ts';
import type { Config } from '../src/platform/config.ts';
import { packageVersion } from '../src/platform/package-root.ts';
import { isReadOnly, type Db } from '../src/platform/postgres.ts';
import type { Deployment } from '../src/services/ports.ts';
import type { Probes } from '../src/services/probes.ts';
import { workflowIdOf } from '../temporal/ids.ts';
import type { TemporalLink } from '../temporal/worker.ts';

const MAX_CLOCK_DIFFERENCE_MS = 1_000;

/** `link`: to Temporal, once there is one. */
export function deploymentOf(
  { temporalUiUrl, temporalNamespace }: Config,
  db: Db,
  link: () => TemporalLink | undefined,
): Deployment {
  const base = temporalUiUrl?.replace(/\/+$/, '');
  return {
    version: packageVersion(),
    probes: () => {
      const temporal = link();
      return temporal ? probes(db, temporal) : {};
    },
    temporal: async () => (await link()?.facts()) ?? {},
    workflowsUrl: base && `${base}/namespaces/${temporalNamespace}/workflows/${workflowIdOf('')}`,
  };
}

export function probes(db: Db, temporal: TemporalLink): Probes {
  return {
    database: async () => {
      const before = Date.now();
      const clock = (await readClock(db)).getTime();
      // Compares with the middle of the read. A slow read says nothing about the clock.
      const difference = Math.max(before - clock, clock - Date.now());
      try {
        await requireWritable(db);
      } catch (error) {
        if (!isReadOnly(error)) throw error;
        return 'it is read-only: a standby, or default_transaction_read_only is on';
      }
      return difference > MAX_CLOCK_DIFFERENCE_MS
        ? `its clock is ${difference} ms off this process's`
        : undefined;
    },
    migrations: async () => {
      const pending = await pendingMigrations(db);
      return pending.length > 0 ? `not run yet: ${pending.join(', ')}` : undefined;
    },
    temporal: temporal.probe,
  };
}
