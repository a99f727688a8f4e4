/** The purpose and owner of a sealed secret. They are sealed with it, so that a value copied to another row does not open. */
export const SEALED_FOR = {
  pushKey: (keyId: string): string => `push-key:${keyId}`,
  receiver: (instanceId: string): string => `receiver:${instanceId}`,
  slack: (channelId: string): string => `slack:${channelId}`,
  totp: (userId: string): string => `totp:${userId}`,
  webhookChannel: (channelId: string): string => `notification-webhook:${channelId}`,
  webhookEndpoint: (endpointId: string): string => `webhook-endpoint:${endpointId}`,
} as const;

/** A secret as it is stored: sealed, with the id of the key that opens it. */
export interface StoredSecret {
  readonly sealed: Buffer;
  readonly keyId: string;
}

/** The secret that signs, and the one before it while that signs, too. */
export interface StoredSigningSecrets extends StoredSecret {
  readonly previousSealed: Buffer | null;
  readonly previousKeyId: string | null;
}
