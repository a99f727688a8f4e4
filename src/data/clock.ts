/** The database's clock, which decides everything about requests. */
import type { Db } from '../platform/postgres.ts';
import { queryOne } from '../platform/rows.ts';

export async function readClock(db: Db): Promise<Date> {
  const row = await queryOne<{ now: Date }>(db, 'select clock_timestamp() as now');
  return row.now;
}

/**
 * Throws where nothing can be written now. The error comes from the server, so that the pool replaces
 * the connection.
 */
export async function requireWritable(db: Db): Promise<void> {
  await db.raw(`do $$ begin
    if cast(current_setting('transaction_read_only') as boolean) then
      raise sqlstate '25006' using message = 'the database is read-only';
    end if;
  end $$`);
}
