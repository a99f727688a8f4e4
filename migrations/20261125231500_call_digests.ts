/** Which requests make the same call. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table approval_requests add column call_digest bytea;
    comment on column approval_requests.call_digest is
      'SHA-256 of agent, tool, server and the text of arguments. Null for requests of versions before.';
    create index approval_requests_call_idx on approval_requests (call_digest, state, updated_at)
      where state in ('pending', 'denied') and call_digest is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table approval_requests drop column call_digest');
}
