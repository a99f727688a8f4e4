/** People in an organization. The membership id identifies a reviewer everywhere. */
import {
  MEMBERSHIP_STATUSES,
  type MemberSummary,
  type MemberPosition,
  type MembershipStatus,
} from '../../domain/people/memberships.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import {
  type PreparedStatement,
  queryOne,
  queryRow,
  queryRows,
  runPrepared,
} from '../../platform/rows.ts';
import { HELD_POLICIES } from './permission-policies.ts';
import type { HeldPolicy } from '../../domain/people/permission-policies.ts';

/** A member with all that authorization needs, read together with a session or a key. */
export interface MemberWithPolicies {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly membershipStatus: MembershipStatus;
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  /** Teams that are not archived. */
  readonly teamIds: readonly string[];
  /** The organization requires a second factor for sensitive actions. */
  readonly requiresMfa: boolean;
  /** Grows with every change of anyone's access in the organization. */
  readonly accessVersion: number;
  readonly policies: readonly HeldPolicy[];
}

/** SQL for the ids of the live teams of membership `m`. */
const LIVE_TEAM_IDS = `
  array(select distinct t.id from team_members tm join teams t on t.id = tm.team_id
         where tm.membership_id = m.id and t.archived_at is null order by t.id)`;

/** SQL for the columns of MemberWithPolicies, from `memberships m` joined with `users u` and `organizations o`. */
export const MEMBER_COLUMNS = `
  m.organization_id, m.id as membership_id, m.status as membership_status,
  u.id as user_id, u.display_name, u.email, o.require_mfa as requires_mfa, o.access_version,
  ${LIVE_TEAM_IDS} as team_ids, ${HELD_POLICIES} as policies`;

const FIND_WITH_POLICIES: PreparedStatement = {
  name: 'find-member-with-policies',
  sql: `
    select ${MEMBER_COLUMNS}
      from memberships m
      join users u on u.id = m.user_id
      join organizations o on o.id = m.organization_id
     where m.organization_id = :organizationId and m.id = :membershipId`,
};

