/** The organization: reading it, its settings, and its deletion. */
import {
  changesTo,
  describeChanges,
  requireMayChange,
  type Organization,
  type TermsWanted,
} from '../../domain/organization/organizations.ts';
import { actorOf } from '../../domain/audit/events.ts';
import type { MemberPrincipal, ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { requireRecentAuthentication } from '../../domain/people/recent-authentication.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  completeOnboarding,
  endOrganization,
  findOrganization,
  lockAccess,
  updateOrganization,
} from '../../data/organization/organizations.ts';
import type { Trx } from '../../platform/postgres.ts';
import { announceCommitted, cancelAll } from '../engine/change-all.ts';
import { prepareBootstrap } from './bootstrap.ts';
import type { BootstrapContext, Limits, Runtime, ServiceContext } from '../context.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';
import { readSeats, type Seats } from '../people/seats.ts';

export interface OrganizationView extends Organization {
  readonly edition: Runtime['edition'];
  readonly limits: Pick<Limits, 'activeAgents' | 'pendingRequests'>;
  readonly seats: Seats;
}

export async function readOrganization(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
): Promise<OrganizationView> {
  const [organization, seats] = await Promise.all([
    findOrganization(context.db, organizationId),
    readSeats(context, organizationId),
  ]);
  return toView(context, requireLive(organization), seats);
}

function toView(
  { edition, limits }: Runtime,
  organization: Organization,
  seats: Seats,
): OrganizationView {
  return {
    ...organization,
    edition,
    limits,
    seats,
  };
}

/** Members of a deleted organization hold no credentials. */
function requireLive(organization: Organization | undefined): Organization {
  if (!organization) throw new AppError('authentication_required');
  return organization;
}

/**
 * Applies the wanted changes. 412 `revision_conflict` (details.active_revision) unless `expected`
 * is the current revision. Sensitive settings need what `requireMayChange` asks for. Without a
 * difference the revision stays.
 */
export async function changeOrganization(
  context: ServiceContext,
  principal: MemberPrincipal,
  { expected, wanted }: { readonly expected: number; readonly wanted: TermsWanted },
): Promise<OrganizationView> {
  const changed = await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'organization.settings.write',
    });
    return await change(trx, caller, { expected, wanted });
  });
  return toView(context, changed, await readSeats(context, principal.organizationId));
}

async function change(
  trx: Trx,
  caller: MemberPrincipal,
  { expected, wanted }: { readonly expected: number; readonly wanted: TermsWanted },
): Promise<Organization> {
  const { organizationId } = caller;
  const before = requireLive(await lockAccess(trx, organizationId));
  if (before.revision !== expected)
    throw new AppError('revision_conflict', { details: { active_revision: before.revision } });
  const changes = changesTo(before, wanted);
  if (Object.keys(changes).length === 0) return before;
  requireMayChange(caller, changes);
  await updateOrganization(trx, organizationId, { ...before, ...changes });
  const data = { changed: describeChanges(before, changes) };
  await insertAuditEvents(trx, organizationId, {
    events: [
      {
        eventType: 'organization.updated',
        actor: actorOf(caller),
        subjectId: organizationId,
        data,
      },
    ],
  });
  return { ...before, ...changes, revision: before.revision + 1 };
}

/** Ends the guided setup for everyone. A repeat changes nothing. */
export async function finishOnboarding(
  context: ServiceContext,
  principal: MemberPrincipal,
): Promise<void> {
  const { organizationId } = principal;
  await context.db.transaction(async (trx) => {
    await lockAccessAndRereadMember(trx, principal, { permission: 'organization.settings.write' });
    if (!(await completeOnboarding(trx, organizationId))) return;
    await insertAuditEvents(trx, organizationId, {
      events: [
        {
          eventType: 'organization.onboarding_completed',
          actor: actorOf(principal),
          subjectId: organizationId,
        },
      ],
    });
  });
}

/**
 * Ends the organization permanently, with its credentials and waiting requests; its rows stay. 400
 * unless `confirm` is its slug; needs `requireRecentAuthentication`. Afterwards a new first owner
 * can be created.
 */
export async function deleteOrganization(
  context: BootstrapContext,
  principal: MemberPrincipal,
  confirm: string,
): Promise<void> {
  const settled = await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'organization.delete',
    });
    requireRecentAuthentication(caller);
    const { slug } = requireLive(await lockAccess(trx, caller.organizationId));
    if (confirm !== slug) {
      throw invalid([
        {
          pointer: '/query/confirm',
          code: 'invalid_value',
          message: 'must be the slug of the organization',
        },
      ]);
    }
    return await end(trx, caller);
  });
  announceCommitted(context, settled);
  await prepareBootstrap(context).catch((error: unknown) => {
    context.logger.warn(
      { err: error },
      'the bootstrap secret is written at the first attempt to use it',
    );
  });
}

async function end(trx: Trx, caller: MemberPrincipal) {
  const { organizationId } = caller;
  const actor = actorOf(caller);
  const settled = await cancelAll(trx, { organizationId, actor, reason: 'organization_deleted' });
  const ended = await endOrganization(trx, organizationId);
  const data = {
    memberships_deprovisioned: ended.memberships,
    sessions_revoked: ended.sessions,
    api_keys_revoked: ended.apiKeys,
    invitations_revoked: ended.invitations,
    agent_credentials_revoked: ended.agentCredentials,
    agent_provisioners_revoked: ended.agentProvisioners,
    approval_requests_cancelled: settled.filter(({ request }) => request.state === 'cancelled')
      .length,
  };
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType: 'organization.deleted', actor, subjectId: organizationId, data }],
  });
  return settled;
}
