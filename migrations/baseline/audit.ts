/** The audit log, its signed chain, and what readers find events by. */
export const audit = `
create table audit_events (
  sequence bigint generated always as identity primary key,
  id uuid not null constraint audit_events_id_key unique,
  organization_id uuid not null constraint audit_events_organization_id_fkey references organizations,
  event_type text not null,
  actor_type text not null
    constraint audit_events_actor_type_check check (actor_type in ('human', 'agent', 'system', 'api_key')),
  actor_id text,
  actor_display_name text,
  subject_type text not null,
  subject_id text not null,
  data json not null,
  occurred_at timestamptz(3) not null
);
comment on table audit_events is 'Every notable action, written in the transaction of the change. Append-only.';
create index audit_events_organization_id_idx on audit_events (organization_id, sequence desc);
create index audit_events_subject_idx on audit_events (organization_id, subject_type, subject_id, sequence);
create trigger audit_events_immutable before update or delete on audit_events for each row execute function refuse_change();
create trigger audit_events_no_truncate before truncate on audit_events for each statement execute function refuse_change();

create table audit_chain (
  organization_id uuid not null,
  position bigint not null constraint audit_chain_position_check check (position > 0),
  event_sequence bigint not null constraint audit_chain_event_sequence_key unique,
  leaf bytea not null constraint audit_chain_leaf_check check (octet_length(leaf) = 32),
  hash bytea not null constraint audit_chain_hash_check check (octet_length(hash) = 32),
  constraint audit_chain_pkey primary key (organization_id, position)
);
comment on table audit_chain is
  'The order of each organization''s audit events, each linked to the one before. Append-only. It has no foreign keys, because they would lock and rewrite rows of events.';
comment on column audit_chain.leaf is 'SHA-256 of the event''s canonical line.';
comment on column audit_chain.hash is 'SHA-256 of organization, hash before, position and leaf.';
create trigger audit_chain_immutable before update or delete on audit_chain for each row execute function refuse_change();
create trigger audit_chain_no_truncate before truncate on audit_chain for each statement execute function refuse_change();

create table audit_signing_keys (
  id text primary key,
  public_key bytea not null constraint audit_signing_keys_public_key_check check (octet_length(public_key) = 32),
  first_used_at timestamptz(3) not null
);
comment on table audit_signing_keys is
  'Every key that ever signed a checkpoint, so that old ones can be verified. Append-only.';
create trigger audit_signing_keys_immutable before update or delete on audit_signing_keys
  for each row execute function refuse_change();
create trigger audit_signing_keys_no_truncate before truncate on audit_signing_keys
  for each statement execute function refuse_change();

create table audit_checkpoints (
  organization_id uuid not null constraint audit_checkpoints_organization_id_fkey references organizations,
  position bigint not null,
  hash bytea not null constraint audit_checkpoints_hash_check check (octet_length(hash) = 32),
  at timestamptz(3) not null,
  key_id text not null constraint audit_checkpoints_key_id_fkey references audit_signing_keys,
  signature bytea not null constraint audit_checkpoints_signature_check check (octet_length(signature) = 64),
  constraint audit_checkpoints_pkey primary key (organization_id, position)
);
comment on table audit_checkpoints is 'Where a chain ended at some time, signed by a key outside the database. Append-only.';
create index audit_checkpoints_key_id_idx on audit_checkpoints (key_id);
create trigger audit_checkpoints_immutable before update or delete on audit_checkpoints
  for each row execute function refuse_change();
create trigger audit_checkpoints_no_truncate before truncate on audit_checkpoints
  for each statement execute function refuse_change();

create table audit_checkpoints_due (
  organization_id uuid primary key constraint audit_checkpoints_due_organization_id_fkey references organizations,
  due_at timestamptz(3) not null
);
comment on table audit_checkpoints_due is 'Chains with entries after their newest checkpoint, and when they get the next one.';
create index audit_checkpoints_due_due_at_idx on audit_checkpoints_due (due_at);

create table audit_horizon (
  only_row boolean primary key default true constraint audit_horizon_only_row_check check (only_row),
  sealed_to bigint not null default 0,
  settled_to bigint not null default 0,
  pending_to bigint,
  pending_at timestamptz(3),
  pending_xmax xid8,
  constraint audit_horizon_pending_check
    check ((pending_to is null) = (pending_at is null) and (pending_xmax is null or pending_to is not null))
);
comment on table audit_horizon is 'How far the sealers need not look again. It saves work, and proves nothing.';
comment on column audit_horizon.sealed_to is 'All events with this sequence or a lower one are sealed.';
comment on column audit_horizon.settled_to is 'No transaction can add an event with this sequence or a lower one.';
insert into audit_horizon default values;

create table audit_index (
  sequence bigint primary key,
  organization_id uuid not null,
  occurred_at timestamptz(3) not null,
  event_type text collate "C" not null,
  actor_type text not null,
  actor_id text,
  actor text collate "C" not null,
  subject_type text not null,
  subject_id text not null,
  outcome text,
  words text collate "C" not null
);
comment on table audit_index is
  'Columns of audit events by which readers find them. Derived: sealers fill it again after truncate audit_index, audit_counts, audit_pairs, audit_indexed.';
comment on column audit_index.actor is 'The name of the actor, else its id, in small letters.';
comment on column audit_index.words is 'What a search looks at, in small letters: also the data without the escapes of JSON.';
create index audit_index_actor_id_idx on audit_index (organization_id, actor_id, occurred_at, sequence)
  where actor_id is not null;
create index audit_index_actor_idx on audit_index (organization_id, actor, occurred_at, sequence);
create index audit_index_actor_type_idx on audit_index (organization_id, actor_type, occurred_at, sequence);
create index audit_index_occurred_idx on audit_index (organization_id, occurred_at, sequence);
create index audit_index_outcome_idx on audit_index (organization_id, outcome, occurred_at, sequence) where outcome is not null;
create index audit_index_subject_idx on audit_index (organization_id, subject_type, subject_id, occurred_at, sequence);
create index audit_index_type_idx on audit_index (organization_id, event_type, occurred_at, sequence);

create table audit_counts (
  organization_id uuid not null,
  day date not null,
  event_type text collate "C" not null,
  actor_type text not null,
  subject_type text not null,
  outcome text not null,
  count bigint not null,
  constraint audit_counts_pkey primary key (organization_id, day, event_type, actor_type, subject_type, outcome)
);
comment on table audit_counts is
  'How many events are in audit_index, by day of UTC. The outcome is empty for events without one.';

create table audit_pairs (
  organization_id uuid not null,
  block bigint not null,
  sequences bigint[] not null,
  pairs text[] not null,
  constraint audit_pairs_pkey primary key (organization_id, block)
);
comment on table audit_pairs is
  'Which pairs of characters occur in the words of which events of audit_index. Derived. Blocks follow the positions of a chain.';
create index audit_pairs_pairs_idx on audit_pairs using gin (pairs);

create table audit_indexed (
  organization_id uuid primary key,
  position bigint not null
);
comment on table audit_indexed is 'Up to which position the events of a chain are in audit_index and audit_counts.';

-- Not every role may create the extension.
do $$
begin
  create extension if not exists pg_trgm;
  create index audit_index_words_idx on audit_index using gin (words gin_trgm_ops);
exception when others then
  raise warning 'Searches in long audit logs will be slow: %', sqlerrm;
end $$;
`;
