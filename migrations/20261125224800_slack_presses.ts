/** Presses of buttons in Slack: Slack is answered at once, and the press is handled from here. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table slack_presses (
      id uuid constraint slack_presses_pkey primary key,
      channel_id uuid not null constraint slack_presses_channel_id_fkey references slack_connections on delete cascade,
      press_key bytea not null,
      slack_user_id text not null,
      is_foreign boolean not null,
      request_id uuid not null,
      action text not null constraint slack_presses_action_check check (action in ('approve', 'deny', 'write_note')),
      note text,
      trigger_id text not null,
      response_url text not null,
      received_at timestamptz(3) not null,
      due_at timestamptz(3),
      attempts integer not null default 0,
      constraint slack_presses_press_key unique (channel_id, press_key)
    );
    create index slack_presses_due_at_idx on slack_presses (due_at) where due_at is not null;
    create index slack_presses_received_at_idx on slack_presses (received_at);
    comment on table slack_presses is
      'Presses of buttons in Slack, acknowledged before they are handled. due_at: when a process may take it; null: its person was told the outcome. Purged after a day.';
    comment on column slack_presses.request_id is
      'No foreign key: its check would wait for whoever holds the request, and Slack waits only three seconds.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table slack_presses');
}
