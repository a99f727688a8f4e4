/** What a sealed secret is for and whose it is: sealed in with it, so that a value moved to another row does not open. */
export const SEALED_FOR = {
  slack: (channelId: string): string => `slack:${channelId}`,
  totp: (userId: string): string => `totp:${userId}`,
  webhookChannel: (channelId: string): string => `notification-webhook:${channelId}`,
} as const;
