/**
 * Sending invitations. The sender vouches for what the invitation grants: they must hold it now and
 * when it is accepted.
 */
import type { Invitation } from '../../../domain/people/invitations.ts';
import { actorOf } from '../../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../../domain/people/authorization.ts';
import { AppError } from '../../../domain/errors.ts';
import { requireMayGrant, type PolicyTerms } from '../../../domain/people/permission-policies.ts';
import { TOKEN_PREFIX } from '../../../domain/tokens.ts';
import { insertAuditEvents } from '../../../data/audit/events.ts';
import {
  findEmailStanding,
  findInvitation,
  insertInvitation,
  invitationExpiry,
  renewInvitation,
  revokeInvitation,
} from '../../../data/people/invitations.ts';
import { findOrganization } from '../../../data/organization/organizations.ts';
import type { Trx } from '../../../platform/postgres.ts';
import { issueToken, type IssuedToken } from '../../../platform/crypto/tokens.ts';
import type { Runtime, ServiceContext } from '../../context.ts';
import { invitationLink } from '../../links.ts';
import { excerptOfText } from '../../webhooks/signed-post.ts';
import { lockAccessAndRereadMember } from '../../access/current-callers.ts';
import { requireValidTerms } from '../permission-policies.ts';
import { claimSeat } from '../seats.ts';
import { countResending } from '../../access/sign-in-attempts.ts';
import { invitationEmail } from './message.ts';

const MAY_INVITE = { permission: 'membership.invite' } as const;

export interface InvitationInput {
  readonly email: string;
  /** May be empty: no access yet. */
  readonly policies: readonly PolicyTerms[];
}

export interface SentInvitation {
  readonly invitation: Invitation;
  /** The link with its secret, when no email was sent. */
  readonly url?: string;
}

/** What is needed to send an invitation with this secret. */
interface Sending {
  readonly invitation: Pick<Invitation, 'email' | 'expiresAt'>;
  readonly inviter: MemberPrincipal;
  readonly issued: IssuedToken;
}

/**
 * 400 for invalid policies; 403 as `requireMayGrant`; 409 `member_exists`, `directory_managed`,
 * `invitation_pending`, `seat_limit_reached`; 504 `email_not_delivered`, and then the invitation is
 * revoked.
 */
export async function invite(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: InvitationInput,
): Promise<SentInvitation> {
  const issued = issueToken(TOKEN_PREFIX.invitation);
  const { invitation, inviter } = await context.db.transaction(async (trx) => {
    const current = await lockAccessAndRereadMember(trx, principal, MAY_INVITE);
    await requireInvitable(trx, context, { inviter: current, input });
    return {
      invitation: await createInvitation(trx, { inviter: current, input, issued }),
      inviter: current,
    };
  });
  try {
    return { invitation, ...(await send(context, { invitation, inviter, issued })) };
  } catch (error) {
    await takeBack(context, { invitation, inviter });
    throw error;
  }
}

async function requireInvitable(
  trx: Trx,
  { edition, limits }: Runtime,
  { inviter, input }: { inviter: MemberPrincipal; input: InvitationInput },
): Promise<void> {
  const { organizationId } = inviter;
  const policies = input.policies.map((terms, index) => ({
    terms,
    pointer: `/permission_policies/${index}`,
  }));
  await requireValidTerms(trx, organizationId, {
    edition,
    holder: 'human',
    policies,
  });
  requireMayGrantAll(inviter, input.policies);
  const standing = await findEmailStanding(trx, organizationId, input.email);
  if (standing.isMember) throw new AppError('member_exists');
  if (standing.isDirectoryManaged) throw new AppError('directory_managed');
  if (standing.isInvited) throw new AppError('invitation_pending');
  await claimSeat(trx, organizationId, limits);
}

function requireMayGrantAll(inviter: MemberPrincipal, policies: readonly PolicyTerms[]): void {
  for (const terms of policies) requireMayGrant(inviter, terms);
}

