/** The chain of audit events of each organization, its signed checkpoints, and how far it is sealed. */
import type { Knex } from 'knex';

const TABLES = ['audit_chain', 'audit_signing_keys', 'audit_checkpoints'] as const;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table audit_chain (
      organization_id uuid not null,
      position bigint not null constraint audit_chain_position_check check (position > 0),
      event_sequence bigint not null constraint audit_chain_event_sequence_key unique,
      leaf bytea not null constraint audit_chain_leaf_check check (octet_length(leaf) = 32),
      hash bytea not null constraint audit_chain_hash_check check (octet_length(hash) = 32),
      constraint audit_chain_pkey primary key (organization_id, position)
    );
    comment on table audit_chain is 'The order of each organization''s audit events, each linked to the one before. Append-only. It has no foreign keys, because they would lock and rewrite rows of events.';
    comment on column audit_chain.leaf is 'SHA-256 of the event''s canonical line.';
    comment on column audit_chain.hash is 'SHA-256 of organization, hash before, position and leaf.';

    create table audit_signing_keys (
      id text constraint audit_signing_keys_pkey primary key,
      public_key bytea not null constraint audit_signing_keys_public_key_check check (octet_length(public_key) = 32),
      first_used_at timestamptz(3) not null
    );
    comment on table audit_signing_keys is 'Every key that ever signed a checkpoint, so that old ones can be verified. Append-only.';

    create table audit_checkpoints (
      organization_id uuid not null constraint audit_checkpoints_organization_id_fkey references organizations,
      position bigint not null,
      hash bytea not null constraint audit_checkpoints_hash_check check (octet_length(hash) = 32),
      at timestamptz(3) not null,
      key_id text not null constraint audit_checkpoints_key_id_fkey references audit_signing_keys,
      signature bytea not null constraint audit_checkpoints_signature_check check (octet_length(signature) = 64),
      constraint audit_checkpoints_pkey primary key (organization_id, position)
    );
    create index audit_checkpoints_key_id_idx on audit_checkpoints (key_id);
    comment on table audit_checkpoints is 'Where a chain ended at some time, signed by a key outside the database. Append-only.';

    create table audit_checkpoints_due (
      organization_id uuid constraint audit_checkpoints_due_pkey primary key
        constraint audit_checkpoints_due_organization_id_fkey references organizations,
      due_at timestamptz(3) not null
    );
    create index audit_checkpoints_due_due_at_idx on audit_checkpoints_due (due_at);
    comment on table audit_checkpoints_due is 'Chains with entries after their newest checkpoint, and when they get the next one.';

    create table audit_horizon (
      only_row boolean default true constraint audit_horizon_pkey primary key constraint audit_horizon_only_row_check check (only_row),
      sealed_to bigint not null default 0,
      settled_to bigint not null default 0,
      pending_to bigint,
      pending_at timestamptz(3),
      pending_xmax xid8,
      constraint audit_horizon_pending_check check ((pending_to is null) = (pending_at is null) and (pending_xmax is null or pending_to is not null))
    );
    comment on table audit_horizon is 'How far the sealers need not look again. It saves work, and proves nothing.';
    comment on column audit_horizon.sealed_to is 'All events with this sequence or a lower one are sealed.';
    comment on column audit_horizon.settled_to is 'No transaction can add an event with this sequence or a lower one.';
    insert into audit_horizon default values;
  `);
  for (const table of TABLES)
    await db.raw(`
      create trigger ${table}_immutable before update or delete on ${table} for each row execute function refuse_change();
      create trigger ${table}_no_truncate before truncate on ${table} for each statement execute function refuse_change();
    `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    'drop table audit_horizon, audit_checkpoints_due, audit_checkpoints, audit_signing_keys, audit_chain',
  );
}
