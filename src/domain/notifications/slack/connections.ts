/** A Slack workspace, connected to an organization. */
import type { SealedSecret } from '../../../platform/crypto/secret-box.ts';

export interface SlackConnection {
  readonly organizationId: string;
  readonly organizationName: string;
  /** Slack buttons cannot decide then. */
  readonly requiresMfa: boolean;
  /** The id of the notification channel. */
  readonly channelId: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly botUserId: string;
  readonly defaultChannel: string | null;
  readonly secrets: SealedSecret;
  readonly connectedAt: Date;
  readonly updatedAt: Date;
}
