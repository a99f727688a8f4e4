/** The kinds of notification channels, and everything that differs between them. */

/** What a kind needs to post. */
export type Requirement = 'mail_server' | 'subscription' | 'default_channel';

/** What a kind posts when a level is reached, and what it needs for it. */
export interface Posts {
  /** A message for each of its members. */
  readonly eachMember?: 'always' | Requirement;
  /** One for all of them, in a place that they share. */
  readonly eachLevel?: 'always' | Requirement;
}

/** What the deployment needs for a kind to send anything, with the variables that set it. */
const DEPLOYMENT_NEEDS = {
  mail_server: ['SMTP_URL', 'COUNTERSIGN_EMAIL_FROM'],
  secrets_key: ['COUNTERSIGN_SECRETS_KEY'],
} as const;
export type DeploymentNeed = keyof typeof DEPLOYMENT_NEEDS;

interface ChannelTerms {
  /** The service makes the organization's only one. It can be disabled, never deleted. */
  readonly builtIn: boolean;
  /**
   * Its messages go to members, who may turn the kind off and get a digest when many come at once.
   * Otherwise they go to one receiver of the organization, which gets them all.
   */
  readonly perMember: boolean;
  /** Announces the decision where it announced the request. */
  readonly announcesDecisions: boolean;
  readonly posts: Posts;
  /** Without it, the kind sends nothing on this deployment. */
  readonly needs?: DeploymentNeed;
  readonly limits: {
    /** Messages under way at once in one process. */
    readonly maxInFlight: number;
    /** Of these, to one receiver that responds quickly. */
    readonly maxPerReceiver: number;
    /** What is slow when one of its messages is. */
    readonly receiver: 'the channel' | 'one for all channels';
  };
}

/**
 * Each kind has its own limits, so a slow mail server does not delay webhooks. There is room for many
 * receivers that stopped responding. All email goes through one server.
 */
export const CHANNELS = {
  email: {
    builtIn: true,
    perMember: true,
    announcesDecisions: false,
    posts: { eachMember: 'mail_server' },
    needs: 'mail_server',
    limits: { maxInFlight: 32, maxPerReceiver: 32, receiver: 'one for all channels' },
  },
  webhook: {
    builtIn: false,
    perMember: false,
    announcesDecisions: true,
    posts: { eachMember: 'always' },
    needs: 'secrets_key',
    limits: { maxInFlight: 512, maxPerReceiver: 64, receiver: 'the channel' },
  },
  slack: {
    builtIn: false,
    perMember: true,
    announcesDecisions: true,
    posts: { eachMember: 'always', eachLevel: 'default_channel' },
    needs: 'secrets_key',
    limits: { maxInFlight: 128, maxPerReceiver: 32, receiver: 'the channel' },
  },
  push: {
    builtIn: true,
    perMember: true,
    announcesDecisions: false,
    posts: { eachMember: 'subscription' },
    needs: 'secrets_key',
    limits: { maxInFlight: 128, maxPerReceiver: 64, receiver: 'the channel' },
  },
} as const satisfies Readonly<Record<string, ChannelTerms>>;

export type ChannelKind = keyof typeof CHANNELS;

/** The kinds that members turn on and off for themselves. */
export type MemberChannelKind = {
  [Kind in ChannelKind]: (typeof CHANNELS)[Kind]['perMember'] extends true ? Kind : never;
}[ChannelKind];

/** A message that failed for good. */
export interface DeliveryFailure {
  readonly channel: ChannelKind;
  /** `mailbox_refused`, an error code of Slack, `status_403`, or why it was dropped. */
  readonly cause: string;
}

export const CHANNEL_KINDS = Object.keys(CHANNELS) as ChannelKind[];

export const termsOf = (kind: ChannelKind): ChannelTerms => CHANNELS[kind];

export const kindsThat = (hold: (terms: ChannelTerms) => boolean): ChannelKind[] =>
  CHANNEL_KINDS.filter((kind) => hold(CHANNELS[kind]));

export const MEMBER_CHANNEL_KINDS = kindsThat(({ perMember }) => perMember) as MemberChannelKind[];

/** Whether a deployment can send by a kind. */
export interface KindReadiness {
  readonly kind: ChannelKind;
  readonly configured: boolean;
  /** The variables that turn it on. */
  readonly variables: readonly string[];
}

export const readinessOf = (
  has: Readonly<Record<DeploymentNeed, boolean>>,
): readonly KindReadiness[] =>
  CHANNEL_KINDS.map((kind) => {
    const { needs } = termsOf(kind);
    return needs === undefined
      ? { kind, configured: true, variables: [] }
      : { kind, configured: has[needs], variables: DEPLOYMENT_NEEDS[needs] };
  });
