/** A Slack user, linked to a member. */

export interface SlackLink {
  readonly membershipId: string;
  readonly slackUserId: string;
  /** The conversation between him and the bot, once it was opened. */
  readonly directChannel: string | null;
  readonly linkedAt: Date;
}
