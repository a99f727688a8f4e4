/** Enrollments: a machine asks to become an instance, and a person with its code authorizes it. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agent_enrollments (
      id uuid primary key,
      code_hash bytea not null,
      user_code_hash bytea not null constraint agent_enrollments_user_code_hash_key unique,
      runtime text not null,
      requested_agent_slug text,
      instance_name text not null,
      instance_metadata json not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      agent_instance_id uuid constraint agent_enrollments_agent_instance_id_fkey references agent_instances,
      exchanged_at timestamptz(3),
      constraint agent_enrollments_exchanged_check check (exchanged_at is null or agent_instance_id is not null)
    );
    create index agent_enrollments_agent_instance_id_idx on agent_enrollments (agent_instance_id)
      where agent_instance_id is not null;
    create index agent_enrollments_expires_at_idx on agent_enrollments (expires_at);
    comment on table agent_enrollments is
      'Machines that ask to become an instance. Only hashes of both codes are kept. agent_instance_id null: no person has authorized it. Purged a day after expires_at.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table agent_enrollments');
}
