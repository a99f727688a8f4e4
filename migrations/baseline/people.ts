/** Organizations, the people and teams in them, and what they may do. */
export const people = `
create table organizations (
  id uuid primary key,
  name text not null,
  slug text not null,
  personal_api_keys_allowed boolean not null default true,
  onboarding_completed_at timestamptz(3),
  created_at timestamptz(3) not null,
  revision integer not null default 1,
  claim_timeout_seconds integer not null default 900
    constraint organizations_claim_timeout_check check (claim_timeout_seconds between 60 and 86400),
  max_api_key_lifetime_seconds integer
    constraint organizations_max_api_key_lifetime_check check (max_api_key_lifetime_seconds between 3600 and 315360000),
  require_mfa boolean not null default false,
  reauthentication_window_seconds integer not null default 900
    constraint organizations_reauthentication_window_check check (reauthentication_window_seconds between 60 and 86400),
  deleted_at timestamptz(3),
  access_version bigint not null default 0,
  agent_pending_percent integer not null default 25
    constraint organizations_agent_pending_percent_check check (agent_pending_percent between 1 and 100),
  hides_secret_names boolean not null default true,
  hidden_names text[] not null default '{}'
    constraint organizations_hidden_names_check check (cardinality(hidden_names) <= 100)
);
comment on table organizations is
  'A tenant. Every other row belongs to one. revision counts its changes; with deleted_at everything that opens it has ended.';
comment on column organizations.agent_pending_percent is
  'How much of the cap on pending requests one agent may take, at least one request.';
comment on column organizations.hidden_names is
  'Names of arguments whose values people see only when they ask. hides_secret_names: those that usually name secrets, too.';
create unique index organizations_slug_key on organizations (slug) where deleted_at is null;

create table users (
  id uuid primary key,
  email text not null,
  display_name text not null,
  password_hash text,
  created_at timestamptz(3) not null
);
comment on table users is 'A person who can sign in. password_hash is argon2id, absent for accounts of an identity provider.';
create unique index users_email_key on users (lower(email));

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
comment on table memberships is 'A person in an organization. Its id is the identity of reviewers everywhere.';
create index memberships_user_id_idx on memberships (user_id);

create table teams (
  id uuid primary key,
  organization_id uuid not null constraint teams_organization_id_fkey references organizations,
  name text not null,
  directory_managed boolean not null default false,
  created_at timestamptz(3) not null,
  archived_at timestamptz(3)
);
comment on table teams is 'A group of members. Its live policies are inherited by every member; archiving is for good.';
create unique index teams_live_name_key on teams (organization_id, text_digest(folded_name(name))) where archived_at is null;
create index teams_organization_id_idx on teams (organization_id, lower(name) collate "C", id);

create table team_members (
  team_id uuid not null constraint team_members_team_id_fkey references teams,
  membership_id uuid not null constraint team_members_membership_id_fkey references memberships,
  source text not null constraint team_members_source_check check (source in ('manual', 'directory')),
  created_at timestamptz(3) not null,
  constraint team_members_pkey primary key (team_id, membership_id, source)
);
comment on table team_members is 'Who is in a team, once for each source that says so: added by hand, or by the directory.';
create index team_members_membership_id_idx on team_members (membership_id);

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
comment on table invitations is
  'A person invited to join, with what they will be allowed to do. Only the SHA-256 of the link''s secret is kept.';
create index invitations_accepted_membership_id_idx on invitations (accepted_membership_id);
create index invitations_email_idx on invitations (organization_id, lower(email));
create index invitations_invited_by_membership_id_idx on invitations (invited_by_membership_id);
create index invitations_organization_id_idx on invitations (organization_id, created_at desc, id desc);

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
  created_by_membership_id uuid not null constraint api_keys_created_by_membership_id_fkey references memberships,
  token_expires_at timestamptz(3),
  resource text constraint api_keys_resource_check check (resource in ('mcp', 'api')),
  constraint api_keys_personal_check check ((kind = 'personal') = (membership_id is not null))
);
comment on table api_keys is
  'Bearer keys of the product API. Only the SHA-256 of the secret is kept. permissions null: everything its member holds.';
comment on column api_keys.token_expires_at is
  'Of a key of a client: when its present token stops working. The key lives on, with a new token.';
comment on column api_keys.resource is
  'Of a key of a client: what it opens. mcp: nothing but the MCP endpoint and its own verification.';
create index api_keys_created_by_membership_id_idx on api_keys (created_by_membership_id);
create index api_keys_ending_idx on api_keys (organization_id, expires_at) where revoked_at is null and expires_at is not null;
create index api_keys_membership_id_idx on api_keys (membership_id, created_at desc, id desc);
create index api_keys_organization_id_idx on api_keys (organization_id, created_at desc, id desc);

create table permission_policies (
  id uuid primary key,
  organization_id uuid not null constraint permission_policies_organization_id_fkey references organizations,
  membership_id uuid constraint permission_policies_membership_id_fkey references memberships,
  scope_kind text not null
    constraint permission_policies_scope_kind_check check (scope_kind in ('organization', 'team', 'agent')),
  resource_ids text[] not null default '{}',
  permissions text[] not null default '{}',
  is_owner boolean not null default false,
  source text not null default 'manual'
    constraint permission_policies_source_check check (source in ('manual', 'directory')),
  revision integer not null default 1,
  granted_by_actor_id uuid,
  created_at timestamptz(3) not null,
  team_id uuid constraint permission_policies_team_id_fkey references teams,
  api_key_id uuid constraint permission_policies_api_key_id_fkey references api_keys,
  constraint permission_policies_resource_ids_check check ((scope_kind = 'organization') = (resource_ids = '{}')),
  constraint permission_policies_is_owner_check check (not is_owner or (scope_kind = 'organization' and permissions = '{}')),
  constraint permission_policies_principal_check check (num_nonnulls(membership_id, team_id, api_key_id) = 1),
  constraint permission_policies_owner_check check (not is_owner or membership_id is not null)
);
comment on table permission_policies is
  'What a member, a team or an organization key may do, and where. is_owner carries every permission a person can hold.';
create index permission_policies_api_key_id_idx on permission_policies (api_key_id);
create index permission_policies_membership_id_idx on permission_policies (membership_id);
create index permission_policies_organization_id_idx on permission_policies (organization_id);
create index permission_policies_team_id_idx on permission_policies (team_id);

create table idempotency_keys (
  organization_id uuid not null constraint idempotency_keys_organization_id_fkey references organizations,
  operation text not null,
  key text not null,
  parameters_hash bytea not null,
  resource_id uuid not null,
  created_at timestamptz(3) not null,
  constraint idempotency_keys_pkey primary key (organization_id, operation, key)
);
comment on table idempotency_keys is
  'Which resource a call with an Idempotency-Key made. parameters_hash: SHA-256 of the compared parameters. Kept for ever.';

create view held_policies as
  select p.membership_id, p.organization_id, p.id, p.scope_kind, p.resource_ids, p.permissions, p.is_owner, p.source, p.revision,
         p.granted_by_actor_id, p.created_at, cast(null as uuid) as via_team_id, cast(null as text) as via_team_name
    from permission_policies p
   where p.membership_id is not null
  union all
  select tm.membership_id, p.organization_id, p.id, p.scope_kind, p.resource_ids, p.permissions, p.is_owner, p.source, p.revision,
         p.granted_by_actor_id, p.created_at, t.id, t.name
    from team_members tm
    join teams t on t.id = tm.team_id and t.archived_at is null
    join permission_policies p on p.team_id = t.id
   -- Once each. A distinct here would read every roster there is for the deciders of the smallest organization.
   where not exists (select 1 from team_members other
                      where other.team_id = tm.team_id and other.membership_id = tm.membership_id and other.source < tm.source);
comment on view held_policies is
  'The policies of each member: their own, and those of their live teams, once for any number of sources.';
`;
