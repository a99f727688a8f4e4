/**
 * Links members to Slack users. A link begins in the member's session and ends in Slack with a
 * code; an email address never links anyone.
 */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import type { SlackLink } from '../../../domain/notifications/slack/links.ts';
import { forgetTrouble } from '../../../data/notifications/channel-states.ts';
import { createHash, randomBytes } from 'node:crypto';
import { insertAuditEvents } from '../../../data/audit/events.ts';
import { findMemberWithPolicies, lockMembershipStatus } from '../../../data/people/memberships.ts';
import { lockAccess } from '../../../data/organization/organizations.ts';
import { incrementSignInAttempts } from '../../../data/sign-in/sign-in-attempts.ts';
import { findSlackConnection } from '../../../data/notifications/slack/connections.ts';
import {
  deleteSlackLink,
  findSlackLink,
  findSlackLinkOfUser,
  putSlackLink,
  putSlackLinkCode,
  takeSlackLinkCode,
} from '../../../data/notifications/slack/links.ts';
import { actorOf, personOf } from '../../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../../domain/people/authorization.ts';
import { AppError } from '../../../domain/errors.ts';
import { requireMayChangeAnchor } from '../../../domain/people/trust-anchors.ts';
import { requireRecentAuthentication } from '../../../domain/people/recent-authentication.ts';
import { hashTypedCode, readableCode } from '../../../domain/sign-in/second-factors.ts';
import { violatedConstraint } from '../../../platform/postgres.ts';
import type { MessageContext } from '../../context.ts';
import {
  lockAccessAndRereadMember,
  lockAccessSharedAndRereadMember,
} from '../../access/current-callers.ts';
import { tellAccountHolder } from '../../account-mails.ts';

export const SLACK_COMMAND = '/countersign';

const CODE_MINUTES = 10;
const CODE_BYTES = 10;
const TRIES = 10;
const TRIES_SECONDS = 600;

export interface OwnSlack {
  /** The organization's workspace. */
  readonly connection: SlackConnection | undefined;
  readonly link: SlackLink | undefined;
}

export async function readOwnSlack(
  { db }: MessageContext,
  { organizationId, membershipId }: MemberPrincipal,
): Promise<OwnSlack> {
  const [connection, link] = await Promise.all([
    findSlackConnection(db, organizationId),
    findSlackLink(db, organizationId, membershipId),
  ]);
  return { connection, link };
}

export interface LinkCode {
  /** Shown once. */
  readonly code: string;
  readonly expiresAt: Date;
}

/**
 * Replaces a code that was issued before. Requires recent authentication, since a linked Slack user
 * can decide. Throws 409 `slack_not_connected`.
 */
export async function beginSlackLink(
  context: MessageContext,
  principal: MemberPrincipal,
): Promise<LinkCode> {
  requireRecentAuthentication(principal);
  const code = readableCode(randomBytes(CODE_BYTES));
  const expiresAt = await context.db.transaction(async (trx) => {
    const { organizationId, membershipId } = await lockAccessSharedAndRereadMember(trx, principal);
    const connection = await findSlackConnection(trx, organizationId);
    if (!connection) throw new AppError('slack_not_connected');
    const codeHash = hashTypedCode(code);
    return await putSlackLinkCode(trx, {
      membershipId,
      channelId: connection.channelId,
      codeHash,
      minutes: CODE_MINUTES,
    });
  });
  return { code, expiresAt };
}

/** Also removes a link code; does nothing without either. */
export async function removeOwnSlackLink(
  context: MessageContext,
  principal: MemberPrincipal,
): Promise<void> {
  await remove(context, principal);
}

/**
 * Ends the link of another member, who is told. As disconnecting, it takes trust away. Throws 404 for someone
 * who is not linked, and 403 as `requireMayChangeAnchor`.
 */
