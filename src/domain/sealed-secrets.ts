/** What a sealed secret is for and whose it is: sealed in with it, so that a value moved to another row does not open. */
export const SEALED_FOR = {
  totp: (userId: string): string => `totp:${userId}`,
} as const;
