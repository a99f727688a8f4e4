/** Organizations, the people in them, how they sign in, and what they may do. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table organizations (
      id uuid primary key,
      name text not null,
      slug text not null constraint organizations_slug_key unique,
      personal_api_keys_allowed boolean not null default true,
      onboarding_completed_at timestamptz(3),
      created_at timestamptz(3) not null
    );
    comment on table organizations is 'A tenant. Every other row belongs to one.';

    create table users (
      id uuid primary key,
      email text not null,
      display_name text not null,
      password_hash text,
      created_at timestamptz(3) not null
    );
    create unique index users_email_key on users (lower(email));
    comment on table users is 'A person who can sign in. password_hash is argon2id, absent for accounts of an identity provider.';

    create table memberships (
      id uuid primary key,
      organization_id uuid not null constraint memberships_organization_id_fkey references organizations,
      user_id uuid not null constraint memberships_user_id_fkey references users,
      status text not null constraint memberships_status_check check (status in ('active', 'suspended', 'deprovisioned')),
      admission_source text not null
        constraint memberships_admission_source_check check (admission_source in ('manual', 'invite', 'sso_jit', 'directory')),
      directory_managed boolean not null default false,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint memberships_organization_id_user_id_key unique (organization_id, user_id)
    );
    create index memberships_user_id_idx on memberships (user_id);
    comment on table memberships is 'A person in an organization. Its id is the identity of reviewers everywhere.';

    create table permission_policies (
      id uuid primary key,
      organization_id uuid not null constraint permission_policies_organization_id_fkey references organizations,
      membership_id uuid not null constraint permission_policies_membership_id_fkey references memberships,
      scope_kind text not null constraint permission_policies_scope_kind_check check (scope_kind in ('organization', 'team', 'agent')),
      resource_ids text[] not null default '{}',
      permissions text[] not null default '{}',
      is_owner boolean not null default false,
      source text not null default 'manual' constraint permission_policies_source_check check (source in ('manual', 'directory')),
      revision integer not null default 1,
      granted_by_actor_id uuid,
      created_at timestamptz(3) not null,
      constraint permission_policies_resource_ids_check check ((scope_kind = 'organization') = (resource_ids = '{}')),
      constraint permission_policies_is_owner_check check (not is_owner or (scope_kind = 'organization' and permissions = '{}'))
    );
    create index permission_policies_membership_id_idx on permission_policies (membership_id);
    create index permission_policies_organization_id_idx on permission_policies (organization_id);
    comment on table permission_policies is 'What a member may do, and where. is_owner carries every permission a person can hold.';

    create table sessions (
      id uuid primary key,
      organization_id uuid not null constraint sessions_organization_id_fkey references organizations,
      membership_id uuid not null constraint sessions_membership_id_fkey references memberships,
      token_hash bytea not null,
      method text not null,
      assurance text not null constraint sessions_assurance_check check (assurance in ('single_factor', 'strong')),
      authenticated_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      last_seen_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      revoked_at timestamptz(3)
    );
    create index sessions_membership_id_idx on sessions (membership_id);
    create index sessions_organization_id_idx on sessions (organization_id);
    comment on table sessions is 'A sign-in of a member in a browser. Only the SHA-256 of the cookie secret is kept.';

    create unlogged table sign_in_attempts (
      key bytea constraint sign_in_attempts_pkey primary key,
      attempts integer not null,
      window_ends_at timestamptz(3) not null
    );
    create index sign_in_attempts_window_ends_at_idx on sign_in_attempts (window_ends_at);
    comment on table sign_in_attempts is 'How often somebody tried a password lately. key: SHA-256 of email and client address.';

    create table api_keys (
      id uuid primary key,
      organization_id uuid not null constraint api_keys_organization_id_fkey references organizations,
      kind text not null constraint api_keys_kind_check check (kind in ('personal', 'organization')),
      membership_id uuid constraint api_keys_membership_id_fkey references memberships,
      name text not null,
      token_hash bytea not null,
      permissions text[],
      assurance_at_issue text not null
        constraint api_keys_assurance_at_issue_check check (assurance_at_issue in ('single_factor', 'strong')),
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      revoked_at timestamptz(3),
      revocation_reason text
        constraint api_keys_revocation_reason_check check (revocation_reason in ('manual', 'membership_deprovisioned')),
      constraint api_keys_personal_check check ((kind = 'personal') = (membership_id is not null))
    );
    create index api_keys_membership_id_idx on api_keys (membership_id, created_at desc, id desc);
    create index api_keys_organization_id_idx on api_keys (organization_id);
    comment on table api_keys is 'Bearer keys of the product API. Only the SHA-256 of the secret is kept. permissions null: everything its member holds.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    'drop table api_keys, sign_in_attempts, sessions, permission_policies, memberships, users, organizations',
  );
}
