/** The database's clock, which decides everything about requests. */
import type { Db } from '../platform/postgres.ts';
import { queryOne } from '../platform/rows.ts';

export async function readClock(db: Db): Promise<Date> {
  const row = await queryOne<{ now: Date }>(db, 'select clock_timestamp() as now');
  return row.now;
}
