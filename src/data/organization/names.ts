/** The names of ids. Removed members, archived teams and agents, and revoked keys keep theirs. */
import { validate } from 'uuid';
import type { Name } from '../../domain/organization/names.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** In no order. An id can name an agent and something else, since a slug may look like a UUID. */
export async function findNames(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Name[]> {
  return await queryRows<Name>(
    db,
    `select 'member' as kind, cast(m.id as text) as id, u.display_name
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.id = any(cast(:uuids as uuid[]))
     union all
     select 'team', cast(id as text), name from teams
      where organization_id = :organizationId and id = any(cast(:uuids as uuid[]))
     union all
     select 'agent', slug, name from agents
      where organization_id = :organizationId and slug = any(cast(:ids as text[]))
     union all
     select 'agent_instance', cast(id as text), name from agent_instances
      where organization_id = :organizationId and id = any(cast(:uuids as uuid[]))
     union all
     select 'api_key', cast(id as text), name from api_keys
      where organization_id = :organizationId and kind = 'organization' and id = any(cast(:uuids as uuid[]))`,
    { organizationId, ids, uuids: ids.filter((id) => validate(id)) },
  );
}
