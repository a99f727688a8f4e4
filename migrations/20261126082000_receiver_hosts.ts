/** Receivers share limits by their host without its port and without a trailing dot. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    update receivers set host = regexp_replace(regexp_replace(host, ':[0-9]+$', ''), '[.]+$', '');
    comment on column receivers.host is 'The host of the URL, without a trailing dot. Receivers with the same one share a limit.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`comment on column receivers.host is 'Host and port of the URL.'`);
}
