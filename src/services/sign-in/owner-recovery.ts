/**
 * Lets an owner back in who lost their second factor, where no other owner can remove it. Only someone on the machine of the
 * service can, and every owner is told.
 */
import { accountMail } from '../../domain/sign-in/account-mails.ts';
import { SYSTEM } from '../../domain/audit/events.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { listOwners, type Owner } from '../../data/people/owners.ts';
import { insertAccountMail } from '../../data/sign-in/account-mails.ts';
import {
  findResetRecipient,
  insertPasswordReset,
  listMembershipsOfUser,
} from '../../data/sign-in/passwords.ts';
import { issueToken } from '../../platform/crypto/tokens.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import type { Pool, Trx } from '../../platform/postgres.ts';
import { passwordResetLink } from '../links.ts';

export interface OwnerRecovery {
  readonly link: string;
  readonly displayName: string;
  /** The owners who get an email. */
  readonly told: readonly string[];
}

interface Recovering {
  readonly db: Pool;
  readonly publicUrl: () => string;
  /** The service sends email, so owners are told by it. */
  readonly sendsEmail: boolean;
}

/** The link works once within an hour. Throws OperatorError for someone who is no owner, or has no password. */
export async function recoverOwner(
  { db, publicUrl, sendsEmail }: Recovering,
  email: string,
): Promise<OwnerRecovery> {
  const issued = issueToken(TOKEN_PREFIX.passwordReset);
  return await db.transaction(async (trx) => {
    const recipient = await findResetRecipient(trx, { email, withProvider: false });
    if (!recipient)
      throw new OperatorError(
        `No active member with a password has the email ${email}. Someone who signs in through an identity provider is recovered there.`,
      );
    const { userId, displayName } = recipient;
    const memberships = await listMembershipsOfUser(trx, userId);
    const owners = await listOwners(
      trx,
      memberships.map(({ organizationId }) => organizationId),
    );
    if (!owners.some((owner) => owner.userId === userId))
      throw new OperatorError(
        `${email} is no owner. An owner of the organization can remove the second factor of a member.`,
      );
    const { id, hash: tokenHash } = issued;
    if (!(await insertPasswordReset(trx, { id, userId, tokenHash, removesSecondFactor: true })))
      throw new OperatorError(
        `${email} got five links within an hour. Use one of them, or wait an hour.`,
      );
    for (const { organizationId, membershipId } of memberships)
      await insertAuditEvents(trx, organizationId, {
        events: [
          { eventType: 'membership.recovery_started', actor: SYSTEM, subjectId: membershipId },
        ],
      });
    const url = publicUrl();
    const told = sendsEmail ? await tell(trx, owners, { name: displayName, url }) : [];
    return { link: passwordResetLink({ publicUrl }, issued.token), displayName, told };
  });
}

/** Each address once, also where someone owns several organizations. */
async function tell(
  trx: Trx,
  owners: readonly Owner[],
  { name, url }: { readonly name: string; readonly url: string },
): Promise<readonly string[]> {
  const byAddress = new Map(owners.map((owner) => [owner.email, owner]));
  for (const { email: address, displayName } of byAddress.values()) {
    const about = { displayName, at: new Date(), url };
    const { subject, text: body } = accountMail({ kind: 'owner_recovery', name }, about);
    await insertAccountMail(trx, { address, subject, body });
  }
  return [...byAddress.keys()];
}