/** A member's current state, for guards that act in this transaction. */
export async function findMemberWithPolicies(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<MemberWithPolicies | undefined> {
  const [member] = await runPrepared<MemberWithPolicies>(db, FIND_WITH_POLICIES, {
    organizationId,
    membershipId,
  });
  return member;
}

const SLACK_LINK_HOLDER: PreparedStatement = {
  name: 'find-slack-link-holder',
  sql: `
    select ${MEMBER_COLUMNS}
      from slack_links l
      join slack_connections s on s.channel_id = l.channel_id
      join memberships m on m.id = l.membership_id
      join users u on u.id = m.user_id
      join organizations o on o.id = m.organization_id
     where l.membership_id = :membershipId and l.slack_user_id = :slackUserId
       and s.organization_id = :organizationId and m.organization_id = :organizationId and o.deleted_at is null`,
};

/** The member linked to the Slack user, while the organization is connected to the workspace. */
export async function findSlackLinkHolder(
  db: Db,
  organizationId: string,
  link: { readonly membershipId: string; readonly slackUserId: string },
): Promise<MemberWithPolicies | undefined> {
  return (
    await runPrepared<MemberWithPolicies>(db, SLACK_LINK_HOLDER, { organizationId, ...link })
  )[0];
}

interface NewMembership {
  readonly id: string;
  readonly userId: string;
  readonly admissionSource: 'manual' | 'invite' | 'sso_jit' | 'directory';
}

export async function insertMembership(
  db: Db,
  organizationId: string,
  membership: NewMembership,
): Promise<void> {
  const now = db.raw('clock_timestamp()');
  await db('memberships').insert({
    id: membership.id,
    organization_id: organizationId,
    user_id: membership.userId,
    status: 'active',
    admission_source: membership.admissionSource,
    created_at: now,
    updated_at: now,
  });
}

/** A member's own profile, without the identity and permissions that `me` adds. */
interface MemberAccount {
  readonly hasPassword: boolean;
  readonly organizationName: string;
  readonly organizationSlug: string;
  readonly onboardingCompletedAt: Date | null;
  /** Seconds. */
  readonly claimTimeout: number;
  readonly requireMfa: boolean;
}

export async function findMemberAccount(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<MemberAccount> {
  const account = await queryRow<MemberAccount>(
    db,
    `select u.password_hash is not null as has_password, o.name as organization_name, o.slug as organization_slug,
            o.onboarding_completed_at, o.claim_timeout_seconds as claim_timeout, o.require_mfa
       from memberships m
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where m.organization_id = :organizationId and m.id = :membershipId`,
    { organizationId, membershipId },
  );
  if (!account) throw new Error('a member who is calling is gone');
  return account;
}

const MEMBER_ROW = `
  select m.id, m.organization_id, o.name as organization_name, m.user_id,
         u.display_name, u.email, m.status, m.admission_source,
         m.directory_managed, m.created_at, m.updated_at,
         exists (select 1 from permission_policies p where p.membership_id = m.id and p.is_owner) as is_owner,
         ${LIVE_TEAM_IDS} as team_ids,
         exists (select 1 from totp_factors f where f.user_id = m.user_id and f.confirmed_at is not null) as has_second_factor,
         (select max(s.last_seen_at) from sessions s where s.membership_id = m.id) as last_seen_at
    from memberships m
    join users u on u.id = m.user_id
    join organizations o on o.id = m.organization_id
   where m.organization_id = :organizationId`;

export interface MemberPage {
  readonly status?: MembershipStatus | undefined;
  /** Part of the name or email, ignoring case. */
  readonly q?: string | undefined;
  /** Only members of this team. */
  readonly teamId?: string | undefined;
  readonly after?: MemberPosition | undefined;
  readonly limit: number;
}

/** Active, then suspended, then removed members, each by name ignoring case. */
export async function listMembers(
  db: Db,
  organizationId: string,
  { status, q, teamId, after, limit }: MemberPage,
): Promise<MemberSummary[]> {
  const order = (rank: string) =>
    `array_position(cast(:statuses as text[]), ${rank}), lower(u.display_name) collate "C", m.id`;
  return await queryRows<MemberSummary>(
    db,
    `${MEMBER_ROW}
       and (cast(:status as text) is null or m.status = :status)
       and (cast(:q as text) is null or position(lower(:q) in lower(u.display_name)) > 0 or position(lower(:q) in lower(u.email)) > 0)
       and (cast(:teamId as uuid) is null or exists (select 1 from team_members tm where tm.team_id = :teamId and tm.membership_id = m.id))
       and (cast(:afterId as uuid) is null or (${order('m.status')}) > (
             select ${order('cast(:afterStatus as text)')}
               from memberships m join users u on u.id = m.user_id
              where m.organization_id = :organizationId and m.id = :afterId))
     order by ${order('m.status')}
     limit :limit`,
    {
      organizationId,
      statuses: [...MEMBERSHIP_STATUSES],
      status: status ?? null,
      q: q ?? null,
      teamId: teamId ?? null,
      afterId: after?.id ?? null,
      afterStatus: after?.status ?? null,
      limit,
    },
  );
}

export async function findMember(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<MemberSummary | undefined> {
  return await queryRow<MemberSummary>(db, `${MEMBER_ROW} and m.id = :membershipId`, {
    organizationId,
    membershipId,
  });
}

export async function setMembershipStatus(
  trx: Trx,
  organizationId: string,
  { id, status }: { readonly id: string; readonly status: MembershipStatus },
): Promise<void> {
  await trx('memberships')
    .where({ organization_id: organizationId, id })
    .update({ status, updated_at: trx.raw('clock_timestamp()') });
}

/** The ids of what a removed member lost, oldest first. */
interface EndedAccess {
  readonly permissionPolicyIds: readonly string[];
  readonly teamIds: readonly string[];
  readonly sessionIds: readonly string[];
  readonly apiKeyIds: readonly string[];
}

/**
 * Deletes a removed member's policies and manual team memberships, and revokes their sessions and
 * keys.
 */
export async function endAccess(
  trx: Trx,
  organizationId: string,
  membershipId: string,
): Promise<EndedAccess> {
  return await queryOne<EndedAccess>(
    trx,
    `with policies as (
       delete from permission_policies where organization_id = :organizationId and membership_id = :membershipId returning id
     ), teams as (
       delete from team_members where membership_id = :membershipId and source = 'manual' returning team_id as id
     ), slack_links as (
       delete from slack_links where membership_id = :membershipId
     ), push_subscriptions as (
       delete from push_subscriptions where membership_id = :membershipId
     ), slack_link_codes as (
       delete from slack_link_codes where membership_id = :membershipId
     ), ended_sessions as (
       update sessions set revoked_at = clock_timestamp()
        where organization_id = :organizationId and membership_id = :membershipId and revoked_at is null returning id
     ), revoked_keys as (
       update api_keys set revoked_at = clock_timestamp(), revocation_reason = 'membership_deprovisioned'
        where organization_id = :organizationId and membership_id = :membershipId and revoked_at is null returning id
     )
     select array(select id from policies order by id) as permission_policy_ids, array(select id from teams order by id) as team_ids,
            array(select id from ended_sessions order by id) as session_ids, array(select id from revoked_keys order by id) as api_key_ids`,
    { organizationId, membershipId },
  );
}

interface MembershipStanding {
  readonly id: string;
  readonly status: MembershipStatus;
  /** Only the directory can suspend, remove or restore this member. */
  readonly directoryManaged: boolean;
}

/** The person's membership of the organization, of any status. */
export async function findMembershipOf(
  db: Db,
  organizationId: string,
  userId: string,
): Promise<MembershipStanding | undefined> {
  return await queryRow<MembershipStanding>(
    db,
    `select id, status, directory_managed from memberships where organization_id = :organizationId and user_id = :userId`,
    { organizationId, userId },
  );
}

/**
 * Restores a removed member under the same id, in no team. Call `endAccess` first, so that no old
 * credential works again.
 */
export async function restoreMembership(
  trx: Trx,
  organizationId: string,
  { id, admissionSource }: Pick<NewMembership, 'id' | 'admissionSource'>,
): Promise<void> {
  await trx.raw(
    `with team as (delete from team_members where membership_id = :id)
     update memberships set status = 'active', admission_source = :admissionSource, updated_at = clock_timestamp()
      where organization_id = :organizationId and id = :id`,
    { organizationId, id, admissionSource },
  );
}

/** The status, locked: suspending or removing the member waits for the end of the transaction. */
export async function lockMembershipStatus(
  trx: Trx,
  organizationId: string,
  membershipId: string,
): Promise<MembershipStatus | undefined> {
  const row = (await trx('memberships')
    .where({ organization_id: organizationId, id: membershipId })
    .forShare()
    .first('status')) as { status: MembershipStatus } | undefined;
  return row?.status;
}
