/** What a process says of itself and of its servers: to /health/ready, and to people who run it. */
import { readClock, requireWritable } from '../src/data/clock.ts';
import { readConnectionRoom } from '../src/data/connections.ts';
import { listRefusals } from '../src/data/audit/signed-ends.ts';
import { newerMigrations, pendingMigrations } from '../src/data/migrate.ts';
import type { Config } from '../src/platform/config.ts';
import type { Logger } from '../src/platform/logger.ts';
import { packageVersion } from '../src/platform/package-root.ts';
import { isReadOnly, type Db } from '../src/platform/postgres.ts';
import type { SignedEnds } from '../src/services/audit/signed-ends.ts';
import type { Deployment, Probe, Probes } from '../src/services/ports.ts';
import { workflowIdOf } from '../temporal/ids.ts';
import type { TemporalLink } from '../temporal/worker.ts';

const MAX_CLOCK_DIFFERENCE_MS = 1_000;
/** Counting refused audit logs stops here. */
const MOST = 100;

const notSigned = (count: number): string =>
  `${count === 1 ? '1 audit log does' : `${count} audit logs do`} not extend what was signed last, so nothing of it is signed; the log of a process with a worker says why`;
const notKept = (reason: string): string =>
  `nothing in the audit log is signed, because what is signed cannot be kept: ${reason}`;
const NOT_KEPT_ELSEWHERE =
  'another process with a worker cannot read or write its file; its log and its /health/ready name the file';

/** A process without a worker learns it from the database. */
async function auditProblem(db: Db, signedEnds: SignedEnds): Promise<string | undefined> {
  const { failure } = signedEnds;
  const refusals =
    signedEnds.refused.size > 0
      ? [...signedEnds.refused.values()]
      : await listRefusals(db, { limit: MOST });
  const changed = refusals.filter(({ cause }) => cause === 'log_changed').length;
  const isElsewhere = !failure && changed < refusals.length;
  const problems = [
    ...(changed > 0 ? [notSigned(changed)] : []),
    ...(failure ? [notKept(failure.message)] : isElsewhere ? [notKept(NOT_KEPT_ELSEWHERE)] : []),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** What probes look at. */
export interface Probed {
  readonly db: Db;
  /** Of `schemaProbe`. */
  readonly schema: Probe;
  /** Of `connectionsProbe`. */
  readonly connections: Probe;
  readonly signedEnds: SignedEnds;
}

/** `link`: to Temporal, once there is one. */
export function deploymentOf(
  { temporalUiUrl, temporalNamespace }: Config,
  probed: Probed,
  link: () => TemporalLink | undefined,
): Deployment {
  const base = temporalUiUrl?.replace(/\/+$/, '');
  return {
    version: packageVersion(),
    probes: () => {
      const temporal = link();
      return temporal ? probes(probed, temporal) : {};
    },
    temporal: async () => (await link()?.facts()) ?? {},
    workflowsUrl: base && `${base}/namespaces/${temporalNamespace}/workflows/${workflowIdOf('')}`,
  };
}

export function probes(
  { db, schema, connections, signedEnds }: Probed,
  temporal: TemporalLink,
): Probes {
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
        : await connections();
    },
    migrations: schema,
    temporal: temporal.probe,
    audit: async () => {
      const problem = await auditProblem(db, signedEnds);
      return problem === undefined ? undefined : { degraded: problem };
    },
  };
}

/** In addition to its pools: three to send messages, one to hear of changes, and one for a command. */
const OTHER_CONNECTIONS = 5;

/** Whether all processes together may open more connections than the server allows. The log says so when that is found. */
export function connectionsProbe(
  db: Db,
  { databasePool, workerPool }: Pick<Config, 'databasePool' | 'workerPool'>,
  logger: Logger,
): Probe {
  const each = databasePool + workerPool + OTHER_CONNECTIONS;
  let told: string | undefined;
  const probe: Probe = async () => {
    const { processes, allowed } = await readConnectionRoom(db);
    const degraded = connectionsProblem({ processes, allowed, each });
    if (degraded !== undefined && degraded !== told) logger.warn(degraded);
    told = degraded;
    return degraded === undefined ? undefined : { degraded };
  };
  return probe;
}

export function connectionsProblem({
  processes,
  allowed,
  each,
}: {
  readonly processes: number;
  readonly allowed: number;
  /** Most of one process. */
  readonly each: number;
}): string | undefined {
  if (processes * each <= allowed) return undefined;
  const many = processes === 1 ? '1 process' : `${processes} processes`;
  return `${many} may open ${processes * each} connections, and Postgres allows ${allowed}. Raise max_connections, or lower COUNTERSIGN_DATABASE_POOL and COUNTERSIGN_WORKER_POOL.`;
}

/**
 * A schema that lacks something is a problem. One that is newer is not: it is what a rolling upgrade begins with. The log says so
 * once, at the start or when it is found.
 */
export function schemaProbe(db: Db, logger: Logger): Probe {
  let told = false;
  const probe: Probe = async () => {
    const [pending, newer] = await Promise.all([pendingMigrations(db), newerMigrations(db)]);
    if (newer.length > 0 && !told) {
      told = true;
      logger.warn(
        { migrations: newer },
        'the schema of the database is newer than this process; the process goes on, and should be replaced by the newer version',
      );
    }
    return pending.length > 0 ? `not run yet: ${pending.join(', ')}` : undefined;
  };
  void probe().catch(() => undefined);
  return probe;
}
