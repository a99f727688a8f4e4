-- Generated from the migrations by `npm run schema`. Do not edit.

CREATE OR REPLACE FUNCTION public.folded_name(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(replace(replace(lower((NORMALIZE(regexp_replace(name, '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]'::text, ''::text, 'g'::text), NFKC) COLLATE pg_c_utf8)), 'ß'::text, 'ss'::text), 'ς'::text, 'σ'::text), '^[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$'::text, ''::text, 'g'::text);
COMMENT ON FUNCTION folded_name(name text) IS 'A name as names are compared: without invisible characters and surrounding white space, NFKC, case folded. lower() alone leaves ß and ς.';

CREATE OR REPLACE FUNCTION public.mark_request_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.changed_in = pg_current_xact_id();
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
    end $function$;

CREATE OR REPLACE FUNCTION public.text_digest(value text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN sha256(convert_to(value, 'UTF8'::name));
COMMENT ON FUNCTION text_digest(value text) IS 'SHA-256 of a text, for unique indexes on long ones. The encoding of the database never changes, so it is immutable.';

CREATE TABLE account_mails (
  id uuid NOT NULL,
  address text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL DEFAULT 1,
  next_attempt_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT account_mails_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE account_mails IS 'Emails to people about their own accounts. A row is deleted once its email is sent, and three days later if the mail server takes none.';
CREATE INDEX account_mails_next_attempt_at_idx ON account_mails USING btree (next_attempt_at);
COMMENT ON COLUMN account_mails.attempts IS 'The process that writes the row makes the first attempt, after its commit.';

CREATE TABLE added_reviewers (
  request_id uuid NOT NULL,
  membership_id uuid NOT NULL,
  added_by_membership_id uuid NOT NULL,
  added_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT added_reviewers_pkey PRIMARY KEY (request_id, membership_id),
  CONSTRAINT added_reviewers_added_by_membership_id_fkey FOREIGN KEY (added_by_membership_id) REFERENCES memberships(id),
  CONSTRAINT added_reviewers_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT added_reviewers_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id)
);
COMMENT ON TABLE added_reviewers IS 'People a reviewer added to a request, beside those its path names.';
CREATE INDEX added_reviewers_added_by_membership_id_idx ON added_reviewers USING btree (added_by_membership_id);
CREATE INDEX added_reviewers_membership_id_idx ON added_reviewers USING btree (membership_id, request_id);

CREATE TABLE agent_credentials (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  agent_instance_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  issued_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT agent_credentials_pkey PRIMARY KEY (id),
  CONSTRAINT agent_credentials_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id),
  CONSTRAINT agent_credentials_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE agent_credentials IS 'Bearer credentials of instances (whc_). Only the SHA-256 of the secret is kept.';
CREATE INDEX agent_credentials_agent_instance_id_idx ON agent_credentials USING btree (agent_instance_id);
CREATE INDEX agent_credentials_organization_id_idx ON agent_credentials USING btree (organization_id);

CREATE TABLE agent_enrollments (
  id uuid NOT NULL,
  code_hash bytea NOT NULL,
  user_code_hash bytea NOT NULL,
  runtime text NOT NULL,
  requested_agent_slug text,
  instance_name text NOT NULL,
  instance_metadata json NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  agent_instance_id uuid,
  exchanged_at timestamp(3) with time zone,
  authorized_by_membership_id uuid,
  CONSTRAINT agent_enrollments_pkey PRIMARY KEY (id),
  CONSTRAINT agent_enrollments_user_code_hash_key UNIQUE (user_code_hash),
  CONSTRAINT agent_enrollments_exchanged_check CHECK (((exchanged_at IS NULL) OR (agent_instance_id IS NOT NULL))),
  CONSTRAINT agent_enrollments_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id),
  CONSTRAINT agent_enrollments_authorized_by_fkey FOREIGN KEY (authorized_by_membership_id) REFERENCES memberships(id)
);
COMMENT ON TABLE agent_enrollments IS 'Machines that ask to become an instance. Only hashes of both codes are kept. agent_instance_id null: no person has authorized it. Purged a day after expires_at.';
CREATE INDEX agent_enrollments_agent_instance_id_idx ON agent_enrollments USING btree (agent_instance_id) WHERE (agent_instance_id IS NOT NULL);
CREATE INDEX agent_enrollments_authorized_by_idx ON agent_enrollments USING btree (authorized_by_membership_id);
CREATE INDEX agent_enrollments_expires_at_idx ON agent_enrollments USING btree (expires_at);

CREATE TABLE agent_instance_request_days (
  agent_instance_id uuid NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  CONSTRAINT agent_instance_request_days_pkey PRIMARY KEY (agent_instance_id, day),
  CONSTRAINT agent_instance_request_days_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id)
);
COMMENT ON TABLE agent_instance_request_days IS 'The same for instances. Only the last seven days are kept.';
CREATE INDEX agent_instance_request_days_day_idx ON agent_instance_request_days USING btree (day);

CREATE TABLE agent_instances (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  agent_slug text NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  metadata json NOT NULL DEFAULT '{}'::json,
  created_at timestamp(3) with time zone NOT NULL,
  last_seen_at timestamp(3) with time zone NOT NULL,
  live_until timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  withdrawals integer NOT NULL DEFAULT 0,
  CONSTRAINT agent_instances_pkey PRIMARY KEY (id),
  CONSTRAINT agent_instances_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  CONSTRAINT agent_instances_agent_fkey FOREIGN KEY (organization_id, agent_slug) REFERENCES agents(organization_id, slug)
);
COMMENT ON TABLE agent_instances IS 'One running copy of an agent. Requests, idempotency keys and credentials belong to it.';
CREATE INDEX agent_instances_last_seen_idx ON agent_instances USING btree (organization_id, agent_slug, last_seen_at DESC, created_at DESC, id DESC);
CREATE INDEX agent_instances_live_idx ON agent_instances USING btree (organization_id, agent_slug, status, live_until);
CREATE UNIQUE INDEX agent_instances_name_key ON agent_instances USING btree (organization_id, agent_slug, text_digest(folded_name(name))) WHERE (deleted_at IS NULL);
COMMENT ON COLUMN agent_instances.live_until IS 'When the last of its credentials that is not revoked expires; null when there is none.';
COMMENT ON COLUMN agent_instances.deleted_at IS 'A deleted instance keeps its requests. Its name is free again.';
COMMENT ON COLUMN agent_instances.withdrawals IS 'How often a key of it was withdrawn that had no request. A request is made only at the number that its statement saw.';

CREATE TABLE agent_provisioners (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  agent_slug text NOT NULL,
  created_by_actor_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  suffix text NOT NULL,
  issued_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT agent_provisioners_pkey PRIMARY KEY (id),
  CONSTRAINT agent_provisioners_suffix_check CHECK ((length(suffix) = 6)),
  CONSTRAINT agent_provisioners_agent_fkey FOREIGN KEY (organization_id, agent_slug) REFERENCES agents(organization_id, slug)
);
COMMENT ON TABLE agent_provisioners IS 'Provisioner tokens (whp_) of agents. Only the SHA-256 of the secret and the last six characters of the token are kept.';
CREATE INDEX agent_provisioners_list_idx ON agent_provisioners USING btree (organization_id, agent_slug, issued_at DESC, id DESC);

CREATE TABLE agent_request_days (
  organization_id uuid NOT NULL,
  agent_slug text NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  CONSTRAINT agent_request_days_pkey PRIMARY KEY (organization_id, agent_slug, day),
  CONSTRAINT agent_request_days_agent_fkey FOREIGN KEY (organization_id, agent_slug) REFERENCES agents(organization_id, slug)
);
COMMENT ON TABLE agent_request_days IS 'How many requests an agent created on a UTC day, before request_count_mark. Later ones are counted when a list is read.';

CREATE TABLE agents (
  organization_id uuid NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  created_by_actor_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone,
  tool_access_revision integer NOT NULL DEFAULT 0,
  resume text NOT NULL DEFAULT 'instance'::text,
  demo boolean NOT NULL DEFAULT false,
  approval_window_seconds integer NOT NULL DEFAULT 300,
  CONSTRAINT agents_pkey PRIMARY KEY (organization_id, slug),
  CONSTRAINT agents_approval_window_check CHECK (((approval_window_seconds >= 60) AND (approval_window_seconds <= 86400))),
  CONSTRAINT agents_archived_at_check CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
  CONSTRAINT agents_resume_check CHECK ((resume = ANY (ARRAY['instance'::text, 'agent'::text]))),
  CONSTRAINT agents_slug_check CHECK ((slug ~ '^[a-z0-9][a-z0-9._-]{0,62}$'::text)),
  CONSTRAINT agents_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'archived'::text]))),
  CONSTRAINT agents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE agents IS 'An AI agent, known by its slug for ever: a slug is never changed and never used again.';
CREATE UNIQUE INDEX agents_demo_key ON agents USING btree (organization_id) WHERE demo;
CREATE UNIQUE INDEX agents_live_name_key ON agents USING btree (organization_id, text_digest(folded_name(name))) WHERE (status <> 'archived'::text);
CREATE TRIGGER agents_demo_immutable BEFORE UPDATE OF demo ON agents FOR EACH ROW WHEN ((old.demo IS DISTINCT FROM new.demo)) EXECUTE FUNCTION refuse_change();
COMMENT ON COLUMN agents.tool_access_revision IS 'Counts the changes of its tool access.';
COMMENT ON COLUMN agents.resume IS 'Who may read, wait for, start and withdraw a request: the instance that made it, or any active instance of the agent.';
COMMENT ON COLUMN agents.demo IS 'The service made it to show how a request is decided. No figure and no limit counts it.';
COMMENT ON COLUMN agents.approval_window_seconds IS 'How long an approved call may start after its decision. Each decision keeps the window of its instant.';

