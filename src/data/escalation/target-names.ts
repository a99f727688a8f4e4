/** Names of people and teams that levels ask, whether a stored path names them or not. */
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** By membership or team id, longest membership first. Members who left and archived teams keep their names. */
export async function findTargetNames(
  db: Db,
  organizationId: string,
  {
    membershipIds,
    teamIds,
  }: { readonly membershipIds: readonly string[]; readonly teamIds: readonly string[] },
): Promise<Map<string, string>> {
  const rows = await queryRows<{ id: string; name: string }>(
    db,
    `select id, name from (
       select m.id, u.display_name as name, m.created_at
         from memberships m join users u on u.id = m.user_id
        where m.organization_id = :organizationId and m.id = any(cast(:membershipIds as uuid[]))
        union all
       select id, name, created_at from teams where organization_id = :organizationId and id = any(cast(:teamIds as uuid[]))
     ) as t order by created_at, id`,
    { organizationId, membershipIds: [...membershipIds], teamIds: [...teamIds] },
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
