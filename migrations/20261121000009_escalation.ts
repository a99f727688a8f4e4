/** Complete escalation: teams as targets, their policies, claims, and reviewers added by hand. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table escalation_path_targets
      add column team_id uuid constraint escalation_path_targets_team_id_fkey references teams,
      drop constraint escalation_path_targets_key,
      drop constraint escalation_path_targets_user_check,
      drop constraint escalation_path_targets_type_check,
      add constraint escalation_path_targets_type_check check (target_type in ('user', 'team', 'broadcast')),
      add constraint escalation_path_targets_user_check check ((target_type = 'user') = (membership_id is not null)),
      add constraint escalation_path_targets_team_check check ((target_type = 'team') = (team_id is not null)),
      add constraint escalation_path_targets_key
        unique nulls not distinct (escalation_path_revision_id, target_type, membership_id, team_id);
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
    create index team_escalation_policies_team_id_idx on team_escalation_policies (team_id);
    comment on table team_escalation_policies is 'How a team is asked when an escalation path reaches it. document_key is the team id.';

    create table team_escalation_policy_revisions (
      id uuid primary key,
      team_escalation_policy_id uuid not null
        constraint team_escalation_policy_revisions_document_fkey references team_escalation_policies,
      revision bigint not null,
      document json not null,
      created_by_actor_id uuid not null,
      created_at timestamptz(3) not null,
      constraint team_escalation_policy_revisions_revision_key unique (team_escalation_policy_id, revision)
    );
    comment on table team_escalation_policy_revisions is 'Immutable. The document is exact JSON text.';
    create trigger team_escalation_policy_revisions_immutable before update or delete on team_escalation_policy_revisions
      for each row execute function refuse_change();
    alter table team_escalation_policies add constraint team_escalation_policies_active_revision_fkey
      foreign key (id, active_revision) references team_escalation_policy_revisions (team_escalation_policy_id, revision);

    create table team_escalation_policy_targets (
      team_escalation_policy_revision_id uuid not null
        constraint team_escalation_policy_targets_revision_id_fkey references team_escalation_policy_revisions,
      membership_id uuid not null constraint team_escalation_policy_targets_membership_id_fkey references memberships,
      constraint team_escalation_policy_targets_pkey primary key (team_escalation_policy_revision_id, membership_id)
    );
    create index team_escalation_policy_targets_membership_id_idx on team_escalation_policy_targets (membership_id);
    comment on table team_escalation_policy_targets is 'The members a team policy revision asks by name.';

    alter table escalation_steps add column team_id uuid constraint escalation_steps_team_id_fkey references teams;
    create index escalation_steps_team_id_idx on escalation_steps (team_id) where team_id is not null;
    comment on table escalation_steps is
      'Each level a request reached: node and run. node_id null: no level of a path; team_id: a level of a team''s policy inside one.';

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
    create unique index claims_live_key on claims (request_id) where ended_at is null;
    create index claims_membership_id_idx on claims (membership_id);
    create index claims_organization_id_idx on claims (organization_id);
    create index claims_request_id_idx on claims (request_id);
    comment on table claims is 'Somebody said he looks after a request: advisory. ended_at null: live until expires_at, while the request is pending.';

    create table added_reviewers (
      request_id uuid not null constraint added_reviewers_request_id_fkey references approval_requests,
      membership_id uuid not null constraint added_reviewers_membership_id_fkey references memberships,
      added_by_membership_id uuid not null constraint added_reviewers_added_by_membership_id_fkey references memberships,
      added_at timestamptz(3) not null,
      constraint added_reviewers_pkey primary key (request_id, membership_id)
    );
    create index added_reviewers_membership_id_idx on added_reviewers (membership_id, request_id);
    create index added_reviewers_added_by_membership_id_idx on added_reviewers (added_by_membership_id);
    comment on table added_reviewers is 'People a reviewer asked for his help with a request, beside those its path names.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table added_reviewers, claims;
    alter table escalation_steps drop column team_id;
    comment on table escalation_steps is 'Each level a request reached: node and run. node_id null: a request without a path.';
    alter table team_escalation_policies drop constraint team_escalation_policies_active_revision_fkey;
    drop table team_escalation_policy_targets, team_escalation_policy_revisions, team_escalation_policies;
    delete from escalation_path_targets where target_type = 'team';
    alter table escalation_path_targets
      drop constraint escalation_path_targets_key,
      drop constraint escalation_path_targets_type_check,
      drop column team_id,
      add constraint escalation_path_targets_type_check check (target_type in ('user', 'broadcast')),
      add constraint escalation_path_targets_key unique nulls not distinct (escalation_path_revision_id, target_type, membership_id);
  `);
}
