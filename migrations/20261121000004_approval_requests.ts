/** Approval requests, their one decision, the walk through their escalation path, and the audit log. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
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
      input_digest bytea not null,
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
      constraint approval_requests_idempotency_key unique (agent_instance_id, idempotency_key),
      constraint approval_requests_agent_fkey foreign key (organization_id, agent_slug) references agents,
      constraint approval_requests_pending_routed_check check (state <> 'pending' or routed_at is not null)
    );
    create index approval_requests_queue_idx on approval_requests (organization_id, created_at desc, id desc) where routed_at is not null;
    create index approval_requests_agent_idx on approval_requests (organization_id, agent_slug, created_at desc, id desc);
    create index approval_requests_state_idx on approval_requests (organization_id, state, created_at desc, id desc)
      where routed_at is not null;
    create index approval_requests_open_deadline_idx on approval_requests (deadline_at) where state in ('evaluating', 'pending');
    create index approval_requests_wake_at_idx on approval_requests (wake_at) where wake_at is not null;
    create index approval_requests_agent_credential_id_idx on approval_requests (agent_credential_id);
    create index approval_requests_organization_pipeline_revision_id_idx on approval_requests (organization_pipeline_revision_id);
    create index approval_requests_agent_pipeline_revision_id_idx on approval_requests (agent_pipeline_revision_id);
    create index approval_requests_escalation_path_revision_id_idx on approval_requests (escalation_path_revision_id)
      where escalation_path_revision_id is not null;
    comment on table approval_requests is 'One tool call that asked for approval. Every writer locks the row first; last_at is its only clock.';
    comment on column approval_requests.state is 'evaluating: the pipeline has not handed it to people; shown as pending outside.';
    comment on column approval_requests.admitted is 'Answered 201 before the pipeline concluded: the pending cap no longer applies.';
    comment on column approval_requests.wake_at is 'When the backstop looks after the request if its workflow has not; null when nothing is left to do.';
    comment on column approval_requests.arguments is 'The source text as sent: json, never jsonb. So are context and agent_reasoning.';

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
      constraint decisions_expires_at_check check ((status = 'approved') = (expires_at is not null))
    );
    create unique index decisions_idempotency_key on decisions (organization_id, idempotency_key) where membership_id is not null;
    create index decisions_membership_id_idx on decisions (membership_id) where membership_id is not null;
    create index decisions_organization_id_idx on decisions (organization_id);
    create trigger decisions_immutable before update or delete on decisions for each row execute function refuse_change();
    comment on table decisions is 'The one final answer to a request. Never changed, never deleted.';

    create table escalation_steps (
      request_id uuid not null constraint escalation_steps_request_id_fkey references approval_requests,
      step_key text not null,
      run integer not null,
      node_id text,
      kind text not null constraint escalation_steps_kind_check check (kind in ('notified', 'skipped')),
      at timestamptz(3) not null,
      escalate_at timestamptz(3),
      constraint escalation_steps_pkey primary key (request_id, step_key)
    );
    comment on table escalation_steps is 'Each level a request reached: node and run. node_id null: a request without a path.';

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
    create index notifications_membership_id_idx on notifications (membership_id, request_id);
    create index notifications_organization_id_idx on notifications (organization_id);
    comment on table notifications is 'Who is to be told about a request, once per level and run.';

    create table audit_events (
      sequence bigint generated always as identity primary key,
      id uuid not null constraint audit_events_id_key unique,
      organization_id uuid not null constraint audit_events_organization_id_fkey references organizations,
      event_type text not null,
      actor_type text not null constraint audit_events_actor_type_check check (actor_type in ('human', 'agent', 'system', 'api_key')),
      actor_id text,
      actor_display_name text,
      subject_type text not null,
      subject_id text not null,
      data json not null,
      occurred_at timestamptz(3) not null
    );
    create index audit_events_organization_id_idx on audit_events (organization_id, sequence desc);
    create index audit_events_subject_idx on audit_events (organization_id, subject_type, subject_id, sequence);
    create trigger audit_events_immutable before update or delete on audit_events for each row execute function refuse_change();
    create trigger audit_events_no_truncate before truncate on audit_events for each statement execute function refuse_change();
    comment on table audit_events is 'Every notable action, written in the transaction of the change. Append-only.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    'drop table audit_events, notifications, escalation_steps, decisions, approval_requests',
  );
}
