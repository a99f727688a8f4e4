/** Webhook endpoints: their revisions, the secrets that sign for them, who uses them, and what was posted. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
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
      constraint webhook_endpoint_revisions_revision_key unique (webhook_endpoint_id, revision)
    );
    comment on table webhook_endpoint_revisions is 'Immutable. The document is exact JSON text.';
    create trigger webhook_endpoint_revisions_immutable before update or delete on webhook_endpoint_revisions
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
    comment on table webhook_endpoint_secrets is 'The sealed secret that signs what is posted to an endpoint. Each endpoint has one.';

    create table request_approval_pipeline_endpoints (
      request_approval_pipeline_revision_id uuid not null
        constraint request_approval_pipeline_endpoints_revision_id_fkey references request_approval_pipeline_revisions,
      block_key text not null,
      endpoint_key text not null,
      constraint request_approval_pipeline_endpoints_pkey primary key (request_approval_pipeline_revision_id, block_key)
    );
    create index request_approval_pipeline_endpoints_endpoint_key_idx on request_approval_pipeline_endpoints (endpoint_key);
    comment on table request_approval_pipeline_endpoints is
      'The blocks of a pipeline revision that post to an endpoint, so that an endpoint in use is not archived.';

    create table webhook_deliveries (
      id uuid primary key,
      webhook_endpoint_id uuid not null
        constraint webhook_deliveries_webhook_endpoint_id_fkey references webhook_endpoints,
      delivery_id uuid not null,
      type text not null constraint webhook_deliveries_type_check
        check (type in ('approval_request.evaluate', 'webhook_endpoint.test')),
      revision bigint not null,
      request_id uuid constraint webhook_deliveries_request_id_fkey references approval_requests,
      attempt integer not null,
      attempted_at timestamptz(3) not null,
      duration_ms integer not null,
      status_code integer,
      outcome text,
      error_code text,
      response_excerpt text,
      constraint webhook_deliveries_result_check check (num_nonnulls(outcome, error_code) = 1),
      constraint webhook_deliveries_test_check check (type <> 'webhook_endpoint.test' or request_id is null)
    );
    create index webhook_deliveries_list_idx on webhook_deliveries (webhook_endpoint_id, attempted_at desc, id desc);
    create index webhook_deliveries_request_id_idx on webhook_deliveries (request_id) where request_id is not null;
    create index webhook_deliveries_attempted_at_idx on webhook_deliveries (attempted_at);
    comment on table webhook_deliveries is
      'Each attempt to post to an endpoint, and what came of it. Purged after 30 days. delivery_id: the same for all attempts.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table webhook_deliveries, request_approval_pipeline_endpoints, webhook_endpoint_secrets;
    alter table webhook_endpoints drop constraint webhook_endpoints_active_revision_fkey;
    drop table webhook_endpoint_revisions, webhook_endpoints;
  `);
}
