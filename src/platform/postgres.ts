/** Connections to Postgres: a Knex pool per purpose, and the value types of query results. */
import knex, { type Knex } from 'knex';
import pg from 'pg';

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

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  /** Shown in `pg_stat_activity`, so that an operator sees which pool a connection belongs to. */
  readonly applicationName: string;
  /** Longest wait for a lock, and longest pause inside a transaction. Default: no limit. */
  readonly lockTimeoutMs?: number;
  readonly idleInTransactionMs?: number;
}

export function openPool({
  connectionString,
  max,
  applicationName,
  lockTimeoutMs,
  idleInTransactionMs,
}: PoolOptions): Pool {
  return knex({
    client: 'pg',
    connection: {
      connectionString,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
      ...(idleInTransactionMs !== undefined && {
        idle_in_transaction_session_timeout: idleInTransactionMs,
      }),
    },
    pool: { min: 0, max, acquireTimeoutMillis: 10_000 },
    // Knex would print lost connections to the console. Our code logs the calls that fail because
    // of them.
    log: { warn: ignore, error: ignore },
  }) as Pool;
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

/**
 * True when the error means that the database is away or refuses connections, and not that a
 * statement is wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  if (error.name === 'KnexTimeoutError') return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // SQLSTATE: 08 connection, 25P03 cut off in a transaction, 40 deadlock, 53 resources, 55P03 lock not granted, 57P shutdown or crash.
  if (
    UNAVAILABLE_NODE_CODES.has(code) ||
    isMissingSocket(error, code) ||
    /^(08|25P03|40|53|55P03|57P)/.test(code)
  )
    return true;
  // When a connection breaks during a statement, the driver has no code, only these sentences.
  return /connection terminated|connection ended|timeout expired|client has encountered a connection error/i.test(
    error.message,
  );
}

/** No server behind a Unix socket. ENOENT of anything else is a missing file. */
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
