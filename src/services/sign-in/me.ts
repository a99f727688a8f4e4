/** The caller: principal, person, organization, and the origin of each permission. */
import {
  authorize,
  effectiveGrants,
  effectivePermissions,
  type MemberPrincipal,
} from '../../domain/people/authorization.ts';
import type { Grant, Permission } from '../../domain/people/permissions.ts';
import { findMemberAccount } from '../../data/people/memberships.ts';
import { listMemberAssignments } from '../../data/people/role-assignments.ts';
import { findSessionTimes } from '../../data/sign-in/sessions.ts';
import type { SessionTimes } from '../../domain/sign-in/sessions.ts';
import type { ServiceContext } from '../context.ts';
import { roleAssignment, type RoleAssignment } from '../people/role-assignments.ts';

export interface Account {
  readonly principal: MemberPrincipal;
  /** The permissions that the presented credential can use. */
  readonly permissions: readonly Permission[];
  readonly grants: readonly Grant[];
  readonly hasPassword: boolean;
  readonly organizationName: string;
  readonly organizationSlug: string;
  readonly assignments: readonly RoleAssignment[];
  readonly onboardingRequired: boolean;
  readonly onboardingCompletedAt: Date | null;
  /** Undefined for a key. */
  readonly session: SessionTimes | undefined;
  /** Seconds. */
  readonly claimTimeout: number;
  readonly requireMfa: boolean;
}

/** `background`: the call that asks is no use of its session. */
export async function readAccount(
  context: ServiceContext,
  principal: MemberPrincipal,
  { background = false } = {},
): Promise<Account> {
  const { organizationId, membershipId, via } = principal;
  const [account, assignments, session] = await Promise.all([
    findMemberAccount(context.db, organizationId, membershipId),
    listMemberAssignments(context.db, organizationId, [membershipId]),
    via.kind === 'session'
      ? findSessionTimes(context.db, organizationId, { id: via.sessionId, background })
      : undefined,
  ]);
  const canSetUp = authorize(principal, 'organization.settings.write', {
    kind: 'organization',
  }).allowed;
  const { edition } = context;
  const { organizationName } = account;
  return {
    ...account,
    principal,
    permissions: effectivePermissions(principal, edition),
    grants: effectiveGrants(principal, edition),
    assignments: assignments.map((row) => roleAssignment(row, { organizationName, edition })),
    onboardingRequired: account.onboardingCompletedAt === null && canSetUp,
    session,
  };
}
