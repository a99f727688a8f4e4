/** A Slack user, linked to a member. */

export interface SlackLink {
  readonly membershipId: string;
  readonly slackUserId: string;
  /** The direct conversation with the bot, once opened. */
  readonly directChannel: string | null;
  readonly linkedAt: Date;
}

/** A link, as the connection shows it. */
export interface ListedSlackLink {
  readonly membershipId: string;
  readonly displayName: string;
  readonly slackUserId: string;
  readonly linkedAt: Date;
  /** False: the member turned Slack messages off. */
  readonly messagesOn: boolean;
}

/** An active member without a link. */
export interface UnlinkedMember {
  readonly membershipId: string;
  readonly displayName: string;
}
