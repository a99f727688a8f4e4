/** Finds ended credentials, many at once, for calls that are held open. */
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import { LIVE_SESSION } from './sessions.ts';

/**
 * The sessions, API keys and agent credentials among these that ended, or whose holder may not call
 * now.
 */
export async function findEndedCredentials(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await queryRows<{ id: string }>(
    db,
    `select held.id from unnest(cast(:ids as uuid[])) as held (id)
      where not exists (
              select from agent_credentials c
                join agent_instances i on i.id = c.agent_instance_id and i.status = 'active'
                join agents a on a.organization_id = i.organization_id and a.slug = i.agent_slug and a.status = 'active'
                join organizations o on o.id = c.organization_id and o.deleted_at is null
               where c.id = held.id and c.revoked_at is null and c.expires_at > clock_timestamp())
        and not exists (
              select from sessions s
                join memberships m on m.id = s.membership_id and m.status = 'active'
                join organizations o on o.id = m.organization_id and o.deleted_at is null
               where s.id = held.id and ${LIVE_SESSION})
        and not exists (
              select from api_keys k
                join organizations o on o.id = k.organization_id and o.deleted_at is null
                left join memberships m on m.id = k.membership_id
               where k.id = held.id and k.revoked_at is null
                 and coalesce(k.expires_at > clock_timestamp(), true)
                 and (k.kind = 'organization' or (m.status = 'active' and o.personal_api_keys_allowed)))`,
    { ids: [...ids] },
  );
  return rows.map((row) => row.id);
}
