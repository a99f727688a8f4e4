/** A link to set a new password. */

export interface ResetRecipient {
  readonly userId: string;
  /** As it was registered, not as it was typed. */
  readonly email: string;
  readonly displayName: string;
}

/** A link that can still be used. */
export interface PasswordReset extends ResetRecipient {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
}
