/** Agents, their instances and credentials, and how many requests they made. */
export const agents = `
create table agents (
  organization_id uuid not null constraint agents_organization_id_fkey references organizations,
  slug text not null constraint agents_slug_check check (slug ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  name text not null,
  status text not null constraint agents_status_check check (status in ('active', 'disabled', 'archived')),
  created_by_actor_id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  tool_access_revision integer not null default 0,
  resume text not null default 'instance' constraint agents_resume_check check (resume in ('instance', 'agent')),
  demo boolean not null default false,
  constraint agents_pkey primary key (organization_id, slug),
  constraint agents_archived_at_check check ((status = 'archived') = (archived_at is not null))
);
comment on table agents is 'An AI agent, known by its slug for ever: a slug is never changed and never used again.';
comment on column agents.tool_access_revision is 'Counts the changes of its tool access.';
comment on column agents.resume is
  'Who may read, wait for, start and withdraw a request: the instance that made it, or any active instance of the agent.';
comment on column agents.demo is 'The service made it to show how a request is decided. It can be removed with all its traces.';
create unique index agents_demo_key on agents (organization_id) where demo;
create unique index agents_live_name_key on agents (organization_id, text_digest(folded_name(name))) where status <> 'archived';
create trigger agents_demo_immutable before update of demo on agents
  for each row when (old.demo is distinct from new.demo) execute function refuse_change();

create table agent_instances (
  id uuid primary key,
  organization_id uuid not null,
  agent_slug text not null,
  name text not null,
  status text not null constraint agent_instances_status_check check (status in ('active', 'disabled')),
  metadata json not null default '{}',
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  live_until timestamptz(3),
  deleted_at timestamptz(3),
  withdrawals integer not null default 0,
  constraint agent_instances_agent_fkey foreign key (organization_id, agent_slug) references agents
);
comment on table agent_instances is 'One running copy of an agent. Requests, idempotency keys and credentials belong to it.';
comment on column agent_instances.live_until is
  'When the last of its credentials that is not revoked expires; null when there is none.';
comment on column agent_instances.deleted_at is 'A deleted instance keeps its requests. Its name is free again.';
comment on column agent_instances.withdrawals is
  'How often a key of it was withdrawn that had no request. A request is made only at the number that its statement saw.';
create index agent_instances_last_seen_idx
  on agent_instances (organization_id, agent_slug, last_seen_at desc, created_at desc, id desc);
create index agent_instances_live_idx on agent_instances (organization_id, agent_slug, status, live_until);
create unique index agent_instances_name_key on agent_instances (organization_id, agent_slug, text_digest(folded_name(name)))
  where deleted_at is null;

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
comment on table agent_credentials is 'Bearer credentials of instances (whc_). Only the SHA-256 of the secret is kept.';
create index agent_credentials_agent_instance_id_idx on agent_credentials (agent_instance_id);
create index agent_credentials_organization_id_idx on agent_credentials (organization_id);

create table agent_provisioners (
  id uuid primary key,
  organization_id uuid not null,
  agent_slug text not null,
  created_by_actor_id uuid not null,
  token_hash bytea not null,
  suffix text not null constraint agent_provisioners_suffix_check check (length(suffix) = 6),
  issued_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint agent_provisioners_agent_fkey foreign key (organization_id, agent_slug) references agents
);
comment on table agent_provisioners is
  'Provisioner tokens (whp_) of agents. Only the SHA-256 of the secret and the last six characters of the token are kept.';
create index agent_provisioners_list_idx on agent_provisioners (organization_id, agent_slug, issued_at desc, id desc);

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
  authorized_by_membership_id uuid constraint agent_enrollments_authorized_by_fkey references memberships,
  constraint agent_enrollments_exchanged_check check (exchanged_at is null or agent_instance_id is not null)
);
comment on table agent_enrollments is
  'Machines that ask to become an instance. Only hashes of both codes are kept. agent_instance_id null: no person has authorized it. Purged a day after expires_at.';
create index agent_enrollments_agent_instance_id_idx on agent_enrollments (agent_instance_id)
  where agent_instance_id is not null;
create index agent_enrollments_authorized_by_idx on agent_enrollments (authorized_by_membership_id);
create index agent_enrollments_expires_at_idx on agent_enrollments (expires_at);

create table instance_operations (
  agent_provisioner_id uuid not null constraint instance_operations_agent_provisioner_id_fkey references agent_provisioners,
  key text not null,
  parameters_hash bytea not null,
  agent_credential_id uuid constraint instance_operations_agent_credential_id_fkey references agent_credentials,
  sealed_token bytea,
  created_at timestamptz(3) not null,
  operation text not null,
  instance_then json,
  lease_id uuid,
  leased_until timestamptz(3),
  failure text,
  constraint instance_operations_pkey primary key (agent_provisioner_id, operation, key),
  constraint instance_operations_state_check check (num_nonnulls(instance_then, lease_id) = 1)
);
comment on table instance_operations is
  'What provisioner tokens did with an Idempotency-Key. Only the token that made an instance can open its sealed_token. Purged after seven days.';
comment on column instance_operations.operation is 'create, or update and the id of the instance.';
comment on column instance_operations.instance_then is
  'What of the instance may change later, as the operation left it. Null until it is committed.';
comment on column instance_operations.lease_id is
  'The attempt that verifies a receiver, or did last. Null once the operation is committed.';
comment on column instance_operations.failure is 'The error code of that attempt, which calls that waited for it get too.';
create index instance_operations_agent_credential_id_idx on instance_operations (agent_credential_id);
create index instance_operations_created_at_idx on instance_operations (created_at);

create table agent_request_days (
  organization_id uuid not null,
  agent_slug text not null,
  day date not null,
  requests bigint not null,
  constraint agent_request_days_pkey primary key (organization_id, agent_slug, day),
  constraint agent_request_days_agent_fkey foreign key (organization_id, agent_slug) references agents
);
comment on table agent_request_days is
  'How many requests an agent created on a UTC day, before request_count_mark. Later ones are counted when a list is read.';

create table agent_instance_request_days (
  agent_instance_id uuid not null constraint agent_instance_request_days_agent_instance_id_fkey references agent_instances,
  day date not null,
  requests bigint not null,
  constraint agent_instance_request_days_pkey primary key (agent_instance_id, day)
);
comment on table agent_instance_request_days is 'The same for instances. Only the last seven days are kept.';
create index agent_instance_request_days_day_idx on agent_instance_request_days (day);

create table request_count_mark (
  id boolean primary key default true constraint request_count_mark_id_check check (id),
  counted_until timestamptz(3) not null
);
comment on table request_count_mark is
  'One row: all requests created before this instant are in the counts by day, and no others.';
insert into request_count_mark (counted_until) values ('-infinity');

create table withdrawn_keys (
  agent_instance_id uuid not null
    constraint withdrawn_keys_agent_instance_id_fkey references agent_instances on delete cascade,
  idempotency_key text not null,
  withdrawn_at timestamptz(3) not null,
  constraint withdrawn_keys_pkey primary key (agent_instance_id, idempotency_key)
);
comment on table withdrawn_keys is
  'Keys of requests that were withdrawn before they were made, so that they never are. Purged after a day.';
create index withdrawn_keys_withdrawn_at_idx on withdrawn_keys (withdrawn_at);
`;
