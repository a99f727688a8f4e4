/** In which order, and when, a person's channels get the messages about one request. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table notification_steps (
      membership_id uuid not null constraint notification_steps_membership_id_fkey references memberships,
      urgency text not null constraint notification_steps_urgency_check check (urgency in ('standard', 'interrupt')),
      position integer not null,
      channel_kind text not null,
      after_seconds integer not null constraint notification_steps_after_check check (after_seconds between 0 and 3600),
      constraint notification_steps_pkey primary key (membership_id, urgency, position)
    );
    comment on table notification_steps is
      'Personal steps. Without a row for an urgency, all channels of the member get a message at once.';
    comment on column notification_steps.position is 'From 1, in the order of the instants.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table notification_steps');
}
