/** A person who can sign in. */

/** A person with their sign-in methods, whether or not they belong to an organization. */
export interface User {
  readonly id: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  /** An authenticator app is confirmed, so the password alone is not enough. */
  readonly hasSecondFactor: boolean;
}
