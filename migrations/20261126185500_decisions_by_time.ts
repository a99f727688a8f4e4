/** The figures of an overview read the newest decisions of an organization. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index decisions_decided_idx on decisions (organization_id, decided_at);
    drop index decisions_organization_id_idx;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    create index decisions_organization_id_idx on decisions (organization_id);
    drop index decisions_decided_idx;
  `);
}
