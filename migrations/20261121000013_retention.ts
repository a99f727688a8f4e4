/** Indexes to find ended rows by age, so that a few at a time can be purged. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index notification_deliveries_finished_idx on notification_deliveries ((coalesce(delivered_at, dropped_at)))
      where coalesce(delivered_at, dropped_at) is not null;
    create index notification_deliveries_dead_at_idx on notification_deliveries (dead_at) where dead_at is not null;
    comment on table notification_deliveries is
      'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over, and forgotten 30 days later, a dead one 90.';

    create index slack_messages_posting_until_idx on slack_messages (posting_until);
    comment on table slack_messages is
      'Messages with buttons. slack_ts null: delivery_id is posting it until posting_until. closed_at: it shows the final answer. Forgotten after 100 days.';

    create index slack_link_codes_expires_at_idx on slack_link_codes (expires_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index notification_deliveries_finished_idx, notification_deliveries_dead_at_idx, slack_messages_posting_until_idx,
      slack_link_codes_expires_at_idx;
    comment on table notification_deliveries is
      'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over.';
    comment on table slack_messages is
      'Messages with buttons. slack_ts null: delivery_id is posting it until posting_until. closed_at: it shows the final answer.';
  `);
}
