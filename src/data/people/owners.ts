/** The active owners of organizations. */
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

export interface Owner {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
}

/** Each once, the earliest member first. */
export async function listOwners(
  db: Db,
  organizationIds: readonly string[],
): Promise<readonly Owner[]> {
  return await queryRows<Owner>(
    db,
    `select m.organization_id, m.id as membership_id, u.id as user_id, u.email, u.display_name
       from memberships m
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where m.organization_id = any (cast(:organizationIds as uuid[])) and m.status = 'active' and o.deleted_at is null
        and exists (select from permission_policies p where p.membership_id = m.id and p.is_owner)
      order by m.created_at, m.id`,
    { organizationIds },
  );
}
