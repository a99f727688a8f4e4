/** Signatures of calls from Slack that were taken lately. */
import type { Db } from '../../../platform/postgres.ts';

/** False when the signature was taken before. Also forgets some that are too old to be accepted anyway. */
export async function rememberSlackCall(db: Db, signature: Buffer): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `with forgotten as (
       delete from slack_calls where signature in (
         select signature from slack_calls where seen_at < statement_timestamp() - interval '15 minutes'
          order by seen_at limit 10 for update skip locked)
     )
     insert into slack_calls (signature, seen_at) values (:signature, clock_timestamp())
     on conflict (signature) do nothing returning 1`,
    { signature },
  );
  return rows.length > 0;
}
