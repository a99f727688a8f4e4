/** A link to set a new password. */

export interface ResetRecipient {
  readonly userId: string;
  /** As registered, not as typed. */
  readonly email: string;
  readonly displayName: string;
}

/** A link that still works. */
export interface PasswordReset extends ResetRecipient {
  readonly id: string;
  readonly tokenHash: Buffer;
  /** The person is an owner who is recovered. */
  readonly removesSecondFactor: boolean;
  readonly expiresAt: Date;
}
