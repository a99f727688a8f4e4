/** Where notifications go. */
import type { MemberTrouble, ShownState, ShownTrouble } from './channel-states.ts';
import type { ChannelKind } from '../channels.ts';
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

/** What became of the latest messages of a channel, up to fifty. */
export interface RecentMessages {
  readonly deliveredCount: number;
  readonly deadCount: number;
  /** Not tried yet, or tried again later. */
  readonly waitingCount: number;
  readonly droppedCount: number;
  readonly lastDeliveredAt: Date | null;
  readonly lastDeadAt: Date | null;
  /** Of the newest one that is dead or tried again. */
  readonly lastError: string | null;
}

export interface WatchedChannel extends NotificationChannel {
  readonly recentMessages: RecentMessages;
  readonly state: ShownState;
  /** Members that the channel does not reach, the oldest trouble first, up to fifty. */
  readonly troubledMembers: readonly TroubledMember[];
}

export type TroubledMember = ShownTrouble & Pick<MemberTrouble, 'membershipId' | 'displayName'>;

export interface WebhookTerms {
  readonly url: string;
  readonly includeArguments: boolean;
}

export interface WebhookTarget extends WebhookTerms {
  readonly secrets: StoredSigningSecrets;
}