CREATE TABLE api_keys (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  kind text NOT NULL,
  membership_id uuid,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  permissions text[],
  assurance_at_issue text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  revocation_reason text,
  created_by_membership_id uuid NOT NULL,
  token_expires_at timestamp(3) with time zone,
  resource text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_assurance_at_issue_check CHECK ((assurance_at_issue = ANY (ARRAY['single_factor'::text, 'strong'::text]))),
  CONSTRAINT api_keys_kind_check CHECK ((kind = ANY (ARRAY['personal'::text, 'organization'::text]))),
  CONSTRAINT api_keys_personal_check CHECK (((kind = 'personal'::text) = (membership_id IS NOT NULL))),
  CONSTRAINT api_keys_resource_check CHECK ((resource = ANY (ARRAY['mcp'::text, 'api'::text]))),
  CONSTRAINT api_keys_revocation_reason_check CHECK ((revocation_reason = ANY (ARRAY['manual'::text, 'membership_deprovisioned'::text]))),
  CONSTRAINT api_keys_created_by_membership_id_fkey FOREIGN KEY (created_by_membership_id) REFERENCES memberships(id),
  CONSTRAINT api_keys_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE api_keys IS 'Bearer keys of the product API. Only the SHA-256 of the secret is kept. permissions null: everything its member holds.';
CREATE INDEX api_keys_created_by_membership_id_idx ON api_keys USING btree (created_by_membership_id);
CREATE INDEX api_keys_ending_idx ON api_keys USING btree (organization_id, expires_at) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX api_keys_membership_id_idx ON api_keys USING btree (membership_id, created_at DESC, id DESC);
CREATE INDEX api_keys_organization_id_idx ON api_keys USING btree (organization_id, created_at DESC, id DESC);
COMMENT ON COLUMN api_keys.token_expires_at IS 'Of a key of a client: when its present token stops working. The key lives on, with a new token.';
COMMENT ON COLUMN api_keys.resource IS 'Of a key of a client: what it opens. mcp: nothing but the MCP endpoint and its own verification.';

CREATE TABLE approval_requests (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  agent_slug text NOT NULL,
  agent_name text NOT NULL,
  agent_instance_id uuid NOT NULL,
  agent_instance_name text NOT NULL,
  agent_credential_id uuid NOT NULL,
  tool text NOT NULL,
  server text,
  arguments json NOT NULL,
  agent_reasoning json,
  context json,
  timeout text NOT NULL,
  idempotency_key text NOT NULL,
  organization_pipeline_revision_id uuid,
  agent_pipeline_revision_id uuid,
  state text NOT NULL,
  admitted boolean NOT NULL DEFAULT false,
  created_at timestamp(3) with time zone NOT NULL,
  deadline_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  last_at timestamp(3) with time zone NOT NULL,
  wake_at timestamp(3) with time zone,
  wake_attempts integer NOT NULL DEFAULT 0,
  routed_at timestamp(3) with time zone,
  route_source text,
  route_scope text,
  route_block_id text,
  route_reason text,
  escalation_path_revision_id uuid,
  urgency text NOT NULL DEFAULT 'standard'::text,
  walk json,
  next_at timestamp(3) with time zone,
  previous_metadata json,
  changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  call_digest bytea,
  started_at timestamp(3) with time zone,
  started_by_instance_id uuid,
  start_key text,
  result_outcome text,
  result_detail text,
  result_arguments_digest text,
  result_at timestamp(3) with time zone,
  CONSTRAINT approval_requests_pkey PRIMARY KEY (id),
  CONSTRAINT approval_requests_idempotency_key UNIQUE (agent_instance_id, idempotency_key),
  CONSTRAINT approval_requests_pending_routed_check CHECK (((state <> 'pending'::text) OR (routed_at IS NOT NULL))),
  CONSTRAINT approval_requests_result_check CHECK ((((result_outcome IS NULL) = (result_at IS NULL)) AND ((result_at IS NULL) OR (started_at IS NOT NULL)) AND ((result_outcome IS NOT NULL) OR ((result_detail IS NULL) AND (result_arguments_digest IS NULL))))) NOT VALID,
  CONSTRAINT approval_requests_result_digest_check CHECK ((result_arguments_digest ~ '^[0-9a-f]{64}$'::text)) NOT VALID,
  CONSTRAINT approval_requests_result_outcome_check CHECK ((result_outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'not_run'::text, 'refused_by_runtime'::text, 'ran_differently'::text]))) NOT VALID,
  CONSTRAINT approval_requests_route_scope_check CHECK ((route_scope = ANY (ARRAY['organization'::text, 'agent'::text]))),
  CONSTRAINT approval_requests_route_source_check CHECK ((route_source = ANY (ARRAY['block_escalation'::text, 'pipeline_default'::text, 'no_escalation'::text]))),
  CONSTRAINT approval_requests_start_key_check CHECK (((start_key IS NULL) OR (started_at IS NOT NULL))) NOT VALID,
  CONSTRAINT approval_requests_started_check CHECK ((((started_at IS NULL) = (started_by_instance_id IS NULL)) AND ((started_at IS NULL) OR (state = 'approved'::text)))),
  CONSTRAINT approval_requests_state_check CHECK ((state = ANY (ARRAY['evaluating'::text, 'pending'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT approval_requests_urgency_check CHECK ((urgency = ANY (ARRAY['standard'::text, 'interrupt'::text]))),
  CONSTRAINT approval_requests_agent_credential_id_fkey FOREIGN KEY (agent_credential_id) REFERENCES agent_credentials(id),
  CONSTRAINT approval_requests_agent_fkey FOREIGN KEY (organization_id, agent_slug) REFERENCES agents(organization_id, slug),
  CONSTRAINT approval_requests_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id),
  CONSTRAINT approval_requests_agent_pipeline_revision_id_fkey FOREIGN KEY (agent_pipeline_revision_id) REFERENCES request_approval_pipeline_revisions(id),
  CONSTRAINT approval_requests_escalation_path_revision_id_fkey FOREIGN KEY (escalation_path_revision_id) REFERENCES escalation_path_revisions(id),
  CONSTRAINT approval_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT approval_requests_organization_pipeline_revision_id_fkey FOREIGN KEY (organization_pipeline_revision_id) REFERENCES request_approval_pipeline_revisions(id)
);
COMMENT ON TABLE approval_requests IS 'One tool call that asked for approval. Every writer locks the row first; last_at is its only clock.';
CREATE INDEX approval_requests_agent_credential_id_idx ON approval_requests USING btree (agent_credential_id);
CREATE INDEX approval_requests_agent_idx ON approval_requests USING btree (organization_id, agent_slug, created_at DESC, id DESC);
CREATE INDEX approval_requests_agent_pipeline_revision_id_idx ON approval_requests USING btree (agent_pipeline_revision_id);
CREATE INDEX approval_requests_call_idx ON approval_requests USING btree (call_digest, state, updated_at) WHERE ((state = ANY (ARRAY['pending'::text, 'denied'::text])) AND (call_digest IS NOT NULL));
CREATE INDEX approval_requests_changed_idx ON approval_requests USING btree (organization_id, changed_in) WHERE (routed_at IS NOT NULL);
CREATE INDEX approval_requests_open_agent_idx ON approval_requests USING btree (organization_id, agent_slug, state) WHERE (state = ANY (ARRAY['evaluating'::text, 'pending'::text]));
CREATE INDEX approval_requests_open_deadline_idx ON approval_requests USING btree (deadline_at) WHERE (state = ANY (ARRAY['evaluating'::text, 'pending'::text]));
CREATE INDEX approval_requests_open_instance_idx ON approval_requests USING btree (agent_instance_id, created_at DESC, id DESC) WHERE (state = ANY (ARRAY['evaluating'::text, 'pending'::text]));
CREATE INDEX approval_requests_organization_pipeline_revision_id_idx ON approval_requests USING btree (organization_pipeline_revision_id);
CREATE INDEX approval_requests_path_idx ON approval_requests USING btree (escalation_path_revision_id, created_at DESC, id DESC) WHERE (escalation_path_revision_id IS NOT NULL);
CREATE INDEX approval_requests_path_pending_idx ON approval_requests USING btree (escalation_path_revision_id, created_at DESC, id DESC) WHERE ((state = 'pending'::text) AND (escalation_path_revision_id IS NOT NULL));
CREATE INDEX approval_requests_pending_deadline_idx ON approval_requests USING btree (organization_id, deadline_at, id) WHERE (state = 'pending'::text);
CREATE INDEX approval_requests_queue_idx ON approval_requests USING btree (organization_id, created_at DESC, id DESC) WHERE (routed_at IS NOT NULL);
CREATE INDEX approval_requests_ruled_idx ON approval_requests USING btree (organization_id, created_at DESC, id DESC) WHERE (routed_at IS NULL);
CREATE INDEX approval_requests_state_idx ON approval_requests USING btree (organization_id, state, created_at DESC, id DESC) WHERE (routed_at IS NOT NULL);
CREATE INDEX approval_requests_unrouted_idx ON approval_requests USING btree (organization_id, created_at DESC, id DESC) WHERE ((routed_at IS NOT NULL) AND (escalation_path_revision_id IS NULL));
CREATE INDEX approval_requests_unrouted_pending_idx ON approval_requests USING btree (organization_id, created_at DESC, id DESC) WHERE ((state = 'pending'::text) AND (routed_at IS NOT NULL) AND (escalation_path_revision_id IS NULL));
CREATE INDEX approval_requests_unused_call_idx ON approval_requests USING btree (call_digest, created_at) WHERE ((state = 'approved'::text) AND (started_at IS NULL) AND (call_digest IS NOT NULL));
CREATE INDEX approval_requests_wake_at_idx ON approval_requests USING btree (wake_at) WHERE (wake_at IS NOT NULL);
CREATE TRIGGER approval_requests_changed BEFORE UPDATE OF updated_at ON approval_requests FOR EACH ROW EXECUTE FUNCTION mark_request_changed();
COMMENT ON COLUMN approval_requests.arguments IS 'The source text as sent: json, never jsonb. So are context and agent_reasoning.';
COMMENT ON COLUMN approval_requests.state IS 'evaluating: the pipeline has not handed it to people; shown as pending outside.';
COMMENT ON COLUMN approval_requests.admitted IS 'Answered 201 before the pipeline concluded: the pending cap no longer applies.';
COMMENT ON COLUMN approval_requests.wake_at IS 'When the reconciler steps the request if its workflow has not; null when nothing is left to do.';
COMMENT ON COLUMN approval_requests.previous_metadata IS 'What blocks that asked other systems returned: {organization, agent}, each by block id. Exact JSON text.';
COMMENT ON COLUMN approval_requests.changed_in IS 'The transaction of the last change that a queue shows. Set with updated_at, also when that keeps its value.';
COMMENT ON COLUMN approval_requests.call_digest IS 'SHA-256 of agent, tool, server and the text of arguments. Null for requests of versions before.';
COMMENT ON COLUMN approval_requests.started_at IS 'When an adapter reported that it starts the approved call. An approval is started once.';
COMMENT ON COLUMN approval_requests.start_key IS 'The Idempotency-Key of the start: the same key gets the same response again.';
COMMENT ON COLUMN approval_requests.result_outcome IS 'What the instance that started the call reported afterwards, once.';

CREATE TABLE audit_chain (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  event_sequence bigint NOT NULL,
  leaf bytea NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_chain_pkey PRIMARY KEY (organization_id, "position"),
  CONSTRAINT audit_chain_event_sequence_key UNIQUE (event_sequence),
  CONSTRAINT audit_chain_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT audit_chain_leaf_check CHECK ((octet_length(leaf) = 32)),
  CONSTRAINT audit_chain_position_check CHECK (("position" > 0))
);
COMMENT ON TABLE audit_chain IS 'The order of each organization''s audit events, each linked to the one before. Append-only. It has no foreign keys, because they would lock and rewrite rows of events.';
CREATE TRIGGER audit_chain_immutable BEFORE DELETE OR UPDATE ON audit_chain FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_chain_no_truncate BEFORE TRUNCATE ON audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON COLUMN audit_chain.leaf IS 'SHA-256 of the event''s canonical line.';
COMMENT ON COLUMN audit_chain.hash IS 'SHA-256 of organization, hash before, position and leaf.';

CREATE TABLE audit_checkpoint_mails (
  organization_id uuid NOT NULL,
  mailed_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT audit_checkpoint_mails_pkey PRIMARY KEY (organization_id),
  CONSTRAINT audit_checkpoint_mails_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE audit_checkpoint_mails IS 'When the owners of an organization last got its newest checkpoint by email.';

CREATE TABLE audit_checkpoints (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  hash bytea NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  key_id text NOT NULL,
  signature bytea NOT NULL,
  number bigint,
  previous bytea,
  CONSTRAINT audit_checkpoints_pkey PRIMARY KEY (organization_id, "position"),
  CONSTRAINT audit_checkpoints_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT audit_checkpoints_number_check CHECK ((number > 0)) NOT VALID,
  CONSTRAINT audit_checkpoints_previous_check CHECK ((((number IS NULL) = (previous IS NULL)) AND (octet_length(previous) = 32))) NOT VALID,
  CONSTRAINT audit_checkpoints_signature_check CHECK ((octet_length(signature) = 64)),
  CONSTRAINT audit_checkpoints_key_id_fkey FOREIGN KEY (key_id) REFERENCES audit_signing_keys(id),
  CONSTRAINT audit_checkpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE audit_checkpoints IS 'Where a chain ended at some time, signed by a key outside the database. Append-only.';
CREATE INDEX audit_checkpoints_key_id_idx ON audit_checkpoints USING btree (key_id);
CREATE UNIQUE INDEX audit_checkpoints_number_key ON audit_checkpoints USING btree (organization_id, number) WHERE (number IS NOT NULL);
CREATE TRIGGER audit_checkpoints_immutable BEFORE DELETE OR UPDATE ON audit_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_checkpoints_no_truncate BEFORE TRUNCATE ON audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON COLUMN audit_checkpoints.number IS 'Counts the checkpoints of a chain from 1, without gaps. Null in those of version 1.';
COMMENT ON COLUMN audit_checkpoints.previous IS 'SHA-256 of what the signature of the checkpoint before covers, zeros for the first.';

CREATE TABLE audit_checkpoints_due (
  organization_id uuid NOT NULL,
  due_at timestamp(3) with time zone NOT NULL,
  refused_since timestamp(3) with time zone,
  refused_because text,
  not_kept boolean NOT NULL DEFAULT false,
  CONSTRAINT audit_checkpoints_due_pkey PRIMARY KEY (organization_id),
  CONSTRAINT audit_checkpoints_due_refused_check CHECK (((refused_since IS NULL) = (refused_because IS NULL))) NOT VALID,
  CONSTRAINT audit_checkpoints_due_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE audit_checkpoints_due IS 'Chains with entries after their newest checkpoint, and when they get the next one.';
CREATE INDEX audit_checkpoints_due_due_at_idx ON audit_checkpoints_due USING btree (due_at);
COMMENT ON COLUMN audit_checkpoints_due.refused_because IS 'Why sealers refuse to sign the chain: it does not extend what they signed last.';
COMMENT ON COLUMN audit_checkpoints_due.not_kept IS 'A refused chain may be whole: the sealer cannot keep what it signs. False: the chain does not extend what was signed last.';

CREATE TABLE audit_counts (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  actor_type text NOT NULL,
  subject_type text NOT NULL,
  outcome text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT audit_counts_pkey PRIMARY KEY (organization_id, day, event_type, actor_type, subject_type, outcome)
);
COMMENT ON TABLE audit_counts IS 'How many events are in audit_index, by day of UTC. The outcome is empty for events without one.';

CREATE TABLE audit_events (
  sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  event_type text NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  actor_display_name text,
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  data json NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT audit_events_pkey PRIMARY KEY (sequence),
  CONSTRAINT audit_events_id_key UNIQUE (id),
  CONSTRAINT audit_events_actor_type_check CHECK ((actor_type = ANY (ARRAY['human'::text, 'agent'::text, 'system'::text, 'api_key'::text]))),
  CONSTRAINT audit_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE audit_events IS 'Every notable action, written in the transaction of the change. Append-only.';
CREATE INDEX audit_events_organization_id_idx ON audit_events USING btree (organization_id, sequence DESC);
CREATE INDEX audit_events_subject_idx ON audit_events USING btree (organization_id, subject_type, subject_id, sequence);
CREATE TRIGGER audit_events_immutable BEFORE DELETE OR UPDATE ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_horizon (
  only_row boolean NOT NULL DEFAULT true,
  sealed_to bigint NOT NULL DEFAULT 0,
  settled_to bigint NOT NULL DEFAULT 0,
  pending_to bigint,
  pending_at timestamp(3) with time zone,
  pending_xmax xid8,
  CONSTRAINT audit_horizon_pkey PRIMARY KEY (only_row),
  CONSTRAINT audit_horizon_only_row_check CHECK (only_row),
  CONSTRAINT audit_horizon_pending_check CHECK ((((pending_to IS NULL) = (pending_at IS NULL)) AND ((pending_xmax IS NULL) OR (pending_to IS NOT NULL))))
);
COMMENT ON TABLE audit_horizon IS 'How far the sealers need not look again. It saves work, and proves nothing.';
COMMENT ON COLUMN audit_horizon.sealed_to IS 'All events with this sequence or a lower one are sealed.';
COMMENT ON COLUMN audit_horizon.settled_to IS 'No transaction can add an event with this sequence or a lower one.';

CREATE TABLE audit_index (
  sequence bigint NOT NULL,
  organization_id uuid NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  actor text COLLATE "C" NOT NULL,
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  outcome text,
  words text COLLATE "C" NOT NULL,
  CONSTRAINT audit_index_pkey PRIMARY KEY (sequence)
);
COMMENT ON TABLE audit_index IS 'Columns of audit events by which readers find them. Derived: sealers fill it again after truncate audit_index, audit_counts, audit_pairs, audit_indexed.';
CREATE INDEX audit_index_actor_id_idx ON audit_index USING btree (organization_id, actor_id, occurred_at, sequence) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_index_actor_idx ON audit_index USING btree (organization_id, actor, occurred_at, sequence);
CREATE INDEX audit_index_actor_type_idx ON audit_index USING btree (organization_id, actor_type, occurred_at, sequence);
CREATE INDEX audit_index_occurred_idx ON audit_index USING btree (organization_id, occurred_at, sequence);
CREATE INDEX audit_index_outcome_idx ON audit_index USING btree (organization_id, outcome, occurred_at, sequence) WHERE (outcome IS NOT NULL);
CREATE INDEX audit_index_subject_idx ON audit_index USING btree (organization_id, subject_type, subject_id, occurred_at, sequence);
CREATE INDEX audit_index_type_idx ON audit_index USING btree (organization_id, event_type, occurred_at, sequence);
CREATE INDEX audit_index_words_idx ON audit_index USING gin (words gin_trgm_ops);
COMMENT ON COLUMN audit_index.actor IS 'The name of the actor, else its id, in small letters.';
COMMENT ON COLUMN audit_index.words IS 'What a search looks at, in small letters: also the data without the escapes of JSON.';

CREATE TABLE audit_indexed (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  CONSTRAINT audit_indexed_pkey PRIMARY KEY (organization_id)
);
COMMENT ON TABLE audit_indexed IS 'Up to which position the events of a chain are in audit_index and audit_counts.';

CREATE TABLE audit_pairs (
  organization_id uuid NOT NULL,
  block bigint NOT NULL,
  sequences bigint[] NOT NULL,
  pairs text[] NOT NULL,
  CONSTRAINT audit_pairs_pkey PRIMARY KEY (organization_id, block)
);
COMMENT ON TABLE audit_pairs IS 'Which pairs of characters occur in the words of which events of audit_index. Derived. Blocks follow the positions of a chain.';
CREATE INDEX audit_pairs_pairs_idx ON audit_pairs USING gin (pairs);

CREATE TABLE audit_signing_keys (
  id text NOT NULL,
  public_key bytea NOT NULL,
  first_used_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT audit_signing_keys_pkey PRIMARY KEY (id),
  CONSTRAINT audit_signing_keys_public_key_check CHECK ((octet_length(public_key) = 32))
);
COMMENT ON TABLE audit_signing_keys IS 'Every key that ever signed a checkpoint, so that old ones can be verified. Append-only.';
CREATE TRIGGER audit_signing_keys_immutable BEFORE DELETE OR UPDATE ON audit_signing_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_signing_keys_no_truncate BEFORE TRUNCATE ON audit_signing_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE channel_states (
  channel_id uuid NOT NULL,
  receiver uuid NOT NULL,
  state text NOT NULL,
  cause text NOT NULL,
  since timestamp(3) with time zone NOT NULL,
  CONSTRAINT channel_states_pkey PRIMARY KEY (channel_id, receiver),
  CONSTRAINT channel_states_state_check CHECK ((state = ANY (ARRAY['failing'::text, 'broken'::text]))),
  CONSTRAINT channel_states_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id)
);
COMMENT ON TABLE channel_states IS 'Channels that do not work. failing: messages are tried again; broken: the last one failed for good. Without a row a channel works.';
CREATE INDEX channel_states_receiver_idx ON channel_states USING btree (receiver);
COMMENT ON COLUMN channel_states.receiver IS 'The member whose messages fail, or the channel itself where the cause concerns everyone.';
COMMENT ON COLUMN channel_states.since IS 'When this cause first came up since the last success.';

CREATE TABLE claims (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  request_id uuid NOT NULL,
  membership_id uuid NOT NULL,
  display_name text NOT NULL,
  claimed_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  CONSTRAINT claims_pkey PRIMARY KEY (id),
  CONSTRAINT claims_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT claims_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT claims_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id)
);
COMMENT ON TABLE claims IS 'A reviewer said that they look after a request: advisory. ended_at null: live until expires_at, while the request is pending.';
CREATE UNIQUE INDEX claims_live_key ON claims USING btree (request_id) WHERE (ended_at IS NULL);
CREATE INDEX claims_membership_id_idx ON claims USING btree (membership_id);
CREATE INDEX claims_organization_id_idx ON claims USING btree (organization_id);
CREATE INDEX claims_request_id_idx ON claims USING btree (request_id);

CREATE TABLE decisions (
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  membership_id uuid,
  status text NOT NULL,
  note text,
  channel text NOT NULL,
  reviewer_display_name text,
  reviewer_email text,
  authentication json NOT NULL,
  idempotency_key text NOT NULL,
  decided_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone,
  seen_arguments_digest text,
  CONSTRAINT decisions_pkey PRIMARY KEY (id),
  CONSTRAINT decisions_request_id_key UNIQUE (request_id),
  CONSTRAINT decisions_expires_at_check CHECK (((status = 'approved'::text) = (expires_at IS NOT NULL))),
  CONSTRAINT decisions_seen_arguments_digest_check CHECK ((seen_arguments_digest ~ '^[0-9a-f]{64}$'::text)) NOT VALID,
  CONSTRAINT decisions_status_check CHECK ((status = ANY (ARRAY['approved'::text, 'denied'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT decisions_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT decisions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT decisions_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id)
);
COMMENT ON TABLE decisions IS 'The one final answer to a request. Never changed, never deleted.';
CREATE INDEX decisions_decided_idx ON decisions USING btree (organization_id, decided_at);
CREATE UNIQUE INDEX decisions_idempotency_key ON decisions USING btree (organization_id, idempotency_key) WHERE (membership_id IS NOT NULL);
CREATE INDEX decisions_membership_id_idx ON decisions USING btree (membership_id) WHERE (membership_id IS NOT NULL);
CREATE TRIGGER decisions_immutable BEFORE DELETE OR UPDATE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
COMMENT ON COLUMN decisions.seen_arguments_digest IS 'SHA-256 of the arguments that the reviewer saw, where the client sent it. It was compared with the request.';

CREATE TABLE escalation_path_revisions (
  id uuid NOT NULL,
  escalation_path_id uuid NOT NULL,
  revision bigint NOT NULL,
  document json NOT NULL,
  created_by_actor_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  comment text,
  activated_at timestamp(3) with time zone,
  activated_by_actor_id uuid,
  CONSTRAINT escalation_path_revisions_pkey PRIMARY KEY (id),
  CONSTRAINT escalation_path_revisions_revision_key UNIQUE (escalation_path_id, revision),
  CONSTRAINT escalation_path_revisions_activated_check CHECK (((activated_at IS NULL) = (activated_by_actor_id IS NULL))),
  CONSTRAINT escalation_path_revisions_comment_check CHECK ((char_length(comment) <= 500)),
  CONSTRAINT escalation_path_revisions_document_fkey FOREIGN KEY (escalation_path_id) REFERENCES escalation_paths(id)
);
COMMENT ON TABLE escalation_path_revisions IS 'Immutable but for its last activation. The document is exact JSON text.';
CREATE TRIGGER escalation_path_revisions_immutable BEFORE DELETE OR UPDATE OF id, escalation_path_id, revision, document, comment, created_by_actor_id, created_at ON escalation_path_revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE escalation_path_targets (
  escalation_path_revision_id uuid NOT NULL,
  target_type text NOT NULL,
  membership_id uuid,
  team_id uuid,
  CONSTRAINT escalation_path_targets_key UNIQUE NULLS NOT DISTINCT (escalation_path_revision_id, target_type, membership_id, team_id),
  CONSTRAINT escalation_path_targets_team_check CHECK (((target_type = 'team'::text) = (team_id IS NOT NULL))),
  CONSTRAINT escalation_path_targets_type_check CHECK ((target_type = ANY (ARRAY['user'::text, 'team'::text, 'broadcast'::text]))),
  CONSTRAINT escalation_path_targets_user_check CHECK (((target_type = 'user'::text) = (membership_id IS NOT NULL))),
  CONSTRAINT escalation_path_targets_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT escalation_path_targets_revision_id_fkey FOREIGN KEY (escalation_path_revision_id) REFERENCES escalation_path_revisions(id),
  CONSTRAINT escalation_path_targets_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
COMMENT ON TABLE escalation_path_targets IS 'All targets of a path revision: who may decide what was routed to it.';
CREATE INDEX escalation_path_targets_membership_id_idx ON escalation_path_targets USING btree (membership_id);
CREATE INDEX escalation_path_targets_team_id_idx ON escalation_path_targets USING btree (team_id);

CREATE TABLE escalation_paths (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  document_key text NOT NULL,
  active_revision bigint,
  latest_revision bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT escalation_paths_pkey PRIMARY KEY (id),
  CONSTRAINT escalation_paths_document_key_key UNIQUE (organization_id, document_key),
  CONSTRAINT escalation_paths_archived_check CHECK (((archived_at IS NULL) OR (active_revision IS NULL))),
  CONSTRAINT escalation_paths_active_revision_fkey FOREIGN KEY (id, active_revision) REFERENCES escalation_path_revisions(escalation_path_id, revision),
  CONSTRAINT escalation_paths_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE escalation_paths IS 'Who is asked, in which order, when a request needs a person. document_key is the path_key.';

CREATE TABLE escalation_steps (
  request_id uuid NOT NULL,
  step_key text NOT NULL,
  run integer NOT NULL,
  node_id text,
  kind text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  escalate_at timestamp(3) with time zone,
  team_id uuid,
  CONSTRAINT escalation_steps_pkey PRIMARY KEY (request_id, step_key),
  CONSTRAINT escalation_steps_kind_check CHECK ((kind = ANY (ARRAY['notified'::text, 'skipped'::text]))),
  CONSTRAINT escalation_steps_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id),
  CONSTRAINT escalation_steps_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
COMMENT ON TABLE escalation_steps IS 'Each level a request reached: node and run. node_id null: no level of a path; team_id: a level of a team''s policy inside one.';
CREATE INDEX escalation_steps_team_id_idx ON escalation_steps USING btree (team_id) WHERE (team_id IS NOT NULL);

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  parameters_hash bytea NOT NULL,
  resource_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, operation, key),
  CONSTRAINT idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE idempotency_keys IS 'Which resource a call with an Idempotency-Key made. parameters_hash: SHA-256 of the compared parameters. Kept for ever.';

CREATE TABLE instance_operations (
  agent_provisioner_id uuid NOT NULL,
  key text NOT NULL,
  parameters_hash bytea NOT NULL,
  agent_credential_id uuid,
  sealed_token bytea,
  created_at timestamp(3) with time zone NOT NULL,
  operation text NOT NULL,
  instance_then json,
  lease_id uuid,
  leased_until timestamp(3) with time zone,
  failure text,
  CONSTRAINT instance_operations_pkey PRIMARY KEY (agent_provisioner_id, operation, key),
  CONSTRAINT instance_operations_state_check CHECK ((num_nonnulls(instance_then, lease_id) = 1)),
  CONSTRAINT instance_operations_agent_credential_id_fkey FOREIGN KEY (agent_credential_id) REFERENCES agent_credentials(id),
  CONSTRAINT instance_operations_agent_provisioner_id_fkey FOREIGN KEY (agent_provisioner_id) REFERENCES agent_provisioners(id)
);
COMMENT ON TABLE instance_operations IS 'What provisioner tokens did with an Idempotency-Key. Only the token that made an instance can open its sealed_token. Purged after seven days.';
CREATE INDEX instance_operations_agent_credential_id_idx ON instance_operations USING btree (agent_credential_id);
CREATE INDEX instance_operations_created_at_idx ON instance_operations USING btree (created_at);
COMMENT ON COLUMN instance_operations.operation IS 'create, or update and the id of the instance.';
COMMENT ON COLUMN instance_operations.instance_then IS 'What of the instance may change later, as the operation left it. Null until it is committed.';
COMMENT ON COLUMN instance_operations.lease_id IS 'The attempt that verifies a receiver, or did last. Null once the operation is committed.';
COMMENT ON COLUMN instance_operations.failure IS 'The error code of that attempt, which calls that waited for it get too.';

CREATE TABLE invitations (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  email text NOT NULL,
  permission_policies json NOT NULL,
  token_hash bytea NOT NULL,
  invited_by_membership_id uuid NOT NULL,
  accepted_membership_id uuid,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  accepted_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_accepted_check CHECK (((accepted_at IS NOT NULL) = (accepted_membership_id IS NOT NULL))),
  CONSTRAINT invitations_final_check CHECK ((num_nonnulls(accepted_at, revoked_at) <= 1)),
  CONSTRAINT invitations_accepted_membership_id_fkey FOREIGN KEY (accepted_membership_id) REFERENCES memberships(id),
  CONSTRAINT invitations_invited_by_membership_id_fkey FOREIGN KEY (invited_by_membership_id) REFERENCES memberships(id),
  CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE invitations IS 'A person invited to join, with what they will be allowed to do. Only the SHA-256 of the link''s secret is kept.';
CREATE INDEX invitations_accepted_membership_id_idx ON invitations USING btree (accepted_membership_id);
CREATE INDEX invitations_email_idx ON invitations USING btree (organization_id, lower(email));
CREATE INDEX invitations_invited_by_membership_id_idx ON invitations USING btree (invited_by_membership_id);
CREATE INDEX invitations_organization_id_idx ON invitations USING btree (organization_id, created_at DESC, id DESC);

CREATE TABLE judge_budgets (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  tokens bigint NOT NULL,
  CONSTRAINT judge_budgets_pkey PRIMARY KEY (organization_id, day),
  CONSTRAINT judge_budgets_tokens_check CHECK ((tokens >= 0)),
  CONSTRAINT judge_budgets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE judge_budgets IS 'Tokens that the judges of an organization took on a day in UTC, with those reserved for calls under way. What a killed process had reserved stays taken, because the provider may charge it. Purged after 30 days.';
CREATE INDEX judge_budgets_day_idx ON judge_budgets USING btree (day);

CREATE TABLE memberships (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  status text NOT NULL,
  admission_source text NOT NULL,
  directory_managed boolean NOT NULL DEFAULT false,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT memberships_pkey PRIMARY KEY (id),
  CONSTRAINT memberships_organization_id_user_id_key UNIQUE (organization_id, user_id),
  CONSTRAINT memberships_admission_source_check CHECK ((admission_source = ANY (ARRAY['manual'::text, 'invite'::text, 'sso_jit'::text, 'directory'::text]))),
  CONSTRAINT memberships_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deprovisioned'::text]))),
  CONSTRAINT memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
COMMENT ON TABLE memberships IS 'A person in an organization. Its id is the identity of reviewers everywhere.';
CREATE INDEX memberships_user_id_idx ON memberships USING btree (user_id);

CREATE TABLE mfa_challenges (
  id uuid NOT NULL,
  membership_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  password_digest bytea NOT NULL,
  wrong_codes integer NOT NULL DEFAULT 0,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  CONSTRAINT mfa_challenges_pkey PRIMARY KEY (id),
  CONSTRAINT mfa_challenges_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id)
);
COMMENT ON TABLE mfa_challenges IS 'A sign-in whose password was right and whose second factor is awaited. password_digest: SHA-256 of the hash of that password; another password ends it.';
CREATE INDEX mfa_challenges_expires_at_idx ON mfa_challenges USING btree (expires_at);
CREATE INDEX mfa_challenges_membership_id_idx ON mfa_challenges USING btree (membership_id);

CREATE TABLE notification_channels (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT notification_channels_pkey PRIMARY KEY (id),
  CONSTRAINT notification_channels_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'webhook'::text, 'slack'::text, 'push'::text]))),
  CONSTRAINT notification_channels_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE notification_channels IS 'Where the messages of an organization go. Each organization has one of kind email from the start. Deleted ones stay for what was sent by them.';
CREATE UNIQUE INDEX notification_channels_email_key ON notification_channels USING btree (organization_id) WHERE (kind = 'email'::text);
CREATE INDEX notification_channels_organization_id_idx ON notification_channels USING btree (organization_id);
CREATE UNIQUE INDEX notification_channels_push_key ON notification_channels USING btree (organization_id) WHERE (kind = 'push'::text);

CREATE TABLE notification_deliveries (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  request_id uuid NOT NULL,
  event text NOT NULL,
  notification_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp(3) with time zone,
  lease uuid,
  last_error text,
  delivered_at timestamp(3) with time zone,
  dead_at timestamp(3) with time zone,
  dropped_at timestamp(3) with time zone,
  dropped_reason text,
  created_at timestamp(3) with time zone NOT NULL,
  announces boolean NOT NULL DEFAULT false,
  digest_id uuid,
  cause text,
  step integer NOT NULL DEFAULT 0,
  CONSTRAINT notification_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT notification_deliveries_announces_check CHECK (((NOT announces) OR (event <> 'decided'::text))),
  CONSTRAINT notification_deliveries_dropped_check CHECK (((dropped_at IS NULL) = (dropped_reason IS NULL))),
  CONSTRAINT notification_deliveries_event_check CHECK ((event = ANY (ARRAY['notified'::text, 'decided'::text, 'digest'::text]))),
  CONSTRAINT notification_deliveries_notified_check CHECK (((event <> 'decided'::text) = (notification_id IS NOT NULL))),
  CONSTRAINT notification_deliveries_state_check CHECK ((num_nonnulls(next_attempt_at, delivered_at, dead_at, dropped_at) = 1)),
  CONSTRAINT notification_deliveries_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id),
  CONSTRAINT notification_deliveries_digest_id_fkey FOREIGN KEY (digest_id) REFERENCES notification_deliveries(id) ON DELETE SET NULL,
  CONSTRAINT notification_deliveries_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id),
  CONSTRAINT notification_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT notification_deliveries_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id)
);
COMMENT ON TABLE notification_deliveries IS 'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over, and purged 30 days later, a dead one 90.';
CREATE INDEX notification_deliveries_channel_id_idx ON notification_deliveries USING btree (channel_id, created_at DESC, id DESC);
CREATE INDEX notification_deliveries_dead_at_idx ON notification_deliveries USING btree (dead_at) WHERE (dead_at IS NOT NULL);
CREATE INDEX notification_deliveries_dead_idx ON notification_deliveries USING btree (organization_id, created_at DESC, id DESC) WHERE (dead_at IS NOT NULL);
CREATE UNIQUE INDEX notification_deliveries_decided_key ON notification_deliveries USING btree (request_id, channel_id) WHERE (event = 'decided'::text);
CREATE INDEX notification_deliveries_digest_id_idx ON notification_deliveries USING btree (digest_id) WHERE (digest_id IS NOT NULL);
CREATE INDEX notification_deliveries_due_idx ON notification_deliveries USING btree (channel_id, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX notification_deliveries_finished_idx ON notification_deliveries USING btree (COALESCE(delivered_at, dropped_at)) WHERE (COALESCE(delivered_at, dropped_at) IS NOT NULL);
CREATE INDEX notification_deliveries_list_idx ON notification_deliveries USING btree (organization_id, created_at DESC, id DESC);
CREATE INDEX notification_deliveries_notification_id_idx ON notification_deliveries USING btree (notification_id);
CREATE INDEX notification_deliveries_request_id_idx ON notification_deliveries USING btree (request_id);
CREATE UNIQUE INDEX notification_deliveries_step_key ON notification_deliveries USING btree (notification_id, channel_id, announces, step) WHERE (event = 'notified'::text);
COMMENT ON COLUMN notification_deliveries.lease IS 'Who leased it last; next_attempt_at is when the lease ends. Only the holder records what became of it.';
COMMENT ON COLUMN notification_deliveries.announces IS 'To no member but to the default channel of Slack, once for all who are notified together; notification_id is of one of them.';
COMMENT ON COLUMN notification_deliveries.digest_id IS 'Of a message dropped as in_digest: the delivery that counts it.';
COMMENT ON COLUMN notification_deliveries.cause IS 'Why the last attempt failed, as a code such as mailbox_refused. Null after a success, and in rows from before this column.';
COMMENT ON COLUMN notification_deliveries.step IS 'The position of a personal step; 0 for other messages.';

CREATE TABLE notification_settings (
  membership_id uuid NOT NULL,
  email boolean NOT NULL,
  slack boolean NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  push boolean NOT NULL DEFAULT true,
  CONSTRAINT notification_settings_pkey PRIMARY KEY (membership_id),
  CONSTRAINT notification_settings_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id)
);
COMMENT ON TABLE notification_settings IS 'By which channels a member wants to be notified; without a row by all.';

CREATE TABLE notification_steps (
  membership_id uuid NOT NULL,
  urgency text NOT NULL,
  "position" integer NOT NULL,
  channel_kind text NOT NULL,
  after_seconds integer NOT NULL,
  CONSTRAINT notification_steps_pkey PRIMARY KEY (membership_id, urgency, "position"),
  CONSTRAINT notification_steps_after_check CHECK (((after_seconds >= 0) AND (after_seconds <= 3600))),
  CONSTRAINT notification_steps_urgency_check CHECK ((urgency = ANY (ARRAY['standard'::text, 'interrupt'::text]))),
  CONSTRAINT notification_steps_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id)
);
COMMENT ON TABLE notification_steps IS 'Personal steps. Without a row for an urgency, all channels of the member get a message at once.';
COMMENT ON COLUMN notification_steps."position" IS 'From 1, in the order of the instants.';

CREATE TABLE notification_webhook_previous_secrets (
  channel_id uuid NOT NULL,
  signing_secret bytea NOT NULL,
  signing_secret_key_id text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT notification_webhook_previous_secrets_pkey PRIMARY KEY (channel_id),
  CONSTRAINT notification_webhook_previous_secrets_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_webhooks(channel_id) ON DELETE CASCADE
);
COMMENT ON TABLE notification_webhook_previous_secrets IS 'The sealed secret before the last rotation, where that had an overlap. Until expires_at it signs beside the new one.';

CREATE TABLE notification_webhooks (
  channel_id uuid NOT NULL,
  url text NOT NULL,
  include_arguments boolean NOT NULL DEFAULT false,
  signing_secret bytea NOT NULL,
  signing_secret_key_id text NOT NULL,
  secret_rotated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT notification_webhooks_pkey PRIMARY KEY (channel_id),
  CONSTRAINT notification_webhooks_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id)
);
COMMENT ON TABLE notification_webhooks IS 'What a live channel of kind webhook has besides. The secret is sealed.';

CREATE TABLE notification_windows (
  channel_id uuid NOT NULL,
  receiver uuid NOT NULL,
  began_at timestamp(3) with time zone NOT NULL,
  messages integer NOT NULL,
  digest_id uuid NOT NULL,
  CONSTRAINT notification_windows_pkey PRIMARY KEY (channel_id, receiver),
  CONSTRAINT notification_windows_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id)
);
COMMENT ON TABLE notification_windows IS 'The last minute in which a receiver got messages over a channel, and how many. The row serializes senders that count or send its digest.';
COMMENT ON COLUMN notification_windows.receiver IS 'A membership, or the channel itself for its default channel in Slack.';
COMMENT ON COLUMN notification_windows.digest_id IS 'The delivery that is the digest of this minute, once it has one.';

CREATE TABLE notifications (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  request_id uuid NOT NULL,
  step_key text NOT NULL,
  membership_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT notifications_pkey PRIMARY KEY (id),
  CONSTRAINT notifications_key UNIQUE (request_id, step_key, membership_id),
  CONSTRAINT notifications_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT notifications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT notifications_step_fkey FOREIGN KEY (request_id, step_key) REFERENCES escalation_steps(request_id, step_key)
);
COMMENT ON TABLE notifications IS 'Who is notified about a request, once per level and run.';
CREATE INDEX notifications_membership_id_idx ON notifications USING btree (membership_id, request_id);
CREATE INDEX notifications_organization_id_idx ON notifications USING btree (organization_id);

CREATE TABLE oauth_clients (
  id uuid NOT NULL,
  metadata_url text,
  name text NOT NULL,
  client_uri text,
  redirect_uris text[] NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  fresh_until timestamp(3) with time zone,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_clients_metadata_url_key UNIQUE (metadata_url),
  CONSTRAINT oauth_clients_fresh_until_check CHECK (((metadata_url IS NULL) = (fresh_until IS NULL)))
);
COMMENT ON TABLE oauth_clients IS 'Programs that ask people for a key. Of all organizations. metadata_url: its id is the URL of its metadata document, kept here until fresh_until.';
CREATE INDEX oauth_clients_seen_at_idx ON oauth_clients USING btree (seen_at);

CREATE TABLE oauth_grants (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  client_id uuid NOT NULL,
  api_key_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  code_hash bytea NOT NULL,
  code_expires_at timestamp(3) with time zone NOT NULL,
  code_used_at timestamp(3) with time zone,
  exchanged_at timestamp(3) with time zone,
  ends_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT oauth_grants_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_grants_api_key_id_key UNIQUE (api_key_id),
  CONSTRAINT oauth_grants_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  CONSTRAINT oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id),
  CONSTRAINT oauth_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE oauth_grants IS 'That a person let a client in, with the code that the client exchanges once. Only the hash of the code is kept. The id of the code is the id of the grant. ends_at: when it ends even if it is refreshed.';
CREATE INDEX oauth_grants_client_id_idx ON oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_organization_id_idx ON oauth_grants USING btree (organization_id);
CREATE INDEX oauth_grants_waiting_idx ON oauth_grants USING btree (code_expires_at) WHERE (exchanged_at IS NULL);

CREATE TABLE oauth_refresh_tokens (
  id uuid NOT NULL,
  grant_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  successor_id uuid,
  sealed_tokens bytea,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT oauth_refresh_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_refresh_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE,
  CONSTRAINT oauth_refresh_tokens_successor_id_fkey FOREIGN KEY (successor_id) REFERENCES oauth_refresh_tokens(id) ON DELETE SET NULL
);
COMMENT ON TABLE oauth_refresh_tokens IS 'Each works once. A used one stays until it expires, so that its return is noticed. sealed_tokens: the tokens it gave, sealed under itself, for a client that lost the response.';
CREATE INDEX oauth_refresh_tokens_expires_at_idx ON oauth_refresh_tokens USING btree (expires_at);
CREATE INDEX oauth_refresh_tokens_grant_id_idx ON oauth_refresh_tokens USING btree (grant_id);
CREATE INDEX oauth_refresh_tokens_sealed_idx ON oauth_refresh_tokens USING btree (used_at) WHERE (sealed_tokens IS NOT NULL);
CREATE INDEX oauth_refresh_tokens_successor_id_idx ON oauth_refresh_tokens USING btree (successor_id);

CREATE TABLE organizations (
  id uuid NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  personal_api_keys_allowed boolean NOT NULL DEFAULT true,
  onboarding_completed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  claim_timeout_seconds integer NOT NULL DEFAULT 900,
  max_api_key_lifetime_seconds integer,
  require_mfa boolean NOT NULL DEFAULT false,
  reauthentication_window_seconds integer NOT NULL DEFAULT 900,
  deleted_at timestamp(3) with time zone,
  access_version bigint NOT NULL DEFAULT 0,
  agent_pending_percent integer NOT NULL DEFAULT 25,
  hides_secret_names boolean NOT NULL DEFAULT true,
  hidden_names text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_agent_pending_percent_check CHECK (((agent_pending_percent >= 1) AND (agent_pending_percent <= 100))),
  CONSTRAINT organizations_claim_timeout_check CHECK (((claim_timeout_seconds >= 60) AND (claim_timeout_seconds <= 86400))),
  CONSTRAINT organizations_hidden_names_check CHECK ((cardinality(hidden_names) <= 100)),
  CONSTRAINT organizations_max_api_key_lifetime_check CHECK (((max_api_key_lifetime_seconds >= 3600) AND (max_api_key_lifetime_seconds <= 315360000))),
  CONSTRAINT organizations_reauthentication_window_check CHECK (((reauthentication_window_seconds >= 60) AND (reauthentication_window_seconds <= 86400)))
);
COMMENT ON TABLE organizations IS 'A tenant. Every other row belongs to one. revision counts its changes; with deleted_at everything that opens it has ended.';
CREATE UNIQUE INDEX organizations_slug_key ON organizations USING btree (slug) WHERE (deleted_at IS NULL);
COMMENT ON COLUMN organizations.agent_pending_percent IS 'How much of the cap on pending requests one agent may take, at least one request.';
COMMENT ON COLUMN organizations.hidden_names IS 'Names of arguments whose values people see only when they ask. hides_secret_names: those that usually name secrets, too.';

CREATE TABLE password_resets (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  removes_second_factor boolean NOT NULL DEFAULT false,
  CONSTRAINT password_resets_pkey PRIMARY KEY (id),
  CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
COMMENT ON TABLE password_resets IS 'Links sent to people who forgot their password. Only the SHA-256 of the secret is kept.';
CREATE INDEX password_resets_expires_at_idx ON password_resets USING btree (expires_at);
CREATE INDEX password_resets_user_id_idx ON password_resets USING btree (user_id);
COMMENT ON COLUMN password_resets.removes_second_factor IS 'The link was made on the machine of the service for an owner who lost their second factor.';

CREATE TABLE permission_policies (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  membership_id uuid,
  scope_kind text NOT NULL,
  resource_ids text[] NOT NULL DEFAULT '{}'::text[],
  permissions text[] NOT NULL DEFAULT '{}'::text[],
  is_owner boolean NOT NULL DEFAULT false,
  source text NOT NULL DEFAULT 'manual'::text,
  revision integer NOT NULL DEFAULT 1,
  granted_by_actor_id uuid,
  created_at timestamp(3) with time zone NOT NULL,
  team_id uuid,
  api_key_id uuid,
  CONSTRAINT permission_policies_pkey PRIMARY KEY (id),
  CONSTRAINT permission_policies_is_owner_check CHECK (((NOT is_owner) OR ((scope_kind = 'organization'::text) AND (permissions = '{}'::text[])))),
  CONSTRAINT permission_policies_owner_check CHECK (((NOT is_owner) OR (membership_id IS NOT NULL))),
  CONSTRAINT permission_policies_principal_check CHECK ((num_nonnulls(membership_id, team_id, api_key_id) = 1)),
  CONSTRAINT permission_policies_resource_ids_check CHECK (((scope_kind = 'organization'::text) = (resource_ids = '{}'::text[]))),
  CONSTRAINT permission_policies_scope_kind_check CHECK ((scope_kind = ANY (ARRAY['organization'::text, 'team'::text, 'agent'::text]))),
  CONSTRAINT permission_policies_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'directory'::text]))),
  CONSTRAINT permission_policies_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id),
  CONSTRAINT permission_policies_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT permission_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT permission_policies_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
