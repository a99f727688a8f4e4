/** States of single sign-ons whose answer was taken: each is taken once. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table used_sso_states (
      state_hash bytea constraint used_sso_states_pkey primary key,
      used_at timestamptz(3) not null
    );
    create index used_sso_states_used_at_idx on used_sso_states (used_at);
    comment on table used_sso_states is 'Single sign-ons whose answer of the provider was taken. A sign-in lasts minutes, so rows are purged after a day.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table used_sso_states');
}
