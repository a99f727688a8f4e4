/** Secrets of webhook endpoints that were replaced and still sign, until their receivers know the new ones. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table webhook_endpoint_previous_secrets (
      webhook_endpoint_id uuid constraint webhook_endpoint_previous_secrets_pkey primary key
        constraint webhook_endpoint_previous_secrets_webhook_endpoint_id_fkey references webhook_endpoints,
      signing_secret bytea not null,
      signing_secret_key_id text not null,
      expires_at timestamptz(3) not null
    );
    comment on table webhook_endpoint_previous_secrets is
      'The sealed secret before the last rotation, where that had an overlap. Until expires_at it signs beside the new one.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table webhook_endpoint_previous_secrets');
}
