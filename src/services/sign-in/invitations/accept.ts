/**
 * Accepting an invitation. The link only proves that someone received it. A new person chooses a
 * password; a person with an account sends its password or is signed in. An existing password never
 * changes here.
 */
import type { LinkedInvitation } from '../../../domain/people/invitations.ts';
import { AppError } from '../../../domain/errors.ts';
import { TOKEN_PREFIX } from '../../../domain/tokens.ts';
import { findLinkedInvitation } from '../../../data/people/invitations.ts';
import { lockAccess } from '../../../data/organization/organizations.ts';
import { insertUserUnlessKnown } from '../../../data/people/users.ts';
import type { Db, Trx } from '../../../platform/postgres.ts';
import { findByToken, parseToken, type IssuedToken } from '../../../platform/crypto/tokens.ts';
import type { Runtime, ServiceContext } from '../../context.ts';
import { recordFailedAuthentication } from '../failed-authentications.ts';
import { tryCode } from '../second-factors.ts';
import { openSession, signedIn, type SignedIn } from '../sessions.ts';
import { forgiveNetwork, forgiveSignInAttempts } from '../../access/sign-in-attempts.ts';
import { joinByInvitation, isVouched } from '../../people/invitations/join-by-invitation.ts';
import {
  acceptanceOf,
  confirmAuthentication,
  verifyInvitee,
  type InvitedPerson,
  type InviteeCredential,
} from './invitee.ts';

const NO_LONGER_VOUCHED = 'The inviter can no longer grant this access. Ask for a new invitation.';

/** The pending invitation of this link. Throws the same 404 for an unknown one. */
export async function readInvitationLink(
  { db }: ServiceContext,
  token: string,
): Promise<LinkedInvitation> {
  return await requirePending(db, token);
}

async function requirePending(db: Db, token: string): Promise<LinkedInvitation> {
  const invitation = await findByToken(parseToken(token), TOKEN_PREFIX.invitation, (id) =>
    findLinkedInvitation(db, id),
  );
  if (invitation?.status !== 'pending') {
    throw new AppError('not_found', {
      detail: 'This invitation does not exist, or can no longer be accepted: ask for a new one.',
    });
  }
  return invitation;
}

/**
 * Makes the invited person a member with exactly what the invitation grants, and signs them in. 404
 * as above; what `verifyInvitee` throws; 403 `grant_exceeds_own` when the inviter may no longer
 * grant it; 409 `member_exists`, `directory_managed`.
 */
export async function join(
  context: ServiceContext,
  token: string,
  credential: InviteeCredential,
): Promise<SignedIn> {
  const invitation = await requirePending(context.db, token);
  const person = await verifyInvitee(context, invitation, credential);
  const joinNow = async () =>
    await context.db.transaction(
      async (trx) => await joinUnderLock(trx, context, { token, person }),
    );
  const { user } = person;
  const typed = user.kind === 'by_password' ? user.code : undefined;
  const issued =
    typed === undefined
      ? await joinNow()
      : await tryCode(context, { userId: user.id, typed }, joinNow);
  if (!issued) {
    recordFailedAuthentication(context, {
      ...acceptanceOf(invitation),
      reason: 'wrong_code',
      client: credential.client,
    });
    throw new AppError('invalid_credentials', {
      detail: 'The code is wrong or was used before: send a new code.',
    });
  }
  const clientAddress = credential.client.address;
  if (user.kind === 'by_session') await forgiveNetwork(context, clientAddress);
  else await forgiveSignInAttempts(context, { email: invitation.email, clientAddress });
  return await signedIn(context, issued);
}

/**
 * Reads everything again under the lock, so that of concurrent accepts, revokes and resends one
 * comes first. Undefined when the code is wrong; then nothing is written.
 */
async function joinUnderLock(
  trx: Trx,
  runtime: Runtime,
  { token, person }: { readonly token: string; readonly person: InvitedPerson },
): Promise<IssuedToken | undefined> {
  const { organizationId } = await requirePending(trx, token);
  if (!(await lockAccess(trx, organizationId))) throw new AppError('not_found');
  const invitation = await requirePending(trx, token);
  const signInMethod = await confirmAuthentication(trx, runtime, person);
  if (!signInMethod) return undefined;
  if (!(await isVouched(trx, invitation)))
    throw new AppError('grant_exceeds_own', { detail: NO_LONGER_VOUCHED });
  const { user, displayName } = person;
  if (user.kind === 'new' && !(await insertUserUnlessKnown(trx, { ...user, displayName })))
    throw new AppError('account_exists');
  const membershipId = await joinByInvitation(trx, invitation, { userId: user.id, displayName });
  return await openSession(trx, { organizationId, membershipId, displayName }, signInMethod);
}
