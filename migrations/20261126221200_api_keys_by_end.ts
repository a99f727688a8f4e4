/** The keys of an organization that end soon are found without reading the others. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index api_keys_ending_idx on api_keys (organization_id, expires_at) where revoked_at is null and expires_at is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index api_keys_ending_idx');
}
