/** Organizations: the tenants every other row belongs to. */
import type { Db } from '../platform/postgres.ts';

/** Makes everybody who wants to create the first organization wait for the transaction of whoever came first. */
export async function lockBootstrap(trx: Db): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('countersign.bootstrap', 0))`);
}

export async function hasOrganization(db: Db): Promise<boolean> {
  return (await db('organizations').first('id')) !== undefined;
}

export async function insertOrganization(db: Db, organizationId: string, names: { name: string; slug: string }): Promise<void> {
  await db('organizations').insert({ id: organizationId, ...names, created_at: db.raw('clock_timestamp()') });
}

export interface ApiKeyRules {
  readonly personalApiKeysAllowed: boolean;
  /** The database's clock, by which expiry and freshness are judged. */
  readonly now: Date;
}

export async function findApiKeyRules(db: Db, organizationId: string): Promise<ApiKeyRules> {
  const { rows } = await db.raw<{ rows: ApiKeyRules[] }>(
    `select personal_api_keys_allowed as "personalApiKeysAllowed", clock_timestamp() as now
       from organizations where id = :organizationId`,
    { organizationId },
  );
  const [rules] = rows;
  if (!rules) throw new Error('an organization with members is gone');
  return rules;
}
