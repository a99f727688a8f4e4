/** Secrets of webhook channels that were replaced and still sign, until their receivers know the new ones. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table notification_webhook_previous_secrets (
      channel_id uuid constraint notification_webhook_previous_secrets_pkey primary key
        constraint notification_webhook_previous_secrets_channel_id_fkey references notification_webhooks on delete cascade,
      signing_secret bytea not null,
      signing_secret_key_id text not null,
      expires_at timestamptz(3) not null
    );
    comment on table notification_webhook_previous_secrets is
      'The sealed secret before the last rotation, where that had an overlap. Until expires_at it signs beside the new one.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table notification_webhook_previous_secrets');
}
