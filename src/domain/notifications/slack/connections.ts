/** A Slack workspace, connected to an organization. */
import type { StoredSecret } from '../../sealed-secrets.ts';

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
  readonly secrets: StoredSecret;
  readonly connectedAt: Date;
  readonly updatedAt: Date;
}
