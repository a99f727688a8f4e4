/** The member the message of a press went to, so that a changed link decides for no one else. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table slack_presses add column membership_id uuid;
    comment on column slack_presses.membership_id is
      'The member the message went to, or who opened the form; null for a channel. No foreign key, as for request_id.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table slack_presses drop column membership_id');
}
