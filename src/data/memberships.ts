/** People in an organization. The membership's id is a reviewer's identity everywhere. */
import type { Db } from '../platform/postgres.ts';
import { HELD_POLICIES, type HeldPolicy } from './permission-policies.ts';

export type MembershipStatus = 'active' | 'suspended' | 'deprovisioned';

/** A member with everything authorization needs, as read beside a session or a key. */
export interface MemberWithPolicies {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly membershipStatus: MembershipStatus;
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  /** Live teams. */
  readonly teamIds: readonly string[];
  /** The organization demands a second factor for what matters. */
  readonly requiresMfa: boolean;
  readonly policies: readonly HeldPolicy[];
}

/** SQL for the ids of the live teams the membership `m` is in. */
const LIVE_TEAM_IDS = `
  array(select distinct t.id from team_members tm join teams t on t.id = tm.team_id
         where tm.membership_id = m.id and t.archived_at is null order by t.id)`;

/** SQL for the columns of MemberWithPolicies, from `memberships m` joined with `users u` and `organizations o`. */
export const MEMBER_COLUMNS = `
  m.organization_id as "organizationId", m.id as "membershipId", m.status as "membershipStatus",
  u.id as "userId", u.display_name as "displayName", u.email, o.require_mfa as "requiresMfa",
  ${LIVE_TEAM_IDS} as "teamIds", ${HELD_POLICIES} as policies`;

/** A member as he is now, for guards that act in this transaction. */
export async function findMemberWithPolicies(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<MemberWithPolicies | undefined> {
  const { rows } = await db.raw<{ rows: MemberWithPolicies[] }>(
    `select ${MEMBER_COLUMNS}
       from memberships m
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where m.organization_id = :organizationId and m.id = :membershipId`,
    { organizationId, membershipId },
  );
  return rows[0];
}

export interface NewMembership {
  readonly id: string;
  readonly userId: string;
  readonly admissionSource: 'manual' | 'invite' | 'sso_jit' | 'directory';
}

export async function insertMembership(db: Db, organizationId: string, membership: NewMembership): Promise<void> {
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

/** What a member sees about himself besides who he is and what he may do. */
export interface MemberAccount {
  readonly hasPassword: boolean;
  readonly organizationName: string;
  readonly organizationSlug: string;
  readonly onboardingCompletedAt: Date | null;
}

export async function findMemberAccount(db: Db, organizationId: string, membershipId: string): Promise<MemberAccount> {
  const { rows } = await db.raw<{ rows: MemberAccount[] }>(
    `select u.password_hash is not null as "hasPassword", o.name as "organizationName", o.slug as "organizationSlug",
            o.onboarding_completed_at as "onboardingCompletedAt"
       from memberships m
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where m.organization_id = :organizationId and m.id = :membershipId`,
    { organizationId, membershipId },
  );
  const [account] = rows;
  if (!account) throw new Error('a member who is calling is gone');
  return account;
}
