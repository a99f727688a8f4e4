/** Counts recent attempts at a password or a code, across all processes. */
import type { Db } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

interface AttemptWindow {
  /** In the current window, including this one. */
  readonly attempts: number;
  readonly secondsLeft: number;
}

/**
 * Counts one attempt in the current window of each key, which starts with its first attempt. Returns the window with the most
 * attempts. Purges some expired windows.
 */
export async function incrementSignInAttempts(
  db: Db,
  keys: readonly Buffer[],
  windowSeconds = 60,
): Promise<AttemptWindow> {
  const window = await queryRow<AttemptWindow>(
    db,
    `with purged as (
       delete from sign_in_attempts where key in (
         select key from sign_in_attempts
          where window_ends_at < statement_timestamp() and key <> all (cast(:keys as bytea[]))
          order by window_ends_at limit 10 for update skip locked)
     ), counted as (
       insert into sign_in_attempts as a (key, attempts, window_ends_at)
       select key, 1, clock_timestamp() + cast(:windowSeconds as integer) * interval '1 second'
         from unnest(cast(:keys as bytea[])) as k (key) order by key
       on conflict (key) do update set
         attempts = case when a.window_ends_at > clock_timestamp() then a.attempts + 1 else 1 end,
         window_ends_at = case when a.window_ends_at > clock_timestamp() then a.window_ends_at else excluded.window_ends_at end
       returning a.attempts, a.window_ends_at
     )
     select attempts, cast(greatest(1, ceil(extract(epoch from window_ends_at - clock_timestamp()))) as integer) as seconds_left
       from counted order by attempts desc limit 1`,
    { keys: [...keys], windowSeconds },
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
