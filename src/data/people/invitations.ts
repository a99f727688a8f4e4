/** Invitations into an organization. The database's clock decides whether one is pending. */
import type {
  InvitationStatus,
  Invitation,
  LinkedInvitation,
} from '../../domain/people/invitations.ts';
import type { PolicyTerms, HeldPolicy } from '../../domain/people/permission-policies.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';
import { anyContains, containsPattern } from '../text-search.ts';

/** SQL for whether invitation `i` can still be accepted. */
export const PENDING =
  'i.accepted_at is null and i.revoked_at is null and i.expires_at > clock_timestamp()';

/** SQL: how long an invitation can be accepted. */
const LIFETIME = `interval '7 days'`;

const COLUMNS = `
  i.id, i.organization_id, i.email, cast(i.permission_policies as jsonb) as policies,
  i.invited_by_membership_id, i.accepted_membership_id,
  case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
       when i.expires_at <= clock_timestamp() then 'expired' else 'pending' end as status,
  i.created_at, i.updated_at, i.expires_at, i.token_hash`;

type Row<T extends Invitation = Invitation> = Omit<T, 'policies'> & {
  readonly policies: readonly HeldPolicy[];
};

function toInvitation<T extends Invitation>(row: Row<T>): T {
  const policies = row.policies.map(
    ({ scope_kind, resource_ids, permissions, is_owner }): PolicyTerms => ({
      scopeKind: scope_kind,
      resourceIds: resource_ids,
      permissions,
      isOwner: is_owner,
    }),
  );
  return { ...row, policies } as unknown as T;
}

interface NewInvitation {
  readonly id: string;
  readonly email: string;
  readonly policies: readonly PolicyTerms[];
  readonly tokenHash: Buffer;
  readonly invitedByMembershipId: string;
}

/** Creates a pending invitation that ends in seven days. */
export async function insertInvitation(
  trx: Trx,
  organizationId: string,
  { policies, ...invitation }: NewInvitation,
): Promise<Invitation> {
  const stored = policies.map(({ scopeKind, resourceIds, permissions, isOwner }): HeldPolicy => ({
    scope_kind: scopeKind,
    resource_ids: resourceIds,
    permissions,
    is_owner: isOwner,
  }));
  const row = await queryOne<Row>(
    trx,
    `insert into invitations as i (id, organization_id, email, permission_policies, token_hash, invited_by_membership_id,
                                   created_at, updated_at, expires_at)
     select :id, :organizationId, :email, :policies, :tokenHash, :invitedByMembershipId, now, now, now + ${LIFETIME}
       from clock_timestamp() as now
     returning ${COLUMNS}`,
    { organizationId, ...invitation, policies: JSON.stringify(stored) },
  );
  return toInvitation(row);
}

export interface InvitationPage {
  readonly status?: InvitationStatus | undefined;
  /** Part of the email, ignoring case. */
  readonly q?: string | undefined;
  readonly limit: number;
  /** Id of the last invitation of the previous page. */
  readonly after?: string | undefined;
}

/** Newest first. */
export async function listInvitations(
  db: Db,
  organizationId: string,
  { status, q, after, limit }: InvitationPage,
): Promise<Invitation[]> {
  const rows = await queryRows<Row>(
    db,
    `select * from (select ${COLUMNS} from invitations i where i.organization_id = :organizationId) listed
      where (cast(:status as text) is null or status = :status)
        and (cast(:pattern as text) is null or ${anyContains(['email'])})
        and (cast(:after as uuid) is null or (created_at, id) <
             (select l.created_at, l.id from invitations l where l.id = :after and l.organization_id = :organizationId))
      order by created_at desc, id desc
      limit :limit`,
    {
      organizationId,
      status: status ?? null,
      pattern: q === undefined ? null : containsPattern(q),
      after: after ?? null,
      limit,
    },
  );
  return rows.map(toInvitation);
}

export async function findInvitation(
  db: Db,
  organizationId: string,
  id: string,
): Promise<Invitation | undefined> {
  const row = await queryRow<Row>(
    db,
    `select ${COLUMNS} from invitations i where i.organization_id = :organizationId and i.id = :id`,
    { organizationId, id },
  );
  return row && toInvitation(row);
}