COMMENT ON TABLE permission_policies IS 'What a member, a team or an organization key may do, and where. is_owner carries every permission a person can hold.';
CREATE INDEX permission_policies_api_key_id_idx ON permission_policies USING btree (api_key_id);
CREATE INDEX permission_policies_membership_id_idx ON permission_policies USING btree (membership_id);
CREATE INDEX permission_policies_organization_id_idx ON permission_policies USING btree (organization_id);
CREATE INDEX permission_policies_team_id_idx ON permission_policies USING btree (team_id);

CREATE TABLE pipeline_block_results (
  request_id uuid NOT NULL,
  scope text NOT NULL,
  block_id text NOT NULL,
  place integer NOT NULL,
  content_hash text NOT NULL,
  delivery_id uuid NOT NULL,
  attempts integer NOT NULL,
  leased_until timestamp(3) with time zone,
  asked_at timestamp(3) with time zone NOT NULL,
  answered_at timestamp(3) with time zone,
  outcome text,
  reason text,
  metadata json,
  escalation_path text,
  error_code text,
  cost json,
  error_cause text,
  CONSTRAINT pipeline_block_results_pkey PRIMARY KEY (request_id, scope, block_id),
  CONSTRAINT pipeline_block_results_outcome_check CHECK ((outcome = ANY (ARRAY['approve'::text, 'deny'::text, 'human'::text, 'next'::text]))),
  CONSTRAINT pipeline_block_results_result_check CHECK ((num_nonnulls(outcome, error_code) =
CASE
    WHEN (answered_at IS NULL) THEN 0
    ELSE 1
END)),
  CONSTRAINT pipeline_block_results_scope_check CHECK ((scope = ANY (ARRAY['organization'::text, 'agent'::text]))),
  CONSTRAINT pipeline_block_results_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id) ON DELETE CASCADE
);
COMMENT ON TABLE pipeline_block_results IS 'A block that asked another system about a request: how often, and its one result. place: in the order of asking.';
COMMENT ON COLUMN pipeline_block_results.leased_until IS 'The attempt under way belongs to its process until then. Null between attempts and after the result.';
COMMENT ON COLUMN pipeline_block_results.cost IS 'Of the attempt that gave the result: {input_tokens, output_tokens, amount, currency}.';
COMMENT ON COLUMN pipeline_block_results.error_cause IS 'What to look at when no answer came, such as dns or certificate. Only beside error_code.';

