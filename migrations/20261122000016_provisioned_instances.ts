/** What provisioner tokens were answered, so that a repeated call gets the same. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table provisioned_instances (
      agent_provisioner_id uuid not null
        constraint provisioned_instances_agent_provisioner_id_fkey references agent_provisioners,
      key text not null,
      parameters_hash bytea not null,
      agent_credential_id uuid not null
        constraint provisioned_instances_agent_credential_id_fkey references agent_credentials,
      sealed_token bytea not null,
      created_at timestamptz(3) not null,
      constraint provisioned_instances_pkey primary key (agent_provisioner_id, key)
    );
    create index provisioned_instances_agent_credential_id_idx on provisioned_instances (agent_credential_id);
    create index provisioned_instances_created_at_idx on provisioned_instances (created_at);
    comment on table provisioned_instances is
      'Instances made with an Idempotency-Key. Only the provisioner token that made one can open its sealed_token. Purged after seven days.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table provisioned_instances');
}
