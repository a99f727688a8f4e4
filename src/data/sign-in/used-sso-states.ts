/** Single sign-ons whose response was used. */
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** Returns false when the state was used before. Also purges some that are long over. */
export async function useSsoState(db: Db, stateHash: Buffer): Promise<boolean> {
  const rows = await queryRows<unknown>(
    db,
    `with purged as (
       delete from used_sso_states where state_hash in (
         select state_hash from used_sso_states where used_at < statement_timestamp() - interval '1 day'
          order by used_at limit 10 for update skip locked)
     )
     insert into used_sso_states (state_hash, used_at) values (:stateHash, clock_timestamp())
     on conflict (state_hash) do nothing returning 1`,
    { stateHash },
  );
  return rows.length > 0;
}
