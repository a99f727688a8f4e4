/** Where notifications go. */
import type { ChannelKind } from './channels.ts';
import type { StoredSigningSecrets } from '../sealed-secrets.ts';

export interface NotificationChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Of kind webhook. */
  readonly webhook?: {
    readonly url: string;
    readonly includeArguments: boolean;
    readonly secretRotatedAt: Date;
    /** When the secret before it stops; null when it has stopped. */
    readonly previousSecretExpiresAt: Date | null;
  };
}

export interface WebhookTerms {
  readonly url: string;
  readonly includeArguments: boolean;
}

export interface WebhookTarget extends WebhookTerms {
  readonly secrets: StoredSigningSecrets;
}
