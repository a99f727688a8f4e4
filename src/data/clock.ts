/** The database's clock, which decides everything about requests. */
import type { Db } from '../platform/postgres.ts';

export async function readClock(db: Db): Promise<Date> {
  const { rows } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
  const [row] = rows;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
