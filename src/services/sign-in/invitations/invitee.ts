/** Identifies the person who accepts an invitation. */
import type { LinkedInvitation } from '../../../domain/people/invitations.ts';
import { v7 } from 'uuid';
import { AppError, invalid } from '../../../domain/errors.ts';
import { findUser } from '../../../data/people/users.ts';
import { networkOf } from '../../../platform/network/client-address.ts';
import { hashPassword } from '../../../platform/crypto/passwords.ts';
import type { Trx } from '../../../platform/postgres.ts';
import { parseToken } from '../../../platform/crypto/tokens.ts';
import type { Runtime, ServiceContext } from '../../context.ts';
import {
  recordFailedAuthentication,
  type FailedAuthentication,
} from '../failed-authentications.ts';
import { requireAcceptablePassword } from '../passwords.ts';
import { acceptCode } from '../second-factors.ts';
import {
  authenticateSession,
  PASSWORD_METHOD,
  type Client,
  type SignInMethod,
} from '../sessions.ts';
import { countSignInAttempt } from '../../access/sign-in-attempts.ts';
import { requirePasswordStill, verifiedHash } from '../verified-passwords.ts';

/** What a person sends to accept. */
export interface InviteeCredential {
  /** For a person without an account. */
  readonly displayName?: string | undefined;
  /**
   * The new password of a new person, or the password of the account with the invitation's email.
   */
  readonly password?: string | undefined;
  /** For an account with a second factor. */
  readonly code?: string | undefined;
  /**
   * The session cookie. It identifies the person only without a password, and the session ends when
   * a new cookie is issued.
   */
  readonly presented: string | undefined;
  readonly client: Client;
}

export interface InvitedPerson {
  readonly user:
    | {
        readonly kind: 'new';
        readonly id: string;
        readonly email: string;
        readonly passwordHash: string;
      }
    /** `passwordHash`: the hash that the password matched. `code`: not checked yet. */
    | {
        readonly kind: 'by_password';
        readonly id: string;
        readonly passwordHash: string;
        readonly code?: string;
      }
    | { readonly kind: 'by_session'; readonly id: string };
  readonly displayName: string;
  readonly signInMethod: SignInMethod;
}

/**
 * The invited person. 400 when a new person lacks a name or an acceptable password; 409
 * `account_exists` when a name is sent for an existing account; 403 `mfa_required` without a code;
 * 401 `invalid_credentials`; 429 `rate_limited`. Signed in: 401 `authentication_required`, 403
 * `wrong_account`, `membership_inactive`.
 */
export async function verifyInvitee(
  context: ServiceContext,
  invitation: LinkedInvitation,
  credential: InviteeCredential,
): Promise<InvitedPerson> {
  const { displayName, password } = credential;
  if (password === undefined && displayName === undefined)
    return await verifyBySession(context, invitation, credential);
  if (password === undefined)
    throw invalid([{ pointer: '/password', code: 'required', message: 'is required' }]);
  if (invitation.userId === null)
    return await newPerson(context, invitation, { ...credential, password });
  if (displayName !== undefined) throw new AppError('account_exists');
  return await verifyByPassword(context, invitation, { ...credential, password });
}

async function newPerson(
  context: ServiceContext,
  { email, organizationName }: LinkedInvitation,
  { displayName, password, ...origin }: InviteeCredential & { readonly password: string },
): Promise<InvitedPerson> {
  if (displayName === undefined)
    throw invalid([{ pointer: '/display_name', code: 'required', message: 'is required' }]);
  await requireAcceptablePassword(password, {
    words: [email, displayName, organizationName],
    pointer: '/password',
  });
  const { address } = origin.client;
  const user = {
    kind: 'new',
    id: v7(),
    email,
    passwordHash: await hashPassword(password, networkOf(address)),
  } as const;
  return { user, displayName, signInMethod: passwordCredential(origin) };
}

function passwordCredential({
  client,
  presented,
}: Pick<InviteeCredential, 'client' | 'presented'>): SignInMethod {
  return { ...PASSWORD_METHOD, client, presented };
}

async function verifyByPassword(
  context: ServiceContext,
  invitation: LinkedInvitation,
  { password, code, ...origin }: InviteeCredential & { readonly password: string },
): Promise<InvitedPerson> {
  const { email, userId } = invitation;
  await countSignInAttempt(context, { email, clientAddress: origin.client.address });
  const user = userId === null ? undefined : await findUser(context.db, userId);
  const passwordHash = await verifiedHash(
    password,
    user?.passwordHash,
    networkOf(origin.client.address),
  );
  if (!user || passwordHash === undefined) {
    recordFailedAuthentication(context, {
      ...acceptanceOf(invitation),
      reason: 'wrong_password',
      client: origin.client,
    });
    throw new AppError('invalid_credentials');
  }
  const { id, displayName } = user;
  const needed = user.hasSecondFactor ? requireCode(code) : undefined;
  return {
    user: { kind: 'by_password', id, passwordHash, ...(needed !== undefined && { code: needed }) },
    displayName,
    signInMethod: passwordCredential(origin),
  };
}

/**
 * Records the failure at the invitation, since the person is not a member yet. Its administrators
 * see it in the audit log.
 */
export function acceptanceOf({
  organizationId,
  id,
}: LinkedInvitation): Omit<FailedAuthentication, 'reason' | 'client'> {
  return { at: 'invitation', organizationId, subjectId: id };
}

function requireCode(code: string | undefined): string {
  if (code === undefined)
    throw new AppError('mfa_required', {
      detail: 'The account has a second factor: send one of its codes too.',
    });
  return code;
}

async function verifyBySession(
  context: ServiceContext,
  { email }: LinkedInvitation,
  { client, presented }: InviteeCredential,
): Promise<InvitedPerson> {
  const token = presented === undefined ? undefined : parseToken(presented);
  if (!token) throw new AppError('authentication_required');
  const { userId: id, displayName, email: own, auth } = await authenticateSession(context, token);
  if (own.toLowerCase() !== email.toLowerCase()) throw new AppError('wrong_account');
  const { method, assurance, authenticated_at: authenticatedAt } = auth;
  return {
    user: { kind: 'by_session', id },
    displayName,
    signInMethod: { method, assurance, authenticatedAt, client, presented, bySession: true },
  };
}

/**
 * Checks the person's credential again in the transaction that acts: 401 when the password changed
 * meanwhile (`openSession` checks sessions). Undefined when the code is wrong or the account
 * enrolled a second factor meanwhile.
 */
export async function confirmAuthentication(
  trx: Trx,
  runtime: Runtime,
  { user, signInMethod }: InvitedPerson,
): Promise<SignInMethod | undefined> {
  if (user.kind !== 'by_password') return signInMethod;
  await requirePasswordStill(trx, user.id, user.passwordHash);
  if (user.code === undefined)
    return (await findUser(trx, user.id))?.hasSecondFactor ? undefined : signInMethod;
  const secondFactor = await acceptCode(trx, runtime, { userId: user.id, typed: user.code });
  return (
    secondFactor && {
      ...signInMethod,
      method: 'local_password_totp',
      assurance: 'strong',
      secondFactor,
    }
  );
}
