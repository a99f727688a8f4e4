/** Identities of people at the identity provider. */
import type { MembershipStatus } from '../people/memberships.ts';

export interface UserIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * A person with the membership of the new session, in an organization that is not deleted; null
 * without one.
 */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly organizationId: string | null;
  readonly membershipId: string | null;
  readonly membershipStatus: MembershipStatus | null;
}
