/** The database's clock: requests are decided by no other. */
import type { Db } from '../platform/postgres.ts';

export async function readClock(db: Db): Promise<Date> {
  const { rows } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
  const [row] = rows;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
