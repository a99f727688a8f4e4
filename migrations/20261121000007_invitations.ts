/** Invitations into an organization. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table invitations (
      id uuid primary key,
      organization_id uuid not null constraint invitations_organization_id_fkey references organizations,
      email text not null,
      permission_policies json not null,
      token_hash bytea not null,
      invited_by_membership_id uuid not null constraint invitations_invited_by_membership_id_fkey references memberships,
      accepted_membership_id uuid constraint invitations_accepted_membership_id_fkey references memberships,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      accepted_at timestamptz(3),
      revoked_at timestamptz(3),
      constraint invitations_accepted_check check ((accepted_at is not null) = (accepted_membership_id is not null)),
      constraint invitations_final_check check (num_nonnulls(accepted_at, revoked_at) <= 1)
    );
    create index invitations_organization_id_idx on invitations (organization_id, created_at desc, id desc);
    create index invitations_email_idx on invitations (organization_id, lower(email));
    create index invitations_invited_by_membership_id_idx on invitations (invited_by_membership_id);
    create index invitations_accepted_membership_id_idx on invitations (accepted_membership_id);
    comment on table invitations is
      'Somebody was asked to join, with what he will be allowed to do. Only the SHA-256 of the link''s secret is kept.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table invitations');
}