CREATE TABLE push_keys (
  id uuid NOT NULL,
  public_key text NOT NULL,
  secret bytea NOT NULL,
  secret_key_id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT push_keys_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE push_keys IS 'The one key pair with which this deployment signs push messages (VAPID). The secret is the private key, sealed.';
CREATE UNIQUE INDEX push_keys_only_key ON push_keys USING btree ((true));

CREATE TABLE push_subscriptions (
  id uuid NOT NULL,
  membership_id uuid NOT NULL,
  session_id uuid,
  endpoint text NOT NULL,
  p256dh text NOT NULL,
  auth text NOT NULL,
  user_agent text NOT NULL,
  accepted_delivery_id uuid,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT push_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT push_subscriptions_endpoint_key UNIQUE (endpoint),
  CONSTRAINT push_subscriptions_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE SET NULL
);
COMMENT ON TABLE push_subscriptions IS 'Browsers that get push messages for a member. The session that subscribed ends the subscription when it is revoked, not when it expires.';
CREATE INDEX push_subscriptions_membership_id_idx ON push_subscriptions USING btree (membership_id, created_at, id);
CREATE INDEX push_subscriptions_session_id_idx ON push_subscriptions USING btree (session_id);
COMMENT ON COLUMN push_subscriptions.accepted_delivery_id IS 'The last message that was accepted here and refused by another browser of the member, so that a retry leaves this one out.';

CREATE TABLE receiver_events (
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  queue_id uuid NOT NULL,
  body text NOT NULL,
  decided_at timestamp(3) with time zone NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp(3) with time zone,
  lease uuid,
  destinations text[],
  last_error text,
  outcome text,
  ended_at timestamp(3) with time zone,
  purge_at timestamp(3) with time zone,
  CONSTRAINT receiver_events_pkey PRIMARY KEY (id),
  CONSTRAINT receiver_events_request_id_key UNIQUE (request_id),
  CONSTRAINT receiver_events_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'expired'::text, 'removed'::text]))),
  CONSTRAINT receiver_events_state_check CHECK ((((next_attempt_at IS NULL) = (ended_at IS NOT NULL)) AND (num_nulls(outcome, ended_at, purge_at) = ANY (ARRAY[0, 3])))),
  CONSTRAINT receiver_events_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id)
);
COMMENT ON TABLE receiver_events IS 'One for each request that was decided while its instance had a receiver. Written with the decision.';
CREATE INDEX receiver_events_due_idx ON receiver_events USING btree (queue_id, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX receiver_events_leased_idx ON receiver_events USING btree (next_attempt_at) WHERE (lease IS NOT NULL);
CREATE INDEX receiver_events_purge_idx ON receiver_events USING btree (purge_at) WHERE (purge_at IS NOT NULL);
COMMENT ON COLUMN receiver_events.body IS 'Exactly what every attempt posts.';
COMMENT ON COLUMN receiver_events.lease IS 'Who leased it last; next_attempt_at is when the lease ends. Only the holder records what became of it.';
COMMENT ON COLUMN receiver_events.destinations IS 'The host and the addresses that an attempt under way posts to.';
COMMENT ON COLUMN receiver_events.purge_at IS '168 hours after the decision, or 24 hours after the end, whichever is later.';

CREATE TABLE receivers (
  agent_instance_id uuid NOT NULL,
  queue_id uuid NOT NULL,
  url text NOT NULL,
  host text NOT NULL,
  registration_id uuid NOT NULL,
  signing_secret bytea NOT NULL,
  signing_secret_key_id text NOT NULL,
  verified_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT receivers_pkey PRIMARY KEY (agent_instance_id),
  CONSTRAINT receivers_queue_id_key UNIQUE (queue_id),
  CONSTRAINT receivers_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id)
);
COMMENT ON TABLE receivers IS 'Where an instance wants to be told of its decisions. The secret is sealed.';
COMMENT ON COLUMN receivers.queue_id IS 'The events that wait for it. Another receiver in its place keeps it. One that follows a removal has a new one.';
COMMENT ON COLUMN receivers.host IS 'The host of the URL, without a trailing dot. Receivers with the same one share a limit.';

