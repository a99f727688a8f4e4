/** Whom the word of an identity provider lets in, from what is known of him here. */
import type { MembershipStatus } from '../people/memberships.ts';

/** Statuses: undefined where nobody is known, null for somebody who is no member of anything that still exists. */
export interface AdmissionFacts {
  /** Of the person the provider's name for him is known as. */
  readonly byIdentity: MembershipStatus | null | undefined;
  /** Of the person with his email. */
  readonly byEmail: MembershipStatus | null | undefined;
  /** An invitation for his email stands. */
  readonly isInvited: boolean;
  /** People of his email's domain join without one. */
  readonly admitsNewcomers: boolean;
}

/** `link`: he enters, and is known by the provider's name from then on. */
export type Admission = 'enter' | 'link' | 'accept_invitation' | 'join' | 'refuse';

export function decideAdmission({
  byIdentity,
  byEmail,
  isInvited,
  admitsNewcomers,
}: AdmissionFacts): Admission {
  if (isMember(byIdentity)) return 'enter';
  if (byIdentity === undefined && isMember(byEmail)) return 'link';
  if (isInvited) return 'accept_invitation';
  // Removed people stay removed: only an invitation lets them in again.
  const wasHere = byIdentity !== undefined || typeof byEmail === 'string';
  return admitsNewcomers && !wasHere ? 'join' : 'refuse';
}

/** Also a suspended one: nothing else lets him in. */
export function isMember(status: MembershipStatus | null | undefined): boolean {
  return status === 'active' || status === 'suspended';
}