export async function unlinkMember(
  context: MessageContext,
  principal: MemberPrincipal,
  membershipId: string,
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'connection.write',
    });
    requireMayChangeAnchor(caller, 'slack_connection');
    const { organizationId, displayName: by } = caller;
    const holder = await findMemberWithPolicies(trx, organizationId, membershipId);
    const slackUserId = holder && (await deleteSlackLink(trx, membershipId));
    if (!holder || slackUserId === undefined) throw new AppError('not_found');
    const event = {
      eventType: 'membership.slack_unlinked' as const,
      actor: actorOf(caller),
      subjectId: membershipId,
      data: { slack_user_id: slackUserId },
    };
    await insertAuditEvents(trx, organizationId, { events: [event] });
    await tellAccountHolder(trx, context, { holder, news: { kind: 'slack_link_ended', by } });
  });
}

async function remove(
  { db }: MessageContext,
  member: Pick<MemberPrincipal, 'organizationId' | 'membershipId' | 'displayName'>,
): Promise<void> {
  await db.transaction(async (trx) => {
    await lockAccess(trx, member.organizationId);
    const slackUserId = await deleteSlackLink(trx, member.membershipId);
    if (slackUserId === undefined) return;
    await insertAuditEvents(trx, member.organizationId, {
      events: [
        {
          eventType: 'membership.slack_unlinked',
          actor: personOf(member),
          subjectId: member.membershipId,
          data: { slack_user_id: slackUserId },
        },
      ],
    });
  });
}

export type LinkOutcome =
  | { readonly kind: 'linked'; readonly displayName: string; readonly email: string }
  | { readonly kind: 'wrong_code' | 'too_many_tries' | 'taken' };

/**
 * The code shows whose session began the link. Every call counts as one of the Slack user's
 * attempts.
 */
export async function finishSlackLink(
  context: MessageContext,
  connection: SlackConnection,
  { slackUserId, code }: { readonly slackUserId: string; readonly code: string },
): Promise<LinkOutcome> {
  const { attempts } = await incrementSignInAttempts(
    context.db,
    [triesKey(connection, slackUserId)],
    TRIES_SECONDS,
  );
  if (attempts > TRIES) return { kind: 'too_many_tries' };
  try {
    return await link(context, connection, { slackUserId, codeHash: hashTypedCode(code) });
  } catch (error) {
    if (violatedConstraint(error) === 'slack_links_user_key') return { kind: 'taken' };
    throw error;
  }
}

function triesKey({ channelId }: SlackConnection, slackUserId: string): Buffer {
  return createHash('sha256').update(`slack link\n${channelId}\n${slackUserId}`).digest();
}

async function link(
  context: MessageContext,
  { organizationId, channelId }: SlackConnection,
  { slackUserId, codeHash }: { readonly slackUserId: string; readonly codeHash: Buffer },
): Promise<LinkOutcome> {
  return await context.db.transaction(async (trx) => {
    await lockAccess(trx, organizationId);
    const membershipId = await takeSlackLinkCode(trx, channelId, codeHash);
    const status = membershipId && (await lockMembershipStatus(trx, organizationId, membershipId));
    if (membershipId === undefined || status !== 'active') return { kind: 'wrong_code' };
    const member = await findMemberWithPolicies(trx, organizationId, membershipId);
    if (!member) return { kind: 'wrong_code' };
    await putSlackLink(trx, { membershipId, channelId, slackUserId });
    await forgetTrouble(trx, { membershipId, kind: 'slack' });
    await insertAuditEvents(trx, organizationId, {
      events: [
        {
          eventType: 'membership.slack_linked',
          actor: personOf(member),
          subjectId: membershipId,
          data: { slack_user_id: slackUserId },
        },
      ],
    });
    await tellAccountHolder(trx, context, { holder: member, news: { kind: 'slack_linked' } });
    return { kind: 'linked', displayName: member.displayName, email: member.email };
  });
}

/** Called from Slack. Returns false when the Slack user is not linked. */
export async function removeSlackLinkOf(
  context: MessageContext,
  { organizationId }: SlackConnection,
  slackUserId: string,
): Promise<boolean> {
  const found = await findSlackLinkOfUser(context.db, organizationId, slackUserId);
  const member =
    found && (await findMemberWithPolicies(context.db, organizationId, found.membershipId));
  if (!member) return false;
  await remove(context, member);
  return true;
}