CREATE TABLE recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamp(3) with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
COMMENT ON TABLE recovery_codes IS 'Single-use codes for people who lost their authenticator app. Only their SHA-256 is kept.';

CREATE TABLE request_approval_pipeline_endpoints (
  request_approval_pipeline_revision_id uuid NOT NULL,
  block_key text NOT NULL,
  endpoint_key text NOT NULL,
  CONSTRAINT request_approval_pipeline_endpoints_pkey PRIMARY KEY (request_approval_pipeline_revision_id, block_key),
  CONSTRAINT request_approval_pipeline_endpoints_revision_id_fkey FOREIGN KEY (request_approval_pipeline_revision_id) REFERENCES request_approval_pipeline_revisions(id)
);
COMMENT ON TABLE request_approval_pipeline_endpoints IS 'The blocks of a pipeline revision that post to an endpoint, so that an endpoint in use is not archived.';
CREATE INDEX request_approval_pipeline_endpoints_endpoint_key_idx ON request_approval_pipeline_endpoints USING btree (endpoint_key);

CREATE TABLE request_approval_pipeline_paths (
  request_approval_pipeline_revision_id uuid NOT NULL,
  path_key text NOT NULL,
  CONSTRAINT request_approval_pipeline_paths_pkey PRIMARY KEY (request_approval_pipeline_revision_id, path_key),
  CONSTRAINT request_approval_pipeline_paths_revision_id_fkey FOREIGN KEY (request_approval_pipeline_revision_id) REFERENCES request_approval_pipeline_revisions(id)
);
COMMENT ON TABLE request_approval_pipeline_paths IS 'The escalation paths a pipeline revision names, so that a path in use is not archived.';
CREATE INDEX request_approval_pipeline_paths_path_key_idx ON request_approval_pipeline_paths USING btree (path_key);

