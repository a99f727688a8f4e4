/** Locks of `migrate`: one process at a time, and which other process keeps it from a table. */
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../platform/operator-error.ts';
import type { Db } from '../platform/postgres.ts';
import { queryOne, queryRow } from '../platform/rows.ts';

const LOCK = `hashtextextended('countersign.migrate', 0)`;
const LOOK_EVERY_MS = 100;
const FIRST_WORDS = 60;

/** A process that holds what a migration waits for. */
export interface Blocker {
  readonly table: string | null;
  /** 0 for a prepared transaction. */
  readonly pid: number;
  readonly applicationName: string | null;
  readonly state: string | null;
  readonly since: Date | null;
  readonly query: string | null;
}

export interface Waiting {
  /** How long it waits for another run. */
  readonly waitForMs: number;
  readonly onProgress?: ((line: string) => void) | undefined;
}

/**
 * Runs the work while no other process migrates this database. The lock is that of the session, and ends with it. It is asked
 * for again and again, and no transaction is open meanwhile: either would hold up the building of indexes. `db` has one
 * connection, which `watched` keeps in use. `work` gets the process of its session. Throws OperatorError when the other run
 * takes longer.
 */
export async function onlyOneAtATime<T>(
  db: Db,
  { waitForMs, onProgress }: Waiting,
  work: (pid: number) => Promise<T>,
): Promise<T> {
  const end = performance.now() + waitForMs;
  for (let told = false; ; told = true) {
    const { free, pid } = await queryOne<{ free: boolean; pid: number }>(
      db,
      `select pg_try_advisory_lock(${LOCK}) as free, pg_backend_pid() as pid`,
    );
    if (free) return await work(pid);
    const isLast = performance.now() > end;
    const holder = isLast || !told ? await otherRun(db) : undefined;
    // It may have ended since, and then the next try gets the lock.
    if (isLast && holder) throw waitedLong(holder, waitForMs);
    if (!told && holder)
      onProgress?.(
        `Another \`migrate\` is at work (${runOf(holder)}). Waiting for its end, for ${waitForMs / 1_000} s at most.`,
      );
    await delay(LOOK_EVERY_MS);
  }
}

interface OtherRun {
  readonly pid: number;
  readonly since: Date | null;
  readonly address: string | null;
}

const runOf = ({ pid, since, address }: OtherRun): string =>
  `process ${pid}${address === null ? '' : ` from ${address}`}${sinceOf(since)}`;

const waitedLong = (holder: OtherRun, waitForMs: number): OperatorError =>
  new OperatorError(
    `Another \`migrate\` (${runOf(holder)}) did not end within ${waitForMs / 1_000} s, and this one changed nothing. ` +
      `Wait for its end, or end it with \`select pg_terminate_backend(${holder.pid})\`, and run \`countersign migrate\` again.`,
  );

async function otherRun(db: Db): Promise<OtherRun | undefined> {
  return await queryRow<OtherRun>(
    db,
    `select l.pid, a.backend_start as since, host(a.client_addr) as address from pg_locks l left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and (cast(l.classid as bigint) << 32) | cast(l.objid as bigint) = ${LOCK}`,
  );
}

const sinceOf = (since: Date | null): string => (since ? ` since ${since.toISOString()}` : '');

/** Whether `db` still has the session that got the lock. Its pool connects again when the session was lost. */
export async function hasLock(db: Db, lockPid: number): Promise<boolean> {
  const { pid } = await queryOne<{ pid: number }>(db, `select pg_backend_pid() as pid`);
  return pid === lockPid;
}

export interface Watched {
  /** The process that does the work. */
  readonly pid: number;
  /** The process of the session that has the lock. */
  readonly lockPid: number;
  readonly seen: (blocker: Blocker) => void;
}

/**
 * Runs the work, and reports who keeps its process from going on meanwhile. When the lock is lost, it ends that process, because
 * another run may begin.
 */
export async function watched<T>(
  db: Db,
  { pid, lockPid, seen }: Watched,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      // A query of a lost session fails once.
      if (!(await hasLock(db, lockPid).catch(() => false)))
        await db.raw('select pg_terminate_backend(:pid)', { pid });
      const blocker = await blockerOf(db, pid);
      if (blocker) seen(blocker);
    }
  };
  // Where the database is away, the work fails by itself.
  const watching = watch().catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    await watching;
  }
}

/** Of several, the one whose transaction is the oldest: the others wait behind it, or will end first. */
async function blockerOf(db: Db, pid: number): Promise<Blocker | undefined> {
  return await queryRow<Blocker>(
    db,
    `select cast(cast(coalesce(waiting.relation, row_of.relation) as regclass) as text) as table, blocker.pid,
            a.application_name, a.state, a.xact_start as since,
            left(regexp_replace(a.query, '\\s+', ' ', 'g'), ${FIRST_WORDS}) as query
       from pg_locks waiting
       cross join unnest(pg_blocking_pids(waiting.pid)) as blocker (pid)
       left join pg_stat_activity a on a.pid = blocker.pid
       -- A wait for a row is one for the transaction that changed it. The lock of the row names the table.
       left join lateral (select relation from pg_locks where pid = waiting.pid and locktype = 'tuple' limit 1) row_of on true
      where waiting.pid = :pid and not waiting.granted
      order by a.xact_start nulls last limit 1`,
    { pid },
  );
}

export function givenUp(
  blocker: Blocker | undefined,
  {
    name,
    done,
    of,
    transaction,
    afterMs,
  }: {
    readonly name: string;
    readonly done: number;
    readonly of: number;
    readonly transaction: boolean;
    readonly afterMs: number;
  },
): OperatorError {
  const what = blocker?.table ?? 'what it changes';
  const state = transaction
    ? 'this one changed nothing'
    : 'what this one did so far stays, and it goes on from there';
  return new OperatorError(
    `Migration ${name} got no lock on ${what} for ${afterMs / 1_000} s. ${nameOf(blocker)} ` +
      `${done} of ${of} migrations ran, and ${state}. ` +
      'Wait until that process has finished, or end it, and run `countersign migrate` again.',
  );
}

function nameOf(blocker: Blocker | undefined): string {
  if (!blocker) return 'Other processes hold it now and then.';
  const { pid, applicationName, state, since, query } = blocker;
  if (pid === 0) return 'A prepared transaction holds it: `select * from pg_prepared_xacts`.';
  const who = `Process ${pid}${applicationName ? ` (${applicationName})` : ''}`;
  // Postgres shows the statements of other roles only to pg_read_all_stats.
  const doing = state === null ? '' : `, ${state}`;
  return `${who} holds it${sinceOf(since)}${doing}: ${query ?? 'its statement is hidden'}…`.replace(
    /[.…]*$/,
    '.',
  );
}
