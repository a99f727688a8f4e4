/** Signatures of recent calls from Slack. */
import type { Db } from '../../../platform/postgres.ts';
import { queryRows } from '../../../platform/rows.ts';

/**
 * Returns false when the signature was used before. Also purges some that are too old to be
 * accepted.
 */
export async function rememberSlackCall(db: Db, signature: Buffer): Promise<boolean> {
  const rows = await queryRows<unknown>(
    db,
    `with purged as (
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
