/**
 * The requests of an organization that reached no person, in the order of their creation, for
 * simulations of rules. Another index has those that did.
 */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index approval_requests_ruled_idx on approval_requests (organization_id, created_at desc, id desc)
      where routed_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index approval_requests_ruled_idx');
}