CREATE TABLE request_approval_pipeline_revisions (
  id uuid NOT NULL,
  request_approval_pipeline_id uuid NOT NULL,
  revision bigint NOT NULL,
  document json NOT NULL,
  created_by_actor_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  comment text,
  activated_at timestamp(3) with time zone,
  activated_by_actor_id uuid,
  CONSTRAINT request_approval_pipeline_revisions_pkey PRIMARY KEY (id),
  CONSTRAINT request_approval_pipeline_revisions_revision_key UNIQUE (request_approval_pipeline_id, revision),
  CONSTRAINT request_approval_pipeline_revisions_activated_check CHECK (((activated_at IS NULL) = (activated_by_actor_id IS NULL))),
  CONSTRAINT request_approval_pipeline_revisions_comment_check CHECK ((char_length(comment) <= 500)),
  CONSTRAINT request_approval_pipeline_revisions_document_fkey FOREIGN KEY (request_approval_pipeline_id) REFERENCES request_approval_pipelines(id)
);
COMMENT ON TABLE request_approval_pipeline_revisions IS 'Immutable but for its last activation. The document is exact JSON text.';
CREATE TRIGGER request_approval_pipeline_revisions_immutable BEFORE DELETE OR UPDATE OF id, request_approval_pipeline_id, revision, document, comment, created_by_actor_id, created_at ON request_approval_pipeline_revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE request_approval_pipelines (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  document_key text NOT NULL,
  active_revision bigint,
  latest_revision bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone,
  archived_revision bigint,
  CONSTRAINT request_approval_pipelines_pkey PRIMARY KEY (id),
  CONSTRAINT request_approval_pipelines_document_key_key UNIQUE (organization_id, document_key),
  CONSTRAINT request_approval_pipelines_archived_check CHECK (((archived_at IS NULL) OR (active_revision IS NULL))),
  CONSTRAINT request_approval_pipelines_archived_revision_check CHECK (((archived_revision IS NULL) OR (archived_at IS NOT NULL))),
  CONSTRAINT request_approval_pipelines_active_revision_fkey FOREIGN KEY (id, active_revision) REFERENCES request_approval_pipeline_revisions(request_approval_pipeline_id, revision),
  CONSTRAINT request_approval_pipelines_archived_revision_fkey FOREIGN KEY (id, archived_revision) REFERENCES request_approval_pipeline_revisions(request_approval_pipeline_id, revision),
  CONSTRAINT request_approval_pipelines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE request_approval_pipelines IS 'The rules of an organization (document_key organization) or of an agent (document_key agent:<slug>).';
COMMENT ON COLUMN request_approval_pipelines.archived_revision IS 'The revision that was active when the agent was archived. Restoring the agent activates it.';

CREATE TABLE request_assessments (
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  scope text NOT NULL,
  block_id text NOT NULL,
  model text NOT NULL,
  outcome text,
  confidence json,
  reason text,
  error_code text,
  input text NOT NULL,
  output text NOT NULL,
  cost json,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT request_assessments_pkey PRIMARY KEY (id),
  CONSTRAINT request_assessments_outcome_check CHECK ((outcome = ANY (ARRAY['approve'::text, 'deny'::text, 'human'::text, 'next'::text]))),
  CONSTRAINT request_assessments_result_check CHECK ((num_nonnulls(outcome, error_code) = 1)),
  CONSTRAINT request_assessments_scope_check CHECK ((scope = ANY (ARRAY['organization'::text, 'agent'::text]))),
  CONSTRAINT request_assessments_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id) ON DELETE CASCADE
);
COMMENT ON TABLE request_assessments IS 'What language models read and answered about a request. Purged after 30 days. confidence: exact, as the model wrote it.';
CREATE INDEX request_assessments_created_at_idx ON request_assessments USING btree (created_at);
CREATE INDEX request_assessments_request_id_idx ON request_assessments USING btree (request_id, created_at, id);

CREATE TABLE request_count_mark (
  id boolean NOT NULL DEFAULT true,
  counted_until timestamp(3) with time zone NOT NULL,
  CONSTRAINT request_count_mark_pkey PRIMARY KEY (id),
  CONSTRAINT request_count_mark_id_check CHECK (id)
);
COMMENT ON TABLE request_count_mark IS 'One row: all requests created before this instant are in the counts by day, and no others.';

