/** Ends every link of a workspace: after a change of its connection, and with the connection. */
import { insertAuditEvents } from '../../../data/audit/events.ts';
import { deleteSlackLinksOf, listLinkedPeople } from '../../../data/notifications/slack/links.ts';
import { actorOf } from '../../../domain/audit/events.ts';
import { grantsFromPolicies, type MemberPrincipal } from '../../../domain/people/authorization.ts';
import type { SpeaksFor } from '../../../domain/people/trust-anchors.ts';
import type { Trx } from '../../../platform/postgres.ts';
import type { MessageContext } from '../../context.ts';
import { tellAccountHolder } from '../../account-mails.ts';

/** Call it with access locked. The people are told. */
export async function endSlackLinks(
  trx: Trx,
  context: MessageContext,
  { caller, channelId }: { readonly caller: MemberPrincipal; readonly channelId: string },
): Promise<void> {
  const { organizationId } = caller;
  const people = await listLinkedPeople(trx, organizationId, channelId);
  await deleteSlackLinksOf(trx, channelId);
  if (people.length === 0) return;
  const events = people.map(({ membershipId, slackUserId }) => ({
    eventType: 'membership.slack_unlinked' as const,
    actor: actorOf(caller),
    subjectId: membershipId,
    data: { slack_user_id: slackUserId, reason: 'connection_changed' },
  }));
  await insertAuditEvents(trx, organizationId, { events });
  const news = { kind: 'slack_unlinked', by: caller.displayName } as const;
  for (const holder of people) await tellAccountHolder(trx, context, { holder, news });
}

/** The rights that a call signed with the secrets of this workspace can use. */
export async function rightsOfLinked(
  trx: Trx,
  organizationId: string,
  channelId: string,
): Promise<SpeaksFor> {
  const people = await listLinkedPeople(trx, organizationId, channelId);
  const active = people.filter(({ membershipStatus }) => membershipStatus === 'active');
  return {
    grants: active.flatMap(({ policies }) => grantsFromPolicies(policies, false)),
    owner: active.some(({ policies }) => policies.some((policy) => policy.is_owner)),
  };
}
