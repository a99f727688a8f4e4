/** Who is asked about a request: escalation paths, and the policies of teams. */
export const escalation = `
create table escalation_paths (
  id uuid primary key,
  organization_id uuid not null constraint escalation_paths_organization_id_fkey references organizations,
  document_key text not null,
  active_revision bigint,
  latest_revision bigint not null,
  created_at timestamptz(3) not null,
  archived_at timestamptz(3),
  constraint escalation_paths_document_key_key unique (organization_id, document_key),
  constraint escalation_paths_archived_check check (archived_at is null or active_revision is null)
);
comment on table escalation_paths is
  'Who is asked, in which order, when a request needs a person. document_key is the path_key.';

create table escalation_path_revisions (
  id uuid primary key,
  escalation_path_id uuid not null constraint escalation_path_revisions_document_fkey references escalation_paths,
  revision bigint not null,
  document json not null,
  created_by_actor_id uuid not null,
  created_at timestamptz(3) not null,
  comment text constraint escalation_path_revisions_comment_check check (char_length(comment) <= 500),
  activated_at timestamptz(3),
  activated_by_actor_id uuid,
  constraint escalation_path_revisions_revision_key unique (escalation_path_id, revision),
  constraint escalation_path_revisions_activated_check check ((activated_at is null) = (activated_by_actor_id is null))
);
comment on table escalation_path_revisions is 'Immutable but for its last activation. The document is exact JSON text.';
create trigger escalation_path_revisions_immutable
  before delete or update of id, escalation_path_id, revision, document, comment, created_by_actor_id, created_at
  on escalation_path_revisions
  for each row execute function refuse_change();
alter table escalation_paths add constraint escalation_paths_active_revision_fkey
  foreign key (id, active_revision) references escalation_path_revisions (escalation_path_id, revision);

create table escalation_path_targets (
  escalation_path_revision_id uuid not null
    constraint escalation_path_targets_revision_id_fkey references escalation_path_revisions,
  target_type text not null
    constraint escalation_path_targets_type_check check (target_type in ('user', 'team', 'broadcast')),
  membership_id uuid constraint escalation_path_targets_membership_id_fkey references memberships,
  team_id uuid constraint escalation_path_targets_team_id_fkey references teams,
  constraint escalation_path_targets_key
    unique nulls not distinct (escalation_path_revision_id, target_type, membership_id, team_id),
  constraint escalation_path_targets_user_check check ((target_type = 'user') = (membership_id is not null)),
  constraint escalation_path_targets_team_check check ((target_type = 'team') = (team_id is not null))
);
comment on table escalation_path_targets is 'All targets of a path revision: who may decide what was routed to it.';
create index escalation_path_targets_membership_id_idx on escalation_path_targets (membership_id);
create index escalation_path_targets_team_id_idx on escalation_path_targets (team_id);

create table team_escalation_policies (
  id uuid primary key,
  organization_id uuid not null constraint team_escalation_policies_organization_id_fkey references organizations,
  document_key text not null,
  team_id uuid not null generated always as (cast(document_key as uuid)) stored
    constraint team_escalation_policies_team_id_fkey references teams,
  active_revision bigint,
  latest_revision bigint not null,
  created_at timestamptz(3) not null,
  archived_at timestamptz(3),
  constraint team_escalation_policies_document_key_key unique (organization_id, document_key),
  constraint team_escalation_policies_archived_check check (archived_at is null or active_revision is null)
);
comment on table team_escalation_policies is
  'How a team is asked when an escalation path reaches it. document_key is the team id.';
create index team_escalation_policies_team_id_idx on team_escalation_policies (team_id);

create table team_escalation_policy_revisions (
  id uuid primary key,
  team_escalation_policy_id uuid not null
    constraint team_escalation_policy_revisions_document_fkey references team_escalation_policies,
  revision bigint not null,
  document json not null,
  created_by_actor_id uuid not null,
  created_at timestamptz(3) not null,
  comment text constraint team_escalation_policy_revisions_comment_check check (char_length(comment) <= 500),
  activated_at timestamptz(3),
  activated_by_actor_id uuid,
  constraint team_escalation_policy_revisions_revision_key unique (team_escalation_policy_id, revision),
  constraint team_escalation_policy_revisions_activated_check check ((activated_at is null) = (activated_by_actor_id is null))
);
comment on table team_escalation_policy_revisions is 'Immutable but for its last activation. The document is exact JSON text.';
create trigger team_escalation_policy_revisions_immutable
  before delete or update of id, team_escalation_policy_id, revision, document, comment, created_by_actor_id, created_at
  on team_escalation_policy_revisions
  for each row execute function refuse_change();
alter table team_escalation_policies add constraint team_escalation_policies_active_revision_fkey
  foreign key (id, active_revision) references team_escalation_policy_revisions (team_escalation_policy_id, revision);

create table team_escalation_policy_targets (
  team_escalation_policy_revision_id uuid not null
    constraint team_escalation_policy_targets_revision_id_fkey references team_escalation_policy_revisions,
  membership_id uuid not null constraint team_escalation_policy_targets_membership_id_fkey references memberships,
  constraint team_escalation_policy_targets_pkey primary key (team_escalation_policy_revision_id, membership_id)
);
comment on table team_escalation_policy_targets is 'The members a team policy revision asks by name.';
create index team_escalation_policy_targets_membership_id_idx on team_escalation_policy_targets (membership_id);
`;
