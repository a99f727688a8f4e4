/** The demo agent of an organization, which has at most one. */
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';
import { nameKey } from '../names.ts';
import { wasRemoved } from './agents.ts';

export async function findDemoSlug(db: Db, organizationId: string): Promise<string | undefined> {
  const row = await queryRow<{ slug: string }>(
    db,
    'select slug from agents where organization_id = :organizationId and demo',
    { organizationId },
  );
  return row?.slug;
}

const numbered = (text: string, separator: string) =>
  `'${text}' || case when n > 1 then '${separator}' || n else '' end`;
const SLUG = numbered('demo-agent', '-');
const NAME = numbered('Demo agent', ' ');

/** The first slug that no agent ever had, and the first name that is free. Call it with access locked. */
export async function findFreeDemoName(
  trx: Trx,
  organizationId: string,
): Promise<{ readonly slug: string; readonly name: string }> {
  return await queryOne(
    trx,
    `with recursive slugs (n) as (
       select 1
       union all
       select n + 1 from slugs
        where exists (select from agents a where a.organization_id = :organizationId and a.slug = ${SLUG}) or ${wasRemoved(SLUG)}
     ), names (n) as (
       select 1
       union all
       select n + 1 from names
        where exists (select from agents a
                       where a.organization_id = :organizationId and a.status <> 'archived' and ${nameKey('a.name')} = ${nameKey(NAME)})
     )
     select (select ${SLUG} from slugs order by n desc limit 1) as slug,
            (select ${NAME} from names order by n desc limit 1) as name`,
    { organizationId },
  );
}

/** The first instance of the demo agent that may call. */
export async function findDemoInstanceId(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<string | undefined> {
  const row = await queryRow<{ id: string }>(
    trx,
    `select id from agent_instances
      where organization_id = :organizationId and agent_slug = :slug and status = 'active' and deleted_at is null
      order by created_at, id limit 1`,
    { organizationId, slug },
  );
  return row?.id;
}

/** Credentials of an instance that are not revoked. */
export async function listUnrevoked(trx: Trx, instanceId: string): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string }>(
    trx,
    'select id from agent_credentials where agent_instance_id = :instanceId and revoked_at is null order by id',
    { instanceId },
  );
  return rows.map(({ id }) => id);
}
