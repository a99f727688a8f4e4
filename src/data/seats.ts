/** Seats of an organization: members who were not removed, and invitations that can still be accepted. */
import type { Db } from '../platform/postgres.ts';

/** Waits for everybody who is about to take a seat, and makes the others wait for this transaction. */
export async function lockSeats(trx: Db, organizationId: string): Promise<void> {
  await trx.raw('select 1 from organizations where id = :organizationId for no key update', { organizationId });
}

/** How many seats are taken now, by the database's clock. */
export async function countSeats(db: Db, organizationId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { used: number }[] }>(
    `select (select count(*) from memberships where organization_id = :organizationId and status <> 'deprovisioned')
          + (select count(*) from invitations
              where organization_id = :organizationId and accepted_at is null and revoked_at is null
                and expires_at > clock_timestamp()) as used`,
    { organizationId },
  );
  return rows[0]?.used ?? 0;
}
