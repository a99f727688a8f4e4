/** Lists and revokes invitations. */
import type { Invitation } from '../../../domain/people/invitations.ts';
import { actorOf } from '../../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../../domain/people/authorization.ts';
import { AppError } from '../../../domain/errors.ts';
import { insertAuditEvents } from '../../../data/audit/events.ts';
import {
  findInvitation,
  listInvitations,
  revokeInvitation,
  type InvitationPage,
} from '../../../data/people/invitations.ts';
import type { ServiceContext } from '../../context.ts';
import { lockAccessAndRereadMember } from '../../access/current-callers.ts';
import { readPage } from '../../pages.ts';

/** All invitations of the organization, newest first; `next` is the id to continue after. */
export async function listSentInvitations(
  { db }: ServiceContext,
  { organizationId }: MemberPrincipal,
  page: InvitationPage,
): Promise<{ readonly invitations: readonly Invitation[]; readonly next: string | undefined }> {
  const { items, last } = await readPage(page.limit, (limit) =>
    listInvitations(db, organizationId, { ...page, limit }),
  );
  return { invitations: items, next: last?.id };
}

/** Takes effect at once. A repeat changes nothing. 404 for an accepted or expired invitation. */
export async function withdrawInvitation(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { organizationId } = await lockAccessAndRereadMember(trx, principal, {
      permission: 'membership.invite',
    });
    if (await revokeInvitation(trx, organizationId, { id })) {
      const event = {
        eventType: 'invitation.revoked' as const,
        actor: actorOf(principal),
        subjectId: id,
        data: { reason: 'manual' },
      };
      await insertAuditEvents(trx, organizationId, { events: [event] });
    } else if ((await findInvitation(trx, organizationId, id))?.status !== 'revoked')
      throw new AppError('not_found');
  });
}