CREATE TABLE sessions (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  membership_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  method text NOT NULL,
  assurance text NOT NULL,
  authenticated_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  last_seen_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  revoked_at timestamp(3) with time zone,
  client_address text,
  user_agent text,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_assurance_check CHECK ((assurance = ANY (ARRAY['single_factor'::text, 'strong'::text]))),
  CONSTRAINT sessions_method_check CHECK ((method = ANY (ARRAY['local_password'::text, 'local_password_totp'::text, 'sso'::text]))),
  CONSTRAINT sessions_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE sessions IS 'A sign-in of a member in a browser, purged 90 days after its end. Only the SHA-256 of the cookie secret is kept.';
CREATE INDEX sessions_expires_at_idx ON sessions USING btree (expires_at);
CREATE INDEX sessions_membership_id_idx ON sessions USING btree (membership_id);
CREATE INDEX sessions_organization_id_idx ON sessions USING btree (organization_id);

CREATE UNLOGGED TABLE sign_in_attempts (
  key bytea NOT NULL,
  attempts integer NOT NULL,
  window_ends_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (key)
);
COMMENT ON TABLE sign_in_attempts IS 'Recent attempts that are limited, such as passwords. key: SHA-256 of what is counted.';
CREATE INDEX sign_in_attempts_window_ends_at_idx ON sign_in_attempts USING btree (window_ends_at);

CREATE TABLE slack_calls (
  signature bytea NOT NULL,
  seen_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT slack_calls_pkey PRIMARY KEY (signature)
);
COMMENT ON TABLE slack_calls IS 'Signatures of calls from Slack that were taken lately: none is taken twice.';
CREATE INDEX slack_calls_seen_at_idx ON slack_calls USING btree (seen_at);

CREATE TABLE slack_connections (
  channel_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  team_id text NOT NULL,
  team_name text NOT NULL,
  bot_user_id text NOT NULL,
  default_channel text,
  secrets bytea NOT NULL,
  secrets_key_id text NOT NULL,
  connected_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT slack_connections_pkey PRIMARY KEY (channel_id),
  CONSTRAINT slack_connections_organization_id_key UNIQUE (organization_id),
  CONSTRAINT slack_connections_team_id_key UNIQUE (team_id),
  CONSTRAINT slack_connections_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id),
  CONSTRAINT slack_connections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE slack_connections IS 'The Slack workspace of an organization: what its channel of kind slack has besides. secrets: bot token and signing secret as JSON, sealed.';

CREATE TABLE slack_link_codes (
  membership_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT slack_link_codes_pkey PRIMARY KEY (membership_id),
  CONSTRAINT slack_link_codes_code_key UNIQUE (channel_id, code_hash),
  CONSTRAINT slack_link_codes_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES slack_connections(channel_id) ON DELETE CASCADE,
  CONSTRAINT slack_link_codes_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id)
);
COMMENT ON TABLE slack_link_codes IS 'Links that were begun in a session and are to be finished in Slack. Only the SHA-256 of a code is kept.';
CREATE INDEX slack_link_codes_expires_at_idx ON slack_link_codes USING btree (expires_at);

CREATE TABLE slack_links (
  membership_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  slack_user_id text NOT NULL,
  direct_channel text,
  linked_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT slack_links_pkey PRIMARY KEY (membership_id),
  CONSTRAINT slack_links_user_key UNIQUE (channel_id, slack_user_id),
  CONSTRAINT slack_links_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES slack_connections(channel_id) ON DELETE CASCADE,
  CONSTRAINT slack_links_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id)
);
COMMENT ON TABLE slack_links IS 'The Slack user of a member, linked by a code. direct_channel: their conversation with the bot, once opened.';

CREATE TABLE slack_messages (
  request_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  message_key text NOT NULL,
  delivery_id uuid NOT NULL,
  posting_until timestamp(3) with time zone NOT NULL,
  slack_channel text,
  slack_ts text,
  closed_at timestamp(3) with time zone,
  CONSTRAINT slack_messages_pkey PRIMARY KEY (request_id, channel_id, message_key),
  CONSTRAINT slack_messages_closed_check CHECK (((closed_at IS NULL) OR (slack_ts IS NOT NULL))),
  CONSTRAINT slack_messages_posted_check CHECK (((slack_channel IS NULL) = (slack_ts IS NULL))),
  CONSTRAINT slack_messages_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id),
  CONSTRAINT slack_messages_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id)
);
COMMENT ON TABLE slack_messages IS 'Messages with buttons. slack_ts null: delivery_id is posting it until posting_until. closed_at: it shows the final answer. Purged after 100 days.';
CREATE INDEX slack_messages_channel_id_idx ON slack_messages USING btree (channel_id);
CREATE INDEX slack_messages_posting_until_idx ON slack_messages USING btree (posting_until);

CREATE TABLE slack_presses (
  id uuid NOT NULL,
  channel_id uuid NOT NULL,
  press_key bytea NOT NULL,
  slack_user_id text NOT NULL,
  is_foreign boolean NOT NULL,
  request_id uuid NOT NULL,
  action text NOT NULL,
  note text,
  trigger_id text NOT NULL,
  response_url text NOT NULL,
  received_at timestamp(3) with time zone NOT NULL,
  due_at timestamp(3) with time zone,
  attempts integer NOT NULL DEFAULT 0,
  membership_id uuid,
  CONSTRAINT slack_presses_pkey PRIMARY KEY (id),
  CONSTRAINT slack_presses_press_key UNIQUE (channel_id, press_key),
  CONSTRAINT slack_presses_action_check CHECK ((action = ANY (ARRAY['approve'::text, 'deny'::text, 'write_note'::text]))),
  CONSTRAINT slack_presses_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES slack_connections(channel_id) ON DELETE CASCADE
);
COMMENT ON TABLE slack_presses IS 'Presses of buttons in Slack, acknowledged before they are handled. due_at: when a process may take it; null: its person was told the outcome. Purged after a day.';
CREATE INDEX slack_presses_due_at_idx ON slack_presses USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX slack_presses_received_at_idx ON slack_presses USING btree (received_at);
COMMENT ON COLUMN slack_presses.request_id IS 'No foreign key: its check would wait for whoever holds the request, and Slack waits only three seconds.';
COMMENT ON COLUMN slack_presses.membership_id IS 'The member the message went to, or who opened the form; null for a channel. No foreign key, as for request_id.';

CREATE TABLE team_escalation_policies (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  document_key text NOT NULL,
  team_id uuid NOT NULL GENERATED ALWAYS AS ((document_key)::uuid) STORED,
  active_revision bigint,
  latest_revision bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT team_escalation_policies_pkey PRIMARY KEY (id),
  CONSTRAINT team_escalation_policies_document_key_key UNIQUE (organization_id, document_key),
  CONSTRAINT team_escalation_policies_archived_check CHECK (((archived_at IS NULL) OR (active_revision IS NULL))),
  CONSTRAINT team_escalation_policies_active_revision_fkey FOREIGN KEY (id, active_revision) REFERENCES team_escalation_policy_revisions(team_escalation_policy_id, revision),
  CONSTRAINT team_escalation_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT team_escalation_policies_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
COMMENT ON TABLE team_escalation_policies IS 'How a team is asked when an escalation path reaches it. document_key is the team id.';
CREATE INDEX team_escalation_policies_team_id_idx ON team_escalation_policies USING btree (team_id);

CREATE TABLE team_escalation_policy_revisions (
  id uuid NOT NULL,
  team_escalation_policy_id uuid NOT NULL,
  revision bigint NOT NULL,
  document json NOT NULL,
  created_by_actor_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  comment text,
  activated_at timestamp(3) with time zone,
  activated_by_actor_id uuid,
  CONSTRAINT team_escalation_policy_revisions_pkey PRIMARY KEY (id),
  CONSTRAINT team_escalation_policy_revisions_revision_key UNIQUE (team_escalation_policy_id, revision),
  CONSTRAINT team_escalation_policy_revisions_activated_check CHECK (((activated_at IS NULL) = (activated_by_actor_id IS NULL))),
  CONSTRAINT team_escalation_policy_revisions_comment_check CHECK ((char_length(comment) <= 500)),
  CONSTRAINT team_escalation_policy_revisions_document_fkey FOREIGN KEY (team_escalation_policy_id) REFERENCES team_escalation_policies(id)
);
COMMENT ON TABLE team_escalation_policy_revisions IS 'Immutable but for its last activation. The document is exact JSON text.';
CREATE TRIGGER team_escalation_policy_revisions_immutable BEFORE DELETE OR UPDATE OF id, team_escalation_policy_id, revision, document, comment, created_by_actor_id, created_at ON team_escalation_policy_revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE team_escalation_policy_targets (
  team_escalation_policy_revision_id uuid NOT NULL,
  membership_id uuid NOT NULL,
  CONSTRAINT team_escalation_policy_targets_pkey PRIMARY KEY (team_escalation_policy_revision_id, membership_id),
  CONSTRAINT team_escalation_policy_targets_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT team_escalation_policy_targets_revision_id_fkey FOREIGN KEY (team_escalation_policy_revision_id) REFERENCES team_escalation_policy_revisions(id)
);
COMMENT ON TABLE team_escalation_policy_targets IS 'The members a team policy revision asks by name.';
CREATE INDEX team_escalation_policy_targets_membership_id_idx ON team_escalation_policy_targets USING btree (membership_id);

CREATE TABLE team_members (
  team_id uuid NOT NULL,
  membership_id uuid NOT NULL,
  source text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT team_members_pkey PRIMARY KEY (team_id, membership_id, source),
  CONSTRAINT team_members_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'directory'::text]))),
  CONSTRAINT team_members_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id),
  CONSTRAINT team_members_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
COMMENT ON TABLE team_members IS 'Who is in a team, once for each source that says so: added by hand, or by the directory.';
CREATE INDEX team_members_membership_id_idx ON team_members USING btree (membership_id);

CREATE TABLE teams (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  directory_managed boolean NOT NULL DEFAULT false,
  created_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT teams_pkey PRIMARY KEY (id),
  CONSTRAINT teams_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE teams IS 'A group of members. Its live policies are inherited by every member; archiving is for good.';
CREATE UNIQUE INDEX teams_live_name_key ON teams USING btree (organization_id, text_digest(folded_name(name))) WHERE (archived_at IS NULL);
CREATE INDEX teams_organization_id_idx ON teams USING btree (organization_id, lower(name) COLLATE "C", id);

CREATE TABLE tool_access (
  organization_id uuid NOT NULL,
  agent_slug text NOT NULL,
  server_slug text NOT NULL,
  access text NOT NULL,
  tools text[] NOT NULL,
  revision integer NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT tool_access_pkey PRIMARY KEY (organization_id, agent_slug, server_slug),
  CONSTRAINT tool_access_access_check CHECK ((access = ANY (ARRAY['all'::text, 'selected'::text, 'none'::text]))),
  CONSTRAINT tool_access_tools_check CHECK (((access = 'selected'::text) OR (tools = '{}'::text[]))),
  CONSTRAINT tool_access_agent_fkey FOREIGN KEY (organization_id, agent_slug) REFERENCES agents(organization_id, slug)
);
COMMENT ON TABLE tool_access IS 'What of a server an agent may call through a gateway. A server without a row is closed. revision: of the agent, when the row changed last.';

CREATE TABLE tool_catalog_contexts (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  agent_slug text NOT NULL,
  agent_instance_id uuid NOT NULL,
  discovery_context text NOT NULL,
  runtime text NOT NULL,
  reported_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT tool_catalog_contexts_pkey PRIMARY KEY (id),
  CONSTRAINT tool_catalog_contexts_discovery_context_key UNIQUE (agent_instance_id, discovery_context),
  CONSTRAINT tool_catalog_contexts_agent_fkey FOREIGN KEY (organization_id, agent_slug) REFERENCES agents(organization_id, slug),
  CONSTRAINT tool_catalog_contexts_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id)
);
COMMENT ON TABLE tool_catalog_contexts IS 'What one instance reports in one discovery context. A report locks this row first, so the last one wins whole.';
CREATE INDEX tool_catalog_contexts_agent_idx ON tool_catalog_contexts USING btree (organization_id, agent_slug);

