/** A Slack user, linked to a member. */

export interface SlackLink {
  readonly membershipId: string;
  readonly slackUserId: string;
  /** The direct conversation with the bot, once opened. */
  readonly directChannel: string | null;
  readonly linkedAt: Date;
}
