/**
 * Teams, their members, and permission policies of teams and of organization keys beside those of
 * members.
 */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table teams (
      id uuid primary key,
      organization_id uuid not null constraint teams_organization_id_fkey references organizations,
      name text not null,
      directory_managed boolean not null default false,
      created_at timestamptz(3) not null,
      archived_at timestamptz(3)
    );
    create unique index teams_live_name_key
      on teams (organization_id, lower(normalize(replace(name, chr(65039), ''), NFKC))) where archived_at is null;
    create index teams_organization_id_idx on teams (organization_id, lower(name) collate "C", id);
    comment on table teams is 'A group of members. Its live policies are inherited by every member; archiving is for good.';

    create table team_members (
      team_id uuid not null constraint team_members_team_id_fkey references teams,
      membership_id uuid not null constraint team_members_membership_id_fkey references memberships,
      source text not null constraint team_members_source_check check (source in ('manual', 'directory')),
      created_at timestamptz(3) not null,
      constraint team_members_pkey primary key (team_id, membership_id, source)
    );
    create index team_members_membership_id_idx on team_members (membership_id);
    comment on table team_members is 'Who is in a team, once for each source that says so: added by hand, or by the directory.';

    alter table api_keys add column created_by_membership_id uuid
      constraint api_keys_created_by_membership_id_fkey references memberships;
    update api_keys set created_by_membership_id = membership_id;
    alter table api_keys alter column created_by_membership_id set not null;
    create index api_keys_created_by_membership_id_idx on api_keys (created_by_membership_id);
    drop index api_keys_organization_id_idx;
    create index api_keys_organization_id_idx on api_keys (organization_id, created_at desc, id desc);

    alter table permission_policies alter column membership_id drop not null;
    alter table permission_policies add column team_id uuid constraint permission_policies_team_id_fkey references teams;
    alter table permission_policies add column api_key_id uuid constraint permission_policies_api_key_id_fkey references api_keys;
    alter table permission_policies add constraint permission_policies_principal_check
      check (num_nonnulls(membership_id, team_id, api_key_id) = 1);
    alter table permission_policies add constraint permission_policies_owner_check check (not is_owner or membership_id is not null);
    create index permission_policies_team_id_idx on permission_policies (team_id);
    create index permission_policies_api_key_id_idx on permission_policies (api_key_id);
    comment on table permission_policies is
      'What a member, a team or an organization key may do, and where. is_owner carries every permission a person can hold.';

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
       -- Once each; a distinct here would read every roster there is for the deciders of the smallest organization.
       where not exists (select 1 from team_members other
                          where other.team_id = tm.team_id and other.membership_id = tm.membership_id and other.source < tm.source);
    comment on view held_policies is
      'The policies of each member: his own, and those of the live teams he is in, once however many sources say so.';

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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table idempotency_keys;
    drop view held_policies;
    delete from permission_policies where membership_id is null;
    alter table permission_policies
      drop constraint permission_policies_owner_check,
      drop constraint permission_policies_principal_check,
      drop column api_key_id,
      drop column team_id,
      alter column membership_id set not null;
    comment on table permission_policies is 'What a member may do, and where. is_owner carries every permission a person can hold.';
    drop index api_keys_organization_id_idx;
    create index api_keys_organization_id_idx on api_keys (organization_id);
    alter table api_keys drop column created_by_membership_id;
    drop table team_members, teams;
  `);
}