CREATE TABLE tool_catalog_sources (
  id uuid NOT NULL,
  context_id uuid NOT NULL,
  source text NOT NULL,
  server text,
  last_attempt_at timestamp(3) with time zone NOT NULL,
  last_success_at timestamp(3) with time zone,
  error text,
  removed_at timestamp(3) with time zone,
  CONSTRAINT tool_catalog_sources_pkey PRIMARY KEY (id),
  CONSTRAINT tool_catalog_sources_server_key UNIQUE NULLS NOT DISTINCT (context_id, source, server),
  CONSTRAINT tool_catalog_sources_source_check CHECK ((source = ANY (ARRAY['builtin'::text, 'mcp'::text]))),
  CONSTRAINT tool_catalog_sources_context_id_fkey FOREIGN KEY (context_id) REFERENCES tool_catalog_contexts(id) ON DELETE CASCADE
);
COMMENT ON TABLE tool_catalog_sources IS 'The built-in tools of a runtime, or an MCP server. error: of the last attempt; last_success_at: the last one without.';

CREATE TABLE tool_catalog_tools (
  id uuid NOT NULL,
  source_id uuid NOT NULL,
  name text NOT NULL,
  display_name text,
  description text,
  input_schema json,
  annotations json,
  schema_fingerprint text,
  definition_digest text NOT NULL,
  last_seen_at timestamp(3) with time zone NOT NULL,
  removed_at timestamp(3) with time zone,
  schema_changed_at timestamp(3) with time zone,
  previous_schema json,
  CONSTRAINT tool_catalog_tools_pkey PRIMARY KEY (id),
  CONSTRAINT tool_catalog_tools_name_key UNIQUE (source_id, name),
  CONSTRAINT tool_catalog_tools_source_id_fkey FOREIGN KEY (source_id) REFERENCES tool_catalog_sources(id) ON DELETE CASCADE
);
COMMENT ON TABLE tool_catalog_tools IS 'Tools as reported. A removed one keeps its fingerprint for 30 days, so that a changed schema is noticed when it comes back.';
CREATE INDEX tool_catalog_tools_removed_at_idx ON tool_catalog_tools USING btree (removed_at) WHERE (removed_at IS NOT NULL);
COMMENT ON COLUMN tool_catalog_tools.input_schema IS 'The source text as reported: json, never jsonb. Null when unknown.';
COMMENT ON COLUMN tool_catalog_tools.schema_fingerprint IS 'SHA-256 of the canonical JSON of input_schema.';
COMMENT ON COLUMN tool_catalog_tools.definition_digest IS 'SHA-256 of everything reported about the tool.';
COMMENT ON COLUMN tool_catalog_tools.schema_changed_at IS 'When a report last had another schema than the one before. Null: never.';
COMMENT ON COLUMN tool_catalog_tools.previous_schema IS 'input_schema before that. Null when unknown, and once the tool was removed.';

CREATE TABLE tool_presentations (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  tool text NOT NULL,
  server text,
  title text NOT NULL,
  fields json NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT tool_presentations_pkey PRIMARY KEY (id),
  CONSTRAINT tool_presentations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE tool_presentations IS 'How the calls of a tool are shown. Without a server it is for calls to any server that has no entry of its own.';
CREATE INDEX tool_presentations_tool_idx ON tool_presentations USING btree (organization_id, tool);
CREATE UNIQUE INDEX tool_presentations_tool_key ON tool_presentations USING btree (organization_id, text_digest(tool), text_digest(server)) NULLS NOT DISTINCT;
COMMENT ON COLUMN tool_presentations.revision IS 'Counts its changes, from 1.';

CREATE TABLE totp_factors (
  user_id uuid NOT NULL,
  secret bytea NOT NULL,
  secret_key_id text NOT NULL,
  last_used_step bigint,
  created_at timestamp(3) with time zone NOT NULL,
  confirmed_at timestamp(3) with time zone,
  CONSTRAINT totp_factors_pkey PRIMARY KEY (user_id),
  CONSTRAINT totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
COMMENT ON TABLE totp_factors IS 'The authenticator app of a person. secret: AES-256-GCM under the secrets key secret_key_id; last_used_step: no code works twice.';

CREATE TABLE used_sso_states (
  state_hash bytea NOT NULL,
  used_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT used_sso_states_pkey PRIMARY KEY (state_hash)
);
COMMENT ON TABLE used_sso_states IS 'Single sign-ons whose answer of the provider was taken. A sign-in lasts minutes, so rows are purged after a day.';
CREATE INDEX used_sso_states_used_at_idx ON used_sso_states USING btree (used_at);

CREATE TABLE user_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT user_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT user_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
COMMENT ON TABLE user_identities IS 'Who a person is to an OpenID provider.';
CREATE INDEX user_identities_user_id_idx ON user_identities USING btree (user_id);

CREATE TABLE users (
  id uuid NOT NULL,
  email text NOT NULL,
  display_name text NOT NULL,
  password_hash text,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE users IS 'A person who can sign in. password_hash is argon2id, absent for accounts of an identity provider.';
CREATE UNIQUE INDEX users_email_key ON users USING btree (lower(email));

CREATE TABLE webhook_deliveries (
  id uuid NOT NULL,
  webhook_endpoint_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  type text NOT NULL,
  revision bigint NOT NULL,
  request_id uuid,
  attempt integer NOT NULL,
  attempted_at timestamp(3) with time zone NOT NULL,
  duration_ms integer,
  status_code integer,
  outcome text,
  error_code text,
  response_excerpt text,
  error_cause text,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_result_check CHECK ((num_nonnulls(outcome, error_code) =
CASE
    WHEN (duration_ms IS NULL) THEN 0
    ELSE 1
END)),
  CONSTRAINT webhook_deliveries_test_check CHECK (((type <> 'webhook_endpoint.test'::text) OR (request_id IS NULL))),
  CONSTRAINT webhook_deliveries_type_check CHECK ((type = ANY (ARRAY['approval_request.evaluate'::text, 'webhook_endpoint.test'::text]))),
  CONSTRAINT webhook_deliveries_request_id_fkey FOREIGN KEY (request_id) REFERENCES approval_requests(id) ON DELETE SET NULL,
  CONSTRAINT webhook_deliveries_webhook_endpoint_id_fkey FOREIGN KEY (webhook_endpoint_id) REFERENCES webhook_endpoints(id)
);
COMMENT ON TABLE webhook_deliveries IS 'Each attempt to post to an endpoint, and what came of it. Purged after 30 days. delivery_id: the same for all attempts. Without a duration, it runs or was interrupted.';
CREATE INDEX webhook_deliveries_attempted_at_idx ON webhook_deliveries USING btree (attempted_at);
CREATE INDEX webhook_deliveries_failed_idx ON webhook_deliveries USING btree (webhook_endpoint_id, attempted_at DESC, id DESC) WHERE (error_code IS NOT NULL);
CREATE INDEX webhook_deliveries_list_idx ON webhook_deliveries USING btree (webhook_endpoint_id, attempted_at DESC, id DESC);
CREATE INDEX webhook_deliveries_request_id_idx ON webhook_deliveries USING btree (request_id) WHERE (request_id IS NOT NULL);
COMMENT ON COLUMN webhook_deliveries.request_id IS 'Null for tests and previews, and after the pending cap refused the request.';
COMMENT ON COLUMN webhook_deliveries.error_cause IS 'What to look at when no answer came, such as dns or certificate.';

CREATE TABLE webhook_endpoint_previous_secrets (
  webhook_endpoint_id uuid NOT NULL,
  signing_secret bytea NOT NULL,
  signing_secret_key_id text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT webhook_endpoint_previous_secrets_pkey PRIMARY KEY (webhook_endpoint_id),
  CONSTRAINT webhook_endpoint_previous_secrets_webhook_endpoint_id_fkey FOREIGN KEY (webhook_endpoint_id) REFERENCES webhook_endpoints(id)
);
COMMENT ON TABLE webhook_endpoint_previous_secrets IS 'The sealed secret before the last rotation, where that had an overlap. Until expires_at it signs beside the new one.';

CREATE TABLE webhook_endpoint_revisions (
  id uuid NOT NULL,
  webhook_endpoint_id uuid NOT NULL,
  revision bigint NOT NULL,
  document json NOT NULL,
  created_by_actor_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  comment text,
  activated_at timestamp(3) with time zone,
  activated_by_actor_id uuid,
  CONSTRAINT webhook_endpoint_revisions_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoint_revisions_revision_key UNIQUE (webhook_endpoint_id, revision),
  CONSTRAINT webhook_endpoint_revisions_activated_check CHECK (((activated_at IS NULL) = (activated_by_actor_id IS NULL))),
  CONSTRAINT webhook_endpoint_revisions_comment_check CHECK ((char_length(comment) <= 500)),
  CONSTRAINT webhook_endpoint_revisions_document_fkey FOREIGN KEY (webhook_endpoint_id) REFERENCES webhook_endpoints(id)
);
COMMENT ON TABLE webhook_endpoint_revisions IS 'Immutable but for its last activation. The document is exact JSON text.';
CREATE TRIGGER webhook_endpoint_revisions_immutable BEFORE DELETE OR UPDATE OF id, webhook_endpoint_id, revision, document, comment, created_by_actor_id, created_at ON webhook_endpoint_revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE webhook_endpoint_secrets (
  webhook_endpoint_id uuid NOT NULL,
  signing_secret bytea NOT NULL,
  signing_secret_key_id text NOT NULL,
  secret_rotated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT webhook_endpoint_secrets_pkey PRIMARY KEY (webhook_endpoint_id),
  CONSTRAINT webhook_endpoint_secrets_webhook_endpoint_id_fkey FOREIGN KEY (webhook_endpoint_id) REFERENCES webhook_endpoints(id)
);
COMMENT ON TABLE webhook_endpoint_secrets IS 'The sealed secret that signs what is posted to an endpoint. Each endpoint has one.';

CREATE TABLE webhook_endpoints (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  document_key text NOT NULL,
  active_revision bigint,
  latest_revision bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoints_document_key_key UNIQUE (organization_id, document_key),
  CONSTRAINT webhook_endpoints_archived_check CHECK (((archived_at IS NULL) OR (active_revision IS NULL))),
  CONSTRAINT webhook_endpoints_active_revision_fkey FOREIGN KEY (id, active_revision) REFERENCES webhook_endpoint_revisions(webhook_endpoint_id, revision),
  CONSTRAINT webhook_endpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE webhook_endpoints IS 'Systems that rules ask. document_key is the endpoint_key. Activating a revision clears archived_at.';

CREATE TABLE withdrawn_keys (
  agent_instance_id uuid NOT NULL,
  idempotency_key text NOT NULL,
  withdrawn_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT withdrawn_keys_pkey PRIMARY KEY (agent_instance_id, idempotency_key),
  CONSTRAINT withdrawn_keys_agent_instance_id_fkey FOREIGN KEY (agent_instance_id) REFERENCES agent_instances(id) ON DELETE CASCADE
);
COMMENT ON TABLE withdrawn_keys IS 'Keys of requests that were withdrawn before they were made, so that they never are. Purged after a day.';
CREATE INDEX withdrawn_keys_withdrawn_at_idx ON withdrawn_keys USING btree (withdrawn_at);

CREATE VIEW held_policies AS
 SELECT p.membership_id,
    p.organization_id,
    p.id,
    p.scope_kind,
    p.resource_ids,
    p.permissions,
    p.is_owner,
    p.source,
    p.revision,
    p.granted_by_actor_id,
    p.created_at,
    NULL::uuid AS via_team_id,
    NULL::text AS via_team_name
   FROM permission_policies p
  WHERE p.membership_id IS NOT NULL
UNION ALL
 SELECT tm.membership_id,
    p.organization_id,
    p.id,
    p.scope_kind,
    p.resource_ids,
    p.permissions,
    p.is_owner,
    p.source,
    p.revision,
    p.granted_by_actor_id,
    p.created_at,
    t.id AS via_team_id,
    t.name AS via_team_name
   FROM team_members tm
     JOIN teams t ON t.id = tm.team_id AND t.archived_at IS NULL
     JOIN permission_policies p ON p.team_id = t.id
  WHERE NOT (EXISTS ( SELECT 1
           FROM team_members other
          WHERE other.team_id = tm.team_id AND other.membership_id = tm.membership_id AND other.source < tm.source));
COMMENT ON VIEW held_policies IS 'The policies of each member: their own, and those of their live teams, once for any number of sources.';