async function createInvitation(
  trx: Trx,
  {
    inviter,
    input,
    issued,
  }: { inviter: MemberPrincipal; input: InvitationInput; issued: IssuedToken },
): Promise<Invitation> {
  const invitation = await insertInvitation(trx, inviter.organizationId, {
    id: issued.id,
    ...input,
    tokenHash: issued.hash,
    invitedByMembershipId: inviter.membershipId,
  });
  const data = {
    email: input.email,
    expires_at: invitation.expiresAt,
    permission_policies: input.policies.map(({ scopeKind, resourceIds, permissions, isOwner }) => ({
      scope_kind: scopeKind,
      resource_ids: [...resourceIds],
      permissions: [...permissions],
      is_owner: isOwner,
    })),
  };
  await insertAuditEvents(trx, inviter.organizationId, {
    events: [
      { eventType: 'invitation.created', actor: actorOf(inviter), subjectId: invitation.id, data },
    ],
  });
  return invitation;
}

/**
 * Emails the link, or returns it on a deployment that sends no email. 504 `email_not_delivered`.
 */
async function send(
  context: ServiceContext,
  { invitation, inviter, issued }: Sending,
): Promise<{ readonly url?: string }> {
  const { email, expiresAt } = invitation;
  const url = invitationLink(context, issued.token);
  if (!context.mailer) return { url };
  const organization = await findOrganization(context.db, inviter.organizationId);
  const message = invitationEmail({
    email,
    inviter,
    url,
    expiresAt,
    organizationName: organization?.name ?? '',
  });
  try {
    await context.mailer.send(message);
    return {};
  } catch (error) {
    const said = error instanceof Error ? excerptOfText(error.message) : '';
    throw new AppError('email_not_delivered', {
      ...(said !== '' && { detail: `The mail server did not accept the message: ${said}` }),
      cause: error,
    });
  }
}

/** The link was not delivered, so seat and address become free at once. */
async function takeBack(
  { db, logger }: ServiceContext,
  { invitation, inviter }: { invitation: Invitation; inviter: MemberPrincipal },
): Promise<void> {
  const { id, organizationId, tokenHash } = invitation;
  const data = { reason: 'email_not_delivered' };
  const revoke = async (trx: Trx): Promise<void> => {
    if (!(await revokeInvitation(trx, organizationId, { id, tokenHash }))) return;
    await insertAuditEvents(trx, organizationId, {
      events: [{ eventType: 'invitation.revoked', actor: actorOf(inviter), subjectId: id, data }],
    });
  };
  await db.transaction(revoke).catch((error: unknown) => {
    logger.error(
      { err: error, invitationId: id },
      'an invitation whose email was not delivered could not be revoked',
    );
  });
}

/**
 * Sends a new link for seven days and ends the previous one. The caller becomes the inviter: 403 as
 * `requireMayGrant`. 404 when it is no longer pending; 429 `rate_limited`. 504
 * `email_not_delivered` changes nothing.
 */
export async function resendInvitation(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<SentInvitation> {
  const before = await context.db.transaction(async (trx) => ({
    ...(await requireResendable(trx, principal, id)),
    expiresAt: await invitationExpiry(trx),
  }));
  await countResending(context, before.invitation.id);
  const { inviter, expiresAt } = before;
  const issued = issueToken(TOKEN_PREFIX.invitation, before.invitation.id);
  const sent = await send(context, {
    invitation: { email: before.invitation.email, expiresAt },
    inviter,
    issued,
  });
  const invitation = await context.db.transaction(async (trx) => {
    const { organizationId, membershipId } = (await requireResendable(trx, principal, id)).inviter;
    const renewal = { id, tokenHash: issued.hash, expiresAt, invitedByMembershipId: membershipId };
    const renewed = await renewInvitation(trx, organizationId, renewal);
    if (!renewed) throw new AppError('not_found');
    const data = { email: renewed.email, expires_at: expiresAt };
    await insertAuditEvents(trx, organizationId, {
      events: [{ eventType: 'invitation.resent', actor: actorOf(inviter), subjectId: id, data }],
    });
    return renewed;
  });
  return { invitation, ...sent };
}

/** The pending invitation, read under the lock on access. */
async function requireResendable(
  trx: Trx,
  principal: MemberPrincipal,
  id: string,
): Promise<{ readonly invitation: Invitation; readonly inviter: MemberPrincipal }> {
  const inviter = await lockAccessAndRereadMember(trx, principal, MAY_INVITE);
  const invitation = await findInvitation(trx, inviter.organizationId, id);
  if (invitation?.status !== 'pending') throw new AppError('not_found');
  requireMayGrantAll(inviter, invitation.policies);
  return { invitation, inviter };
}
