/** A message to one person over one channel, as the list of deliveries shows it. */
import type { ChannelKind } from '../channels.ts';
import type { DeliveryEvent, DeliveryStatus, DropReason } from './notifications.ts';

export interface ListedDelivery {
  readonly id: string;
  readonly channelId: string;
  readonly channelKind: ChannelKind;
  readonly channelName: string;
  readonly requestId: string;
  readonly event: DeliveryEvent;
  /** Of the recipient; null for an announcement and a decision. */
  readonly membershipId: string | null;
  readonly displayName: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
  /** When it was delivered, dropped or dead. */
  readonly finishedAt: Date | null;
  readonly lastError: string | null;
  readonly droppedReason: DropReason | null;
}
