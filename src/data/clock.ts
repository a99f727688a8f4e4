/** The database's clock, which decides everything about requests. */
import type { Db } from '../platform/postgres.ts';
import { queryRow } from '../platform/rows.ts';

export async function readClock(db: Db): Promise<Date> {
  const row = await queryRow<{ now: Date }>(db, 'select clock_timestamp() as now');
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
