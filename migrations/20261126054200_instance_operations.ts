/** Instances that were deleted, and what provisioner tokens did with an Idempotency-Key. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agent_instances add column deleted_at timestamptz(3);
    comment on column agent_instances.deleted_at is 'A deleted instance keeps its requests. Its name is free again.';
    drop index agent_instances_name_key;
    create unique index agent_instances_name_key
      on agent_instances (organization_id, agent_slug, text_digest(folded_name(name))) where deleted_at is null;

    alter table provisioned_instances rename to instance_operations;
    alter table instance_operations rename constraint provisioned_instances_agent_provisioner_id_fkey
      to instance_operations_agent_provisioner_id_fkey;
    alter table instance_operations rename constraint provisioned_instances_agent_credential_id_fkey
      to instance_operations_agent_credential_id_fkey;
    alter index provisioned_instances_agent_credential_id_idx rename to instance_operations_agent_credential_id_idx;
    alter index provisioned_instances_created_at_idx rename to instance_operations_created_at_idx;

    alter table instance_operations add column operation text not null default 'create';
    alter table instance_operations alter column operation drop default;
    alter table instance_operations drop constraint provisioned_instances_pkey;
    alter table instance_operations add constraint instance_operations_pkey primary key (agent_provisioner_id, operation, key);
    alter table instance_operations alter column agent_credential_id drop not null;
    alter table instance_operations alter column sealed_token drop not null;
    alter table instance_operations add column instance_then json;
    alter table instance_operations add column lease_id uuid;
    alter table instance_operations add column leased_until timestamptz(3);
    alter table instance_operations add column failure text;
    update instance_operations o set instance_then = json_build_object('name', i.name, 'status', i.status, 'last_seen_at', i.last_seen_at)
      from agent_credentials c join agent_instances i on i.id = c.agent_instance_id
     where c.id = o.agent_credential_id;
    alter table instance_operations add constraint instance_operations_state_check
      check (num_nonnulls(instance_then, lease_id) = 1);
    comment on table instance_operations is
      'What provisioner tokens did with an Idempotency-Key. Only the token that made an instance can open its sealed_token. Purged after seven days.';
    comment on column instance_operations.operation is 'create, or update and the id of the instance.';
    comment on column instance_operations.instance_then is 'What of the instance may change later, as the operation left it. Null until it is committed.';
    comment on column instance_operations.lease_id is 'The attempt that verifies a receiver, or did last. Null once the operation is committed.';
    comment on column instance_operations.failure is 'The error code of that attempt, which calls that waited for it get too.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from instance_operations where operation <> 'create' or instance_then is null;
    alter table instance_operations drop constraint instance_operations_state_check;
    alter table instance_operations drop column failure;
    alter table instance_operations drop column leased_until;
    alter table instance_operations drop column lease_id;
    alter table instance_operations drop column instance_then;
    alter table instance_operations alter column sealed_token set not null;
    alter table instance_operations alter column agent_credential_id set not null;
    alter table instance_operations drop constraint instance_operations_pkey;
    alter table instance_operations drop column operation;
    alter table instance_operations rename to provisioned_instances;
    alter table provisioned_instances add constraint provisioned_instances_pkey primary key (agent_provisioner_id, key);
    alter table provisioned_instances rename constraint instance_operations_agent_provisioner_id_fkey
      to provisioned_instances_agent_provisioner_id_fkey;
    alter table provisioned_instances rename constraint instance_operations_agent_credential_id_fkey
      to provisioned_instances_agent_credential_id_fkey;
    alter index instance_operations_agent_credential_id_idx rename to provisioned_instances_agent_credential_id_idx;
    alter index instance_operations_created_at_idx rename to provisioned_instances_created_at_idx;
    comment on table provisioned_instances is
      'Instances made with an Idempotency-Key. Only the provisioner token that made one can open its sealed_token. Purged after seven days.';

    update agent_instances set name = left(name, 150) || ' ' || id where deleted_at is not null;
    drop index agent_instances_name_key;
    create unique index agent_instances_name_key on agent_instances (organization_id, agent_slug, text_digest(folded_name(name)));
    alter table agent_instances drop column deleted_at;
  `);
}
