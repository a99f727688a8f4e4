/** Agents, the instances that run them, and the credentials of those instances. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agents (
      organization_id uuid not null constraint agents_organization_id_fkey references organizations,
      slug text not null constraint agents_slug_check check (slug ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
      name text not null,
      status text not null constraint agents_status_check check (status in ('active', 'disabled', 'archived')),
      created_by_actor_id uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      archived_at timestamptz(3),
      constraint agents_pkey primary key (organization_id, slug),
      constraint agents_archived_at_check check ((status = 'archived') = (archived_at is not null))
    );
    create unique index agents_live_name_key on agents (organization_id, name) where status <> 'archived';
    comment on table agents is 'An AI agent, known by its slug for ever: a slug is never changed and never used again.';

    create table agent_instances (
      id uuid primary key,
      organization_id uuid not null,
      agent_slug text not null,
      name text not null,
      status text not null constraint agent_instances_status_check check (status in ('active', 'disabled')),
      metadata json not null default '{}',
      created_at timestamptz(3) not null,
      last_seen_at timestamptz(3) not null,
      constraint agent_instances_agent_fkey foreign key (organization_id, agent_slug) references agents,
      constraint agent_instances_name_key unique (organization_id, agent_slug, name)
    );
    comment on table agent_instances is 'One running copy of an agent. Requests, idempotency keys and credentials belong to it.';

    create table agent_credentials (
      id uuid primary key,
      organization_id uuid not null constraint agent_credentials_organization_id_fkey references organizations,
      agent_instance_id uuid not null constraint agent_credentials_agent_instance_id_fkey references agent_instances,
      token_hash bytea not null,
      issued_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      last_used_at timestamptz(3),
      revoked_at timestamptz(3)
    );
    create index agent_credentials_agent_instance_id_idx on agent_credentials (agent_instance_id);
    create index agent_credentials_organization_id_idx on agent_credentials (organization_id);
    comment on table agent_credentials is 'Bearer credentials of instances (whc_). Only the SHA-256 of the secret is kept.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table agent_credentials, agent_instances, agents');
}
