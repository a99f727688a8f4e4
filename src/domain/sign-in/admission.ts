/** Which person that an identity provider vouches for may enter. */
import type { MembershipStatus } from '../people/memberships.ts';

/** Statuses: undefined when no account matches; null when an account matches without a membership. */
export interface AdmissionFacts {
  /** The membership of the account linked to this provider identity. */
  readonly byIdentity: MembershipStatus | null | undefined;
  /** The membership of the account with this email. */
  readonly byEmail: MembershipStatus | null | undefined;
  /** The account with this email has another identity at this provider. */
  readonly hasOtherIdentity: boolean;
  /** An invitation for this email is pending. */
  readonly isInvited: boolean;
  /** People of this email domain may join without an invitation. */
  readonly newcomersMayJoin: boolean;
}

/** `link`: the person enters and the provider identity is linked to their account. */
export type Admission =
  'enter' | 'link' | 'accept_invitation' | 'join' | 'refuse' | 'refuse_other_identity';

export function decideAdmission({
  byIdentity,
  byEmail,
  hasOtherIdentity,
  isInvited,
  newcomersMayJoin,
}: AdmissionFacts): Admission {
  if (isMember(byIdentity)) return 'enter';
  // Addresses are given to new people. So an account that has its person never gets another one.
  if (byIdentity === undefined && hasOtherIdentity) return 'refuse_other_identity';
  if (byIdentity === undefined && isMember(byEmail)) return 'link';
  if (isInvited) return 'accept_invitation';
  // Removed people need an invitation to enter again.
  const wasHere = byIdentity !== undefined || typeof byEmail === 'string';
  return newcomersMayJoin && !wasHere ? 'join' : 'refuse';
}

/** Includes suspended members: no other way in applies to them. */
export function isMember(status: MembershipStatus | null | undefined): boolean {
  return status === 'active' || status === 'suspended';
}
