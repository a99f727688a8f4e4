/** What every connection to Postgres has, whatever the defaults of its role and database are. */
import type pg from 'pg';

/**
 * `search_path` is not among them: it says where the tables are. Neither are `statement_timeout` and
 * `default_transaction_read_only`, with which operators hold a database back.
 */
const SETTINGS = {
  // The driver decodes and parses these forms alone.
  client_encoding: 'UTF8',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // Our statements are written for these.
  timezone: 'UTC',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  // A clock read after a lock, and the rows read after it, must be newer than the lock.
  default_transaction_isolation: 'read committed',
  // Connections rest in a pool, and one listens.
  idle_session_timeout: '0',
};

/** Settings in addition to those, in milliseconds. */
export interface SessionLimits {
  /** Longest wait for a lock, and longest pause inside a transaction. Default: no limit. */
  readonly lockTimeoutMs?: number | undefined;
  readonly idleInTransactionMs?: number | undefined;
}

/**
 * One statement after connecting, not startup parameters: poolers refuse those that they do not know.
 */
export async function prepareSession(client: pg.Client, limits: SessionLimits = {}): Promise<void> {
  const settings = {
    ...SETTINGS,
    lock_timeout: String(limits.lockTimeoutMs ?? 0),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs ?? 0),
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  await client.query(`select ${calls.join(', ')}`);
}
