/** Seats of an organization: members that are not removed, and pending invitations. */
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';
import { PENDING } from './invitations.ts';

/** How many seats are taken now, by the database's clock. */
export async function countSeats(db: Db, organizationId: string): Promise<number> {
  const row = await queryOne<{ used: number }>(
    db,
    `select (select count(*) from memberships where organization_id = :organizationId and status <> 'deprovisioned')
          + (select count(*) from invitations i where i.organization_id = :organizationId and ${PENDING}) as used`,
    { organizationId },
  );
  return row.used;
}
