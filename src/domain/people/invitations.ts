/** Invitations to an organization. */
import type { PolicyTerms } from './permission-policies.ts';

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired';

export interface Invitation {
  readonly id: string;
  readonly organizationId: string;
  readonly email: string;
  /** The permissions of the invited person after joining. */
  readonly policies: readonly PolicyTerms[];
  readonly invitedByMembershipId: string;
  readonly status: InvitationStatus;
  readonly acceptedMembershipId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  /** Hash of the secret in the current link. */
  readonly tokenHash: Buffer;
}

/** An invitation as the holder of its link may see it. */
export interface LinkedInvitation extends Invitation {
  readonly organizationName: string;
  readonly inviterName: string;
  /** The account with the invitation's email, if there is one. */
  readonly userId: string | null;
}
