/** What a reviewer saw when they decided, so that the record can prove it. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table decisions add column seen_arguments_digest text;
    alter table decisions add constraint decisions_seen_arguments_digest_check
      check (seen_arguments_digest ~ '^[0-9a-f]{64}$') not valid;
    comment on column decisions.seen_arguments_digest is 'SHA-256 of the arguments that the reviewer saw, where the client sent it. It was compared with the request.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table decisions drop column seen_arguments_digest');
}
