/** Who members are at the identity provider, and how an owner ends that. */
import { actorOf } from '../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { requireRecentAuthentication } from '../../domain/people/recent-authentication.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { findMember } from '../../data/people/memberships.ts';
import {
  deleteIdentity,
  listIdentitiesOf,
  type LinkedIdentity,
} from '../../data/sign-in/user-identities.ts';
import type { ServiceContext } from '../context.ts';
import { endSessionsOf } from './sessions.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';

/** Oldest first. Throws 404. */
export async function listMemberIdentities(
  { db }: ServiceContext,
  { organizationId }: MemberPrincipal,
  id: string,
): Promise<readonly LinkedIdentity[]> {
  if (!(await findMember(db, organizationId, id))) throw new AppError('not_found');
  return await listIdentitiesOf(db, organizationId, id);
}

/**
 * Forgets who the member is at the provider, and ends their sessions: the next identity with their
 * verified email is linked. Without an identity it changes nothing. Throws 404, 403
 * `owner_required`, and what `requireRecentAuthentication` throws.
 */
export async function unlinkMemberIdentities(
  { db }: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    // Sign-ins that link identities take the same lock.
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'membership.write',
    });
    const { organizationId } = caller;
    const member = await findMember(trx, organizationId, id);
    if (!member) throw new AppError('not_found');
    if (!caller.isOwner) throw new AppError('owner_required');
    requireRecentAuthentication(caller);
    const identities = await listIdentitiesOf(trx, organizationId, id);
    if (identities.length === 0) return;
    const actor = actorOf(caller);
    for (const identity of identities) await deleteIdentity(trx, identity);
    await insertAuditEvents(trx, organizationId, {
      events: identities.map(({ issuer, subject }) => ({
        eventType: 'membership.identity_unlinked',
        actor,
        subjectId: member.id,
        data: { issuer, subject },
      })),
    });
    await endSessionsOf(trx, organizationId, {
      membershipId: member.id,
      actor,
      reason: 'identity_unlinked',
    });
  });
}
