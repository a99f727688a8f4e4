/** Requests whose next step is late, without waiting for it. */
import type { TestApp } from '../app.ts';

/**
 * As if the wait of each request had ended this long ago, and no process had stepped it. `wakes`:
 * the reconciler looks after it.
 */
export async function makeLate(
  { db }: TestApp,
  ids: readonly string[],
  { ms, wakes }: { readonly ms: number; readonly wakes: boolean },
): Promise<void> {
  const at = new Date(Date.now() - ms);
  const since = new Date(at.getTime() - 1_800_000);
  await db.raw(
    `update approval_requests r
        set walk = cast(jsonb_set(jsonb_set(cast(r.walk as jsonb), '{since}', to_jsonb(cast(:since as text))), '{nextAt}', to_jsonb(cast(:due as text))) as json),
            last_at = least(r.last_at, :at), next_at = :at, wake_at = case when cast(:wakes as boolean) then cast(:at as timestamptz) + interval '1 second' end
      where r.id = any(cast(:ids as uuid[]))`,
    { ids: [...ids], at, wakes, since: since.toISOString(), due: at.toISOString() },
  );
}

/** The clocks of these requests reach the next step of the first one. False when there is none. */
export async function reachNext({ db }: TestApp, ids: readonly string[]): Promise<boolean> {
  const [row] = await db('approval_requests').where({ id: ids[0] }).select('next_at');
  const { next_at: next } = row as Readonly<Record<string, Date | null>>;
  if (!next) return false;
  await db('approval_requests').whereIn('id', ids).update({ last_at: next });
  return true;
}
