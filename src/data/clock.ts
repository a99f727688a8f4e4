/** The database's clock: the only one a request is decided by. */
import type { Db } from '../platform/postgres.ts';

export async function readClock(db: Db): Promise<Date> {
  const { rows } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
  const [row] = rows;
  if (!row) throw new Error('the database told no time');
  return row.now;
}
