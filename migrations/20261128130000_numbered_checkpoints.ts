/** Checkpoints of the audit log have numbers and cover the one before. A chain that sealers refuse to sign says why. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Not valid: the columns of all rows are null.
    alter table audit_checkpoints
      add column number bigint,
      add column previous bytea,
      add constraint audit_checkpoints_number_check check (number > 0) not valid,
      add constraint audit_checkpoints_previous_check
        check ((number is null) = (previous is null) and octet_length(previous) = 32) not valid;
    comment on column audit_checkpoints.number is
      'Counts the checkpoints of a chain from 1, without gaps. Null in those of version 1.';
    comment on column audit_checkpoints.previous is
      'SHA-256 of what the signature of the checkpoint before covers, zeros for the first.';
    create unique index audit_checkpoints_number_key on audit_checkpoints (organization_id, number) where number is not null;

    alter table audit_checkpoints_due
      add column refused_since timestamptz(3),
      add column refused_because text,
      add constraint audit_checkpoints_due_refused_check
        check ((refused_since is null) = (refused_because is null)) not valid;
    comment on column audit_checkpoints_due.refused_because is
      'Why sealers refuse to sign the chain: it does not extend what they signed last.';

    create table audit_checkpoint_mails (
      organization_id uuid primary key constraint audit_checkpoint_mails_organization_id_fkey references organizations,
      mailed_at timestamptz(3) not null
    );
    comment on table audit_checkpoint_mails is 'When the owners of an organization last got its newest checkpoint by email.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table audit_checkpoint_mails;
    drop index audit_checkpoints_number_key;
    alter table audit_checkpoints drop column number, drop column previous;
    alter table audit_checkpoints_due drop column refused_since, drop column refused_because;
  `);
}
