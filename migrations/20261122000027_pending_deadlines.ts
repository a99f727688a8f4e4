/** The queue by deadline: waiting requests, the one that expires first before the others. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index approval_requests_pending_deadline_idx on approval_requests (organization_id, deadline_at, id)
      where state = 'pending';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index approval_requests_pending_deadline_idx');
}
