/** Password resets through a link that only the owner of the email address receives. */
import type { PasswordReset, ResetRecipient } from '../../domain/sign-in/password-resets.ts';
import { personOf, SYSTEM } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { shownLine } from '../../domain/shown-text.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { listLiveApiKeysOfUser, type LiveApiKey } from '../../data/people/api-keys.ts';
import {
  findLivePasswordReset,
  findResetRecipient,
  insertPasswordReset,
  listMembershipsOfUser,
  lockPassword,
} from '../../data/sign-in/passwords.ts';
import type { Email, Mailer } from '../../platform/mailer.ts';
import { networkOf } from '../../platform/network/client-address.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import { findByToken, issueToken, parseToken } from '../../platform/crypto/tokens.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { ServiceContext, SignInContext, SignInPorts } from '../context.ts';
import { passwordResetLink } from '../links.ts';
import { revokeWithAudit } from '../people/api-keys.ts';
import { deleteFactors } from './mfa.ts';
import { tellAccountHolder } from '../account-mails.ts';
import { replacePassword, requireAcceptablePassword, wordsOf } from './passwords.ts';
import type { Client } from './sessions.ts';
import { countSignInAttempt } from '../access/sign-in-attempts.ts';

interface ResetRequest {
  readonly email: string;
  readonly client: Client;
}

/**
 * Sends a link if an active member with a password has this email, unless the identity provider of the deployment
 * knows them. It looks up and sends after the
 * response, so that neither text nor timing reveals whether an account exists. 501
 * `email_not_configured`; 429 `rate_limited`.
 */
export async function requestPasswordReset(
  context: SignInContext,
  request: ResetRequest,
): Promise<void> {
  const { mailer, logger } = context;
  if (!mailer) throw new AppError('email_not_configured');
  await countSignInAttempt(context, {
    email: request.email,
    clientAddress: request.client.address,
  });
  setImmediate(() => {
    sendLink(context, mailer, request).catch((error: unknown) => {
      logger.error({ err: error }, 'a link to set a new password could not be sent');
    });
  });
}

async function sendLink(
  context: SignInContext,
  mailer: Mailer,
  { email, client }: ResetRequest,
): Promise<void> {
  const recipient = await findResetRecipient(context.db, {
    email,
    withProvider: context.oidc !== undefined,
  });
  if (!recipient) return;
  const issued = issueToken(TOKEN_PREFIX.passwordReset);
  const kept = await context.db.transaction(async (trx) => {
    if (
      !(await insertPasswordReset(trx, {
        id: issued.id,
        userId: recipient.userId,
        tokenHash: issued.hash,
        removesSecondFactor: false,
      }))
    )
      return false;
    // Anyone can type an address, so the service is the actor.
    for (const { organizationId, membershipId } of await listMembershipsOfUser(
      trx,
      recipient.userId,
    )) {
      const data = { client_address: client.address };
      await insertAuditEvents(trx, organizationId, {
        events: [
          {
            eventType: 'membership.password_reset_requested',
            actor: SYSTEM,
            subjectId: membershipId,
            data,
          },
        ],
      });
    }
    return true;
  });
  if (kept) await mailer.send(resetEmail(recipient, passwordResetLink(context, issued.token)));
}

function resetEmail({ email, displayName }: ResetRecipient, url: string): Email {
  return {
    to: email,
    subject: 'Reset your Countersign password',
    text: [
      `Hello ${shownLine(displayName)},`,
      '',
      `We received a request to reset the password of ${email}. Open this link to choose a new one:`,
      '',
      url,
      '',
      'The link works once and expires in one hour. A new password signs you out on all devices.',
      '',
      'If you did not request this, ignore this email. Your password will not change.',
    ].join('\n'),
  };
}

/**
 * The pending link. Throws 404 when it is unknown, used, expired or replaced by a newer password.
 */
export async function readPasswordReset(
  context: SignInContext,
  token: string,
): Promise<PasswordReset> {
  return await requireLive(context.db, context, token);
}

async function requireLive(db: Db, { oidc }: SignInPorts, token: string): Promise<PasswordReset> {
  const reset = await findByToken(parseToken(token), TOKEN_PREFIX.passwordReset, (id) =>
    findLivePasswordReset(db, { id, withProvider: oidc !== undefined }),
  );
  if (!reset) {
    throw new AppError('not_found', {
      detail: 'This link is not valid. It was used before, or it has expired. Request a new one.',
    });
  }
  return reset;
}

/** The API keys that live on after a reset, unless the person has them revoked. */
export async function listKeysOfReset(
  { db }: ServiceContext,
  { userId }: PasswordReset,
): Promise<readonly LiveApiKey[]> {
  return await listLiveApiKeysOfUser(db, userId);
}

/**
 * Sets the password of the link's person, once. It ends all their links and sessions and opens
 * none, so a second factor is still required, unless the link removes it. Their API keys live on, unless `revokeApiKeys`. 404 as above, also for all but one of several
 * concurrent calls; 400 keeps the link alive; 429 `rate_limited`.
 */
export async function resetPassword(
  context: SignInContext,
  input: {
    readonly token: string;
    readonly password: string;
    readonly revokeApiKeys: boolean;
    readonly client: Client;
  },
): Promise<void> {
  const { db } = context;
  const reset = await requireLive(db, context, input.token);
  await requireAcceptablePassword(input.password, {
    words: await wordsOf(db, reset),
    pointer: '/password',
  });
  const passwordHash = await hashPassword(input.password, networkOf(input.client.address));
  await db.transaction(async (trx) => {
    await lockPassword(trx, reset.userId, 'change');
    await requireLive(trx, context, input.token);
    await replacePassword(trx, reset, { passwordHash, how: 'reset', client: input.client });
    if (reset.removesSecondFactor) await removeFactors(trx, context, reset);
    const keys = await listLiveApiKeysOfUser(trx, reset.userId);
    const revoked = input.revokeApiKeys ? keys : [];
    for (const { id, organizationId, membershipId } of revoked) {
      const actor = personOf({ membershipId, displayName: reset.displayName });
      await revokeWithAudit(trx, organizationId, { id, actor });
    }
    const liveKeys = input.revokeApiKeys ? [] : keys.map(({ name }) => name);
    const news = { kind: 'password_reset', liveKeys } as const;
    await tellAccountHolder(trx, context, { holder: reset, news });
  });
}

/** An owner who is recovered sets up a new second factor after their next sign-in. */
async function removeFactors(
  trx: Trx,
  context: SignInContext,
  holder: PasswordReset,
): Promise<void> {
  const { userId, displayName } = holder;
  if (!(await deleteFactors(trx, userId))) return;
  for (const { organizationId, membershipId } of await listMembershipsOfUser(trx, userId)) {
    const actor = personOf({ membershipId, displayName });
    await insertAuditEvents(trx, organizationId, {
      events: [{ eventType: 'membership.mfa_removed', actor, subjectId: membershipId }],
    });
  }
  await tellAccountHolder(trx, context, { holder, news: { kind: 'second_factor_removed' } });
}
