/**
 * Connections to Postgres: a Knex pool per purpose, and the value types of query results. What pg and Knex do not document
 * stays in this file; `test/platform/database/drivers.test.ts` fails when they change it.
 */
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { prepareSession, type SessionLimits } from './database/sessions.ts';

// Exact JSON: a `json` column is read as its source text, never as JavaScript values. int8 counts fit a double here.
pg.types.setTypeParser(pg.types.builtins.JSON, (text: string) => text);
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A pool or a transaction: for functions that work in either. */
export type Db = Knex;

/**
 * A transaction, to which no pool can be assigned: for functions that lock until its end, rely on
 * locks of their caller, or write what must be committed together.
 */
export type Trx = Knex.Transaction;

declare const pool: unique symbol;

/**
 * A pool, to which no transaction can be assigned. Taking a second connection inside a transaction
 * can exhaust the pool for good.
 */
export type Pool = Knex & { readonly [pool]: true };

export interface PoolOptions extends SessionLimits {
  readonly connectionString: string;
  readonly max: number;
  /** Shown in `pg_stat_activity`, so that an operator sees which pool a connection belongs to. */
  readonly applicationName: string;
  /** For a new connection. A caller waits twice as long for one of the pool. Default 5 s. */
  readonly connectTimeoutMs?: number | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;

export function openPool({
  connectionString,
  max,
  applicationName,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  ...limits
}: PoolOptions): Pool {
  return knex({
    client: 'pg',
    connection: {
      connectionString,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    },
    pool: { min: 0, max, acquireTimeoutMillis: 2 * connectTimeoutMs, ...renewing(limits) },
    // Knex would print lost connections to the console. Our code logs the calls that fail because
    // of them.
    log: { warn: ignore, error: ignore },
  }) as Pool;
}

/**
 * Connections are replaced before their next use after an error that another connection may not
 * have. One that is read-only ends all of its time: the address leads to another server now.
 */
function renewing(limits: SessionLimits): Knex.PoolConfig {
  let generation = 0;
  const fit = new WeakMap<pg.Client, number>();
  const prepare = async (client: pg.Client): Promise<void> => {
    const born = generation;
    fit.set(client, born);
    // Every error that the server reports on this connection passes here, also one that is caught.
    client.connection.on('errorMessage', ({ code = '' }: { readonly code?: string }) => {
      if (UNAVAILABLE_SQLSTATE.test(code) && !ROLLED_BACK.test(code)) fit.delete(client);
      if (code === READ_ONLY && born === generation) generation += 1;
    });
    try {
      await prepareSession(client, limits);
    } catch (error) {
      // Knex does not close what it never had.
      client.end().catch(ignore);
      throw error;
    }
  };
  return {
    afterCreate: (client: pg.Client, done: (error?: unknown) => void) => {
      prepare(client).then(() => {
        done();
      }, done);
    },
    validate: (client: pg.Client) => fit.get(client) === generation,
  };
}

const ignore = (): void => undefined;

const UNAVAILABLE_NODE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

const READ_ONLY = '25006';

/** Serialization failures and deadlocks: another transaction went first. The connection is sound. */
const ROLLED_BACK = /^40/;

/**
 * 08 connection, 25006 read-only, 25P03 and 25P04 cut off in a transaction, 28 and 3D000 not admitted, 40 rolled back,
 * 53 resources, 55P03 lock not granted, 57 canceled, shutdown or crash, 58 input and output.
 */
const UNAVAILABLE_SQLSTATE = /^(08|25006|25P0[34]|28|3D000|40|53|55P03|57|58)/;

/**
 * True when the error means that the database is away, refuses connections or cannot write now, and
 * not that a statement is wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  if (error.name === 'KnexTimeoutError') return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (
    UNAVAILABLE_NODE_CODES.has(code) ||
    isMissingSocket(error, code) ||
    UNAVAILABLE_SQLSTATE.test(code)
  )
    return true;
  // When a connection breaks during a statement, the driver has no code, only these sentences.
  return /connection terminated|connection ended|timeout expired|client has encountered a connection error/i.test(
    error.message,
  );
}

/** A standby, or a database that an operator made read-only. */
export function isReadOnly(error: unknown): boolean {
  return isErrorLike(error) && 'code' in error && error.code === READ_ONLY;
}

/** No server listens at a Unix socket. ENOENT of anything else is a missing file. */
function isMissingSocket(error: Error, code: string): boolean {
  return code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
}

/** The name of the constraint that a statement violated, if the error has one. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!isErrorLike(error) || !('constraint' in error)) return undefined;
  return typeof error.constraint === 'string' ? error.constraint : undefined;
}

/** An Error of any realm: those of Node's core fail `instanceof` inside a test runner's context. */
function isErrorLike(error: unknown): error is Error {
  return (
    typeof error === 'object' &&
    error !== null &&
    'name' in error &&
    'message' in error &&
    typeof error.message === 'string'
  );
}
