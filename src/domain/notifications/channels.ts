/** The kinds of notification channels, and everything that differs between them. */

/** What a kind needs to reach a member. */
export type Requirement = 'mail_server' | 'subscription';

interface ChannelTerms {
  /** The service makes the organization's only one. It can be disabled, never deleted. */
  readonly builtIn: boolean;
  /**
   * Its messages go to members, who may turn the kind off and get a digest when many come at once.
   * Otherwise they go to one receiver of the organization, which gets them all.
   */
  readonly perMember: boolean;
  /** Tells the decision where it told that a request waits. */
  readonly announcesDecisions: boolean;
  /** Without it, a level writes no message. */
  readonly requires?: Requirement;
  readonly limits: {
    /** Messages under way at once in one process. */
    readonly maxInFlight: number;
    /** Of these, to one receiver that answers quickly. */
    readonly maxPerReceiver: number;
    /** What is slow when one of its messages is. */
    readonly receiver: 'the channel' | 'one for all channels';
  };
}

/**
 * Each kind has its own limits, so a slow mail server does not delay webhooks. There is room for many
 * receivers that stopped answering. All email goes through one server.
 */
export const CHANNELS = {
  email: {
    builtIn: true,
    perMember: true,
    announcesDecisions: false,
    requires: 'mail_server',
    limits: { maxInFlight: 32, maxPerReceiver: 32, receiver: 'one for all channels' },
  },
  webhook: {
    builtIn: false,
    perMember: false,
    announcesDecisions: true,
    limits: { maxInFlight: 512, maxPerReceiver: 64, receiver: 'the channel' },
  },
  slack: {
    builtIn: false,
    perMember: true,
    announcesDecisions: true,
    limits: { maxInFlight: 128, maxPerReceiver: 32, receiver: 'the channel' },
  },
  push: {
    builtIn: true,
    perMember: true,
    announcesDecisions: false,
    requires: 'subscription',
    limits: { maxInFlight: 128, maxPerReceiver: 64, receiver: 'the channel' },
  },
} as const satisfies Readonly<Record<string, ChannelTerms>>;

export type ChannelKind = keyof typeof CHANNELS;

/** The kinds that members turn on and off for themselves. */
export type MemberChannelKind = {
  [Kind in ChannelKind]: (typeof CHANNELS)[Kind]['perMember'] extends true ? Kind : never;
}[ChannelKind];

export const CHANNEL_KINDS = Object.keys(CHANNELS) as ChannelKind[];

export const termsOf = (kind: ChannelKind): ChannelTerms => CHANNELS[kind];

export const kindsThat = (hold: (terms: ChannelTerms) => boolean): ChannelKind[] =>
  CHANNEL_KINDS.filter((kind) => hold(CHANNELS[kind]));

export const MEMBER_CHANNEL_KINDS = kindsThat(({ perMember }) => perMember) as MemberChannelKind[];
