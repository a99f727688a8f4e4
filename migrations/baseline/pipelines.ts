/** The rules that look at requests first, and the webhook endpoints that rules ask. */
export const pipelines = `
create table request_approval_pipelines (
  id uuid primary key,
  organization_id uuid not null constraint request_approval_pipelines_organization_id_fkey references organizations,
  document_key text not null,
  active_revision bigint,
  latest_revision bigint not null,
  created_at timestamptz(3) not null,
  archived_at timestamptz(3),
  archived_revision bigint,
  constraint request_approval_pipelines_document_key_key unique (organization_id, document_key),
  constraint request_approval_pipelines_archived_check check (archived_at is null or active_revision is null),
  constraint request_approval_pipelines_archived_revision_check check (archived_revision is null or archived_at is not null)
);
comment on table request_approval_pipelines is
  'The rules of an organization (document_key organization) or of an agent (document_key agent:<slug>).';
comment on column request_approval_pipelines.archived_revision is
  'The revision that was active when the agent was archived. Restoring the agent activates it.';

create table request_approval_pipeline_revisions (
  id uuid primary key,
  request_approval_pipeline_id uuid not null
    constraint request_approval_pipeline_revisions_document_fkey references request_approval_pipelines,
  revision bigint not null,
  document json not null,
  created_by_actor_id uuid not null,
  created_at timestamptz(3) not null,
  comment text constraint request_approval_pipeline_revisions_comment_check check (char_length(comment) <= 500),
  activated_at timestamptz(3),
  activated_by_actor_id uuid,
  constraint request_approval_pipeline_revisions_revision_key unique (request_approval_pipeline_id, revision),
  constraint request_approval_pipeline_revisions_activated_check
    check ((activated_at is null) = (activated_by_actor_id is null))
);
comment on table request_approval_pipeline_revisions is
  'Immutable but for its last activation. The document is exact JSON text.';
create trigger request_approval_pipeline_revisions_immutable
  before delete or update of id, request_approval_pipeline_id, revision, document, comment, created_by_actor_id, created_at
  on request_approval_pipeline_revisions
  for each row execute function refuse_change();
alter table request_approval_pipelines add constraint request_approval_pipelines_active_revision_fkey
  foreign key (id, active_revision) references request_approval_pipeline_revisions (request_approval_pipeline_id, revision);
alter table request_approval_pipelines add constraint request_approval_pipelines_archived_revision_fkey
  foreign key (id, archived_revision) references request_approval_pipeline_revisions (request_approval_pipeline_id, revision);

create table request_approval_pipeline_paths (
  request_approval_pipeline_revision_id uuid not null
    constraint request_approval_pipeline_paths_revision_id_fkey references request_approval_pipeline_revisions,
  path_key text not null,
  constraint request_approval_pipeline_paths_pkey primary key (request_approval_pipeline_revision_id, path_key)
);
comment on table request_approval_pipeline_paths is
  'The escalation paths a pipeline revision names, so that a path in use is not archived.';
create index request_approval_pipeline_paths_path_key_idx on request_approval_pipeline_paths (path_key);

create table request_approval_pipeline_endpoints (
  request_approval_pipeline_revision_id uuid not null
    constraint request_approval_pipeline_endpoints_revision_id_fkey references request_approval_pipeline_revisions,
  block_key text not null,
  endpoint_key text not null,
  constraint request_approval_pipeline_endpoints_pkey primary key (request_approval_pipeline_revision_id, block_key)
);
comment on table request_approval_pipeline_endpoints is
  'The blocks of a pipeline revision that post to an endpoint, so that an endpoint in use is not archived.';
create index request_approval_pipeline_endpoints_endpoint_key_idx on request_approval_pipeline_endpoints (endpoint_key);

create table webhook_endpoints (
  id uuid primary key,
  organization_id uuid not null constraint webhook_endpoints_organization_id_fkey references organizations,
  document_key text not null,
  active_revision bigint,
  latest_revision bigint not null,
  created_at timestamptz(3) not null,
  archived_at timestamptz(3),
  constraint webhook_endpoints_document_key_key unique (organization_id, document_key),
  constraint webhook_endpoints_archived_check check (archived_at is null or active_revision is null)
);
comment on table webhook_endpoints is
  'Systems that rules ask. document_key is the endpoint_key. Activating a revision clears archived_at.';

create table webhook_endpoint_revisions (
  id uuid primary key,
  webhook_endpoint_id uuid not null constraint webhook_endpoint_revisions_document_fkey references webhook_endpoints,
  revision bigint not null,
  document json not null,
  created_by_actor_id uuid not null,
  created_at timestamptz(3) not null,
  comment text constraint webhook_endpoint_revisions_comment_check check (char_length(comment) <= 500),
  activated_at timestamptz(3),
  activated_by_actor_id uuid,
  constraint webhook_endpoint_revisions_revision_key unique (webhook_endpoint_id, revision),
  constraint webhook_endpoint_revisions_activated_check check ((activated_at is null) = (activated_by_actor_id is null))
);
comment on table webhook_endpoint_revisions is 'Immutable but for its last activation. The document is exact JSON text.';
create trigger webhook_endpoint_revisions_immutable
  before delete or update of id, webhook_endpoint_id, revision, document, comment, created_by_actor_id, created_at
  on webhook_endpoint_revisions
  for each row execute function refuse_change();
alter table webhook_endpoints add constraint webhook_endpoints_active_revision_fkey
  foreign key (id, active_revision) references webhook_endpoint_revisions (webhook_endpoint_id, revision);

create table webhook_endpoint_secrets (
  webhook_endpoint_id uuid primary key
    constraint webhook_endpoint_secrets_webhook_endpoint_id_fkey references webhook_endpoints,
  signing_secret bytea not null,
  signing_secret_key_id text not null,
  secret_rotated_at timestamptz(3) not null
);
comment on table webhook_endpoint_secrets is
  'The sealed secret that signs what is posted to an endpoint. Each endpoint has one.';

create table webhook_endpoint_previous_secrets (
  webhook_endpoint_id uuid primary key
    constraint webhook_endpoint_previous_secrets_webhook_endpoint_id_fkey references webhook_endpoints,
  signing_secret bytea not null,
  signing_secret_key_id text not null,
  expires_at timestamptz(3) not null
);
comment on table webhook_endpoint_previous_secrets is
  'The sealed secret before the last rotation, where that had an overlap. Until expires_at it signs beside the new one.';
`;
