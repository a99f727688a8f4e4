/** Approval requests, what rules and people did with them, and their one decision. */
export const requests = `
create table approval_requests (
  id uuid primary key,
  organization_id uuid not null constraint approval_requests_organization_id_fkey references organizations,
  agent_slug text not null,
  agent_name text not null,
  agent_instance_id uuid not null constraint approval_requests_agent_instance_id_fkey references agent_instances,
  agent_instance_name text not null,
  agent_credential_id uuid not null constraint approval_requests_agent_credential_id_fkey references agent_credentials,
  tool text not null,
  server text,
  arguments json not null,
  agent_reasoning json,
  context json,
  timeout text not null,
  idempotency_key text not null,
  organization_pipeline_revision_id uuid
    constraint approval_requests_organization_pipeline_revision_id_fkey references request_approval_pipeline_revisions,
  agent_pipeline_revision_id uuid
    constraint approval_requests_agent_pipeline_revision_id_fkey references request_approval_pipeline_revisions,
  state text not null constraint approval_requests_state_check
    check (state in ('evaluating', 'pending', 'approved', 'denied', 'expired', 'cancelled')),
  admitted boolean not null default false,
  created_at timestamptz(3) not null,
  deadline_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  wake_at timestamptz(3),
  wake_attempts integer not null default 0,
  routed_at timestamptz(3),
  route_source text constraint approval_requests_route_source_check
    check (route_source in ('block_escalation', 'pipeline_default', 'no_escalation')),
  route_scope text constraint approval_requests_route_scope_check check (route_scope in ('organization', 'agent')),
  route_block_id text,
  route_reason text,
  escalation_path_revision_id uuid
    constraint approval_requests_escalation_path_revision_id_fkey references escalation_path_revisions,
  urgency text not null default 'standard'
    constraint approval_requests_urgency_check check (urgency in ('standard', 'interrupt')),
  walk json,
  next_at timestamptz(3),
  previous_metadata json,
  changed_in xid8 not null default pg_current_xact_id(),
  call_digest bytea,
  started_at timestamptz(3),
  started_by_instance_id uuid,
  constraint approval_requests_idempotency_key unique (agent_instance_id, idempotency_key),
  constraint approval_requests_agent_fkey foreign key (organization_id, agent_slug) references agents,
  constraint approval_requests_pending_routed_check check (state <> 'pending' or routed_at is not null),
  constraint approval_requests_started_check
    check ((started_at is null) = (started_by_instance_id is null) and (started_at is null or state = 'approved'))
);
comment on table approval_requests is
  'One tool call that asked for approval. Every writer locks the row first; last_at is its only clock.';
comment on column approval_requests.arguments is
  'The source text as sent: json, never jsonb. So are context and agent_reasoning.';
comment on column approval_requests.state is 'evaluating: the pipeline has not handed it to people; shown as pending outside.';
comment on column approval_requests.admitted is
  'Answered 201 before the pipeline concluded: the pending cap no longer applies.';
comment on column approval_requests.wake_at is
  'When the reconciler steps the request if its workflow has not; null when nothing is left to do.';
comment on column approval_requests.previous_metadata is
  'What blocks that asked other systems returned: {organization, agent}, each by block id. Exact JSON text.';
comment on column approval_requests.changed_in is
  'The transaction of the last change that a queue shows. Set with updated_at, also when that keeps its value.';
comment on column approval_requests.call_digest is
  'SHA-256 of agent, tool, server and the text of arguments. Null for requests of versions before.';
comment on column approval_requests.started_at is
  'When an adapter reported that it starts the approved call. An approval is started once.';
create index approval_requests_agent_credential_id_idx on approval_requests (agent_credential_id);
create index approval_requests_agent_idx on approval_requests (organization_id, agent_slug, created_at desc, id desc);
create index approval_requests_agent_pipeline_revision_id_idx on approval_requests (agent_pipeline_revision_id);
create index approval_requests_call_idx on approval_requests (call_digest, state, updated_at)
  where state in ('pending', 'denied') and call_digest is not null;
create index approval_requests_changed_idx on approval_requests (organization_id, changed_in) where routed_at is not null;
create index approval_requests_open_agent_idx on approval_requests (organization_id, agent_slug, state)
  where state in ('evaluating', 'pending');
create index approval_requests_open_deadline_idx on approval_requests (deadline_at) where state in ('evaluating', 'pending');
create index approval_requests_open_instance_idx on approval_requests (agent_instance_id, created_at desc, id desc)
  where state in ('evaluating', 'pending');
create index approval_requests_organization_pipeline_revision_id_idx on approval_requests (organization_pipeline_revision_id);
create index approval_requests_path_idx on approval_requests (escalation_path_revision_id, created_at desc, id desc)
  where escalation_path_revision_id is not null;
create index approval_requests_path_pending_idx on approval_requests (escalation_path_revision_id, created_at desc, id desc)
  where state = 'pending' and escalation_path_revision_id is not null;
create index approval_requests_pending_deadline_idx on approval_requests (organization_id, deadline_at, id)
  where state = 'pending';
create index approval_requests_queue_idx on approval_requests (organization_id, created_at desc, id desc)
  where routed_at is not null;
create index approval_requests_ruled_idx on approval_requests (organization_id, created_at desc, id desc)
  where routed_at is null;
create index approval_requests_state_idx on approval_requests (organization_id, state, created_at desc, id desc)
  where routed_at is not null;
create index approval_requests_unrouted_idx on approval_requests (organization_id, created_at desc, id desc)
  where routed_at is not null and escalation_path_revision_id is null;
create index approval_requests_unrouted_pending_idx on approval_requests (organization_id, created_at desc, id desc)
  where state = 'pending' and routed_at is not null and escalation_path_revision_id is null;
create index approval_requests_wake_at_idx on approval_requests (wake_at) where wake_at is not null;
create trigger approval_requests_changed before update of updated_at on approval_requests
  for each row execute function mark_request_changed();

create table pipeline_block_results (
  request_id uuid not null constraint pipeline_block_results_request_id_fkey references approval_requests on delete cascade,
  scope text not null constraint pipeline_block_results_scope_check check (scope in ('organization', 'agent')),
  block_id text not null,
  place integer not null,
  content_hash text not null,
  delivery_id uuid not null,
  attempts integer not null,
  leased_until timestamptz(3),
  asked_at timestamptz(3) not null,
  answered_at timestamptz(3),
  outcome text constraint pipeline_block_results_outcome_check check (outcome in ('approve', 'deny', 'human', 'next')),
  reason text,
  metadata json,
  escalation_path text,
  error_code text,
  cost json,
  error_cause text,
  constraint pipeline_block_results_pkey primary key (request_id, scope, block_id),
  constraint pipeline_block_results_result_check
    check (num_nonnulls(outcome, error_code) = case when answered_at is null then 0 else 1 end)
);
comment on table pipeline_block_results is
  'A block that asked another system about a request: how often, and its one result. place: in the order of asking.';
comment on column pipeline_block_results.leased_until is
  'The attempt under way belongs to its process until then. Null between attempts and after the result.';
comment on column pipeline_block_results.cost is
  'Of the attempt that gave the result: {input_tokens, output_tokens, amount, currency}.';
comment on column pipeline_block_results.error_cause is
  'What to look at when no answer came, such as dns or certificate. Only beside error_code.';

create table judge_budgets (
  organization_id uuid not null constraint judge_budgets_organization_id_fkey references organizations,
  day date not null,
  tokens bigint not null constraint judge_budgets_tokens_check check (tokens >= 0),
  constraint judge_budgets_pkey primary key (organization_id, day)
);
comment on table judge_budgets is
  'Tokens that the judges of an organization took on a day in UTC, with those reserved for calls under way. What a killed process had reserved stays taken, because the provider may charge it. Purged after 30 days.';
create index judge_budgets_day_idx on judge_budgets (day);

create table request_assessments (
  id uuid primary key,
  request_id uuid not null constraint request_assessments_request_id_fkey references approval_requests on delete cascade,
  scope text not null constraint request_assessments_scope_check check (scope in ('organization', 'agent')),
  block_id text not null,
  model text not null,
  outcome text constraint request_assessments_outcome_check check (outcome in ('approve', 'deny', 'human', 'next')),
  confidence json,
  reason text,
  error_code text,
  input text not null,
  output text not null,
  cost json,
  created_at timestamptz(3) not null,
  constraint request_assessments_result_check check (num_nonnulls(outcome, error_code) = 1)
);
comment on table request_assessments is
  'What language models read and answered about a request. Purged after 30 days. confidence: exact, as the model wrote it.';
create index request_assessments_created_at_idx on request_assessments (created_at);
create index request_assessments_request_id_idx on request_assessments (request_id, created_at, id);

create table webhook_deliveries (
  id uuid primary key,
  webhook_endpoint_id uuid not null constraint webhook_deliveries_webhook_endpoint_id_fkey references webhook_endpoints,
  delivery_id uuid not null,
  type text not null
    constraint webhook_deliveries_type_check check (type in ('approval_request.evaluate', 'webhook_endpoint.test')),
  revision bigint not null,
  request_id uuid constraint webhook_deliveries_request_id_fkey references approval_requests on delete set null,
  attempt integer not null,
  attempted_at timestamptz(3) not null,
  duration_ms integer,
  status_code integer,
  outcome text,
  error_code text,
  response_excerpt text,
  error_cause text,
  constraint webhook_deliveries_test_check check (type <> 'webhook_endpoint.test' or request_id is null),
  constraint webhook_deliveries_result_check
    check (num_nonnulls(outcome, error_code) = case when duration_ms is null then 0 else 1 end)
);
comment on table webhook_deliveries is
  'Each attempt to post to an endpoint, and what came of it. Purged after 30 days. delivery_id: the same for all attempts. Without a duration, it runs or was interrupted.';
comment on column webhook_deliveries.request_id is
  'Null for tests and previews, and after the pending cap refused the request.';
comment on column webhook_deliveries.error_cause is 'What to look at when no answer came, such as dns or certificate.';
create index webhook_deliveries_attempted_at_idx on webhook_deliveries (attempted_at);
create index webhook_deliveries_failed_idx on webhook_deliveries (webhook_endpoint_id, attempted_at desc, id desc)
  where error_code is not null;
create index webhook_deliveries_list_idx on webhook_deliveries (webhook_endpoint_id, attempted_at desc, id desc);
create index webhook_deliveries_request_id_idx on webhook_deliveries (request_id) where request_id is not null;

create table escalation_steps (
  request_id uuid not null constraint escalation_steps_request_id_fkey references approval_requests,
  step_key text not null,
  run integer not null,
  node_id text,
  kind text not null constraint escalation_steps_kind_check check (kind in ('notified', 'skipped')),
  at timestamptz(3) not null,
  escalate_at timestamptz(3),
  team_id uuid constraint escalation_steps_team_id_fkey references teams,
  constraint escalation_steps_pkey primary key (request_id, step_key)
);
comment on table escalation_steps is
  'Each level a request reached: node and run. node_id null: no level of a path; team_id: a level of a team''s policy inside one.';
create index escalation_steps_team_id_idx on escalation_steps (team_id) where team_id is not null;

create table added_reviewers (
  request_id uuid not null constraint added_reviewers_request_id_fkey references approval_requests,
  membership_id uuid not null constraint added_reviewers_membership_id_fkey references memberships,
  added_by_membership_id uuid not null constraint added_reviewers_added_by_membership_id_fkey references memberships,
  added_at timestamptz(3) not null,
  constraint added_reviewers_pkey primary key (request_id, membership_id)
);
comment on table added_reviewers is 'People a reviewer added to a request, beside those its path names.';
create index added_reviewers_added_by_membership_id_idx on added_reviewers (added_by_membership_id);
create index added_reviewers_membership_id_idx on added_reviewers (membership_id, request_id);

create table claims (
  id uuid primary key,
  organization_id uuid not null constraint claims_organization_id_fkey references organizations,
  request_id uuid not null constraint claims_request_id_fkey references approval_requests,
  membership_id uuid not null constraint claims_membership_id_fkey references memberships,
  display_name text not null,
  claimed_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
comment on table claims is
  'A reviewer said that they look after a request: advisory. ended_at null: live until expires_at, while the request is pending.';
create unique index claims_live_key on claims (request_id) where ended_at is null;
create index claims_membership_id_idx on claims (membership_id);
create index claims_organization_id_idx on claims (organization_id);
create index claims_request_id_idx on claims (request_id);

create table decisions (
  id uuid primary key,
  request_id uuid not null constraint decisions_request_id_key unique
    constraint decisions_request_id_fkey references approval_requests,
  organization_id uuid not null constraint decisions_organization_id_fkey references organizations,
  membership_id uuid constraint decisions_membership_id_fkey references memberships,
  status text not null constraint decisions_status_check check (status in ('approved', 'denied', 'expired', 'cancelled')),
  note text,
  channel text not null,
  reviewer_display_name text,
  reviewer_email text,
  authentication json not null,
  idempotency_key text not null,
  decided_at timestamptz(3) not null,
  expires_at timestamptz(3),
  seen_arguments_digest text,
  constraint decisions_expires_at_check check ((status = 'approved') = (expires_at is not null))
);
-- Not valid, as in databases that the migrations before this one made.
alter table decisions add constraint decisions_seen_arguments_digest_check
  check (seen_arguments_digest ~ '^[0-9a-f]{64}$') not valid;
comment on table decisions is 'The one final answer to a request. Never changed, never deleted.';
comment on column decisions.seen_arguments_digest is
  'SHA-256 of the arguments that the reviewer saw, where the client sent it. It was compared with the request.';
create index decisions_decided_idx on decisions (organization_id, decided_at);
create unique index decisions_idempotency_key on decisions (organization_id, idempotency_key) where membership_id is not null;
create index decisions_membership_id_idx on decisions (membership_id) where membership_id is not null;
create trigger decisions_immutable before update or delete on decisions for each row execute function refuse_change();

create table notifications (
  id uuid primary key,
  organization_id uuid not null constraint notifications_organization_id_fkey references organizations,
  request_id uuid not null,
  step_key text not null,
  membership_id uuid not null constraint notifications_membership_id_fkey references memberships,
  created_at timestamptz(3) not null,
  constraint notifications_key unique (request_id, step_key, membership_id),
  constraint notifications_step_fkey foreign key (request_id, step_key) references escalation_steps
);
comment on table notifications is 'Who is notified about a request, once per level and run.';
create index notifications_membership_id_idx on notifications (membership_id, request_id);
create index notifications_organization_id_idx on notifications (organization_id);
`;
