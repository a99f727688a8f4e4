/** Which organizations get their newest checkpoint by email, and when. */
import type { Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/**
 * Takes some organizations whose last email, or whose creation, is a week ago, and that have a checkpoint. They count as mailed
 * from the commit on. `floor`: the clock is never before it.
 */
export async function takeDueCheckpointMails(
  trx: Trx,
  { limit, floor }: { readonly limit: number; readonly floor: Date | undefined },
): Promise<readonly string[]> {
  const rows = await queryRows<{ organizationId: string }>(
    trx,
    `with clock as materialized (select greatest(clock_timestamp(), cast(:floor as timestamptz)) as now),
     due as materialized (
       select o.id from organizations o cross join clock
         left join audit_checkpoint_mails m on m.organization_id = o.id
        where o.deleted_at is null and coalesce(m.mailed_at, o.created_at) <= clock.now - interval '7 days'
          and exists (select from audit_checkpoints p where p.organization_id = o.id)
        order by coalesce(m.mailed_at, o.created_at), o.id limit :limit for no key update of o skip locked
     )
     insert into audit_checkpoint_mails (organization_id, mailed_at) select id, clock.now from due cross join clock
     on conflict (organization_id) do update set mailed_at = excluded.mailed_at
     returning organization_id`,
    { limit, floor: floor?.toISOString() ?? null },
  );
  return rows.map(({ organizationId }) => organizationId);
}
