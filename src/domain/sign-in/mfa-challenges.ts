/** A sign-in that still needs its second factor. */

export interface MfaChallenge {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly passwordDigest: Buffer;
  readonly organizationId: string;
  readonly membershipId: string;
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
}
