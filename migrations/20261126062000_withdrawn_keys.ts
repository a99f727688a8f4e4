/** Keys whose request was withdrawn before it was made. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agent_instances add column withdrawals integer not null default 0;
    comment on column agent_instances.withdrawals is 'How often a key of it was withdrawn that had no request. A request is made only at the number that its statement saw.';
    create table withdrawn_keys (
      agent_instance_id uuid not null
        constraint withdrawn_keys_agent_instance_id_fkey references agent_instances on delete cascade,
      idempotency_key text not null,
      withdrawn_at timestamptz(3) not null,
      constraint withdrawn_keys_pkey primary key (agent_instance_id, idempotency_key)
    );
    create index withdrawn_keys_withdrawn_at_idx on withdrawn_keys (withdrawn_at);
    comment on table withdrawn_keys is 'Keys of requests that were withdrawn before they were made, so that they never are. Purged after a day.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table withdrawn_keys;
    alter table agent_instances drop column withdrawals;
  `);
}
