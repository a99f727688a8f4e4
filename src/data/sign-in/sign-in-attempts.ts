/** Counts recent attempts at a password or a code, across all processes. */
import type { Db } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

interface AttemptWindow {
  /** In the current window, including this one. */
  readonly attempts: number;
  readonly secondsLeft: number;
}

/**
 * Counts one attempt in the key's current window, which starts with its first attempt. Purges some
 * expired windows.
 */
export async function countSignInAttempt(
  db: Db,
  key: Buffer,
  windowSeconds = 60,
): Promise<AttemptWindow> {
  const window = await queryRow<AttemptWindow>(
    db,
    `with purged as (
       delete from sign_in_attempts where key in (
         select key from sign_in_attempts
          where window_ends_at < statement_timestamp() and key <> :key
          order by window_ends_at limit 10 for update skip locked)
     )
     insert into sign_in_attempts as a (key, attempts, window_ends_at)
     values (:key, 1, clock_timestamp() + cast(:windowSeconds as integer) * interval '1 second')
     on conflict (key) do update set
       attempts = case when a.window_ends_at > clock_timestamp() then a.attempts + 1 else 1 end,
       window_ends_at = case when a.window_ends_at > clock_timestamp() then a.window_ends_at else excluded.window_ends_at end
     returning a.attempts, cast(greatest(1, ceil(extract(epoch from a.window_ends_at - clock_timestamp()))) as integer) as seconds_left`,
    { key, windowSeconds },
  );
  if (!window) throw new Error('an attempt was not counted');
  return window;
}

/** Takes back attempts that should not count, for each of the keys. */
export async function uncountSignInAttempts(
  db: Db,
  keys: readonly Buffer[],
  count: number,
): Promise<void> {
  await db.raw(
    'update sign_in_attempts set attempts = greatest(attempts - :count, 0) where key = any(cast(:keys as bytea[]))',
    {
      keys: [...keys],
      count,
    },
  );
}

/** Resets the count after a success. */
export async function deleteSignInAttempts(db: Db, key: Buffer): Promise<void> {
  await db('sign_in_attempts').where({ key }).delete();
}