/** Finds at most one: an email with a pending invitation cannot be invited again. */
export async function findPendingInvitation(
  db: Db,
  organizationId: string,
  email: string,
): Promise<Invitation | undefined> {
  const row = await queryRow<Row>(
    db,
    `select ${COLUMNS} from invitations i
      where i.organization_id = :organizationId and lower(i.email) = lower(:email) and ${PENDING}`,
    { organizationId, email },
  );
  return row && toInvitation(row);
}

/**
 * An invitation in any state, by the id in its link. Undefined when its organization was deleted.
 */
export async function findLinkedInvitation(
  db: Db,
  id: string,
): Promise<LinkedInvitation | undefined> {
  const row = await queryRow<Row<LinkedInvitation>>(
    db,
    `select ${COLUMNS}, o.name as organization_name, inviter.display_name as inviter_name, invited.id as user_id
       from invitations i
       join organizations o on o.id = i.organization_id and o.deleted_at is null
       join memberships m on m.id = i.invited_by_membership_id
       join users inviter on inviter.id = m.user_id
       left join users invited on lower(invited.email) = lower(i.email)
      where i.id = :id`,
    { id },
  );
  return row && toInvitation<LinkedInvitation>(row);
}

/** What prevents inviting this email, by the database's clock. */
interface EmailStanding {
  readonly isMember: boolean;
  /** Removed by the directory, and only the directory can restore the membership. */
  readonly isDirectoryManaged: boolean;
  readonly isInvited: boolean;
}

export async function findEmailStanding(
  db: Db,
  organizationId: string,
  email: string,
): Promise<EmailStanding> {
  return await queryOne<EmailStanding>(
    db,
    `select coalesce(m.status <> 'deprovisioned', false) as is_member, coalesce(m.directory_managed, false) as is_directory_managed,
            exists (select 1 from invitations i
                     where i.organization_id = :organizationId and lower(i.email) = lower(:email) and ${PENDING}) as is_invited
       from (values (1)) as one
       left join (users u join memberships m on m.user_id = u.id and m.organization_id = :organizationId)
         on lower(u.email) = lower(:email)`,
    { organizationId, email },
  );
}

/** The end of an invitation sent now. */
export async function invitationExpiry(db: Db): Promise<Date> {
  const row = await queryOne<{ expiresAt: Date }>(
    db,
    `select cast(clock_timestamp() + ${LIFETIME} as timestamptz(3)) as expires_at`,
  );
  return row.expiresAt;
}

export interface Renewal {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
  readonly invitedByMembershipId: string;
}

/**
 * Gives a pending invitation a new link and a later end. Undefined when it is no longer pending.
 */
export async function renewInvitation(
  trx: Trx,
  organizationId: string,
  renewal: Renewal,
): Promise<Invitation | undefined> {
  const row = await queryRow<Row>(
    trx,
    `update invitations i
        set token_hash = :tokenHash, expires_at = :expiresAt, invited_by_membership_id = :invitedByMembershipId,
            updated_at = clock_timestamp()
      where i.organization_id = :organizationId and i.id = :id and ${PENDING}
     returning ${COLUMNS}`,
    { organizationId, ...renewal },
  );
  return row && toInvitation(row);
}

/**
 * True when this call revoked it. With `tokenHash`, revokes only while that is the current link.
 */
export async function revokeInvitation(
  trx: Trx,
  organizationId: string,
  { id, tokenHash }: { readonly id: string; readonly tokenHash?: Buffer },
): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update invitations i set revoked_at = now, updated_at = now
       from clock_timestamp() as now
      where i.organization_id = :organizationId and i.id = :id and ${PENDING}
        and (cast(:tokenHash as bytea) is null or i.token_hash = :tokenHash)`,
    { organizationId, id, tokenHash: tokenHash ?? null },
  );
  return rowCount === 1;
}

/** True when the invitation was pending and this membership accepted it. */
export async function acceptInvitation(
  trx: Trx,
  organizationId: string,
  { id, membershipId }: { readonly id: string; readonly membershipId: string },
): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update invitations i set accepted_at = now, updated_at = now, accepted_membership_id = :membershipId
       from clock_timestamp() as now
      where i.organization_id = :organizationId and i.id = :id and ${PENDING}`,
    { organizationId, id, membershipId },
  );
  return rowCount === 1;
}
