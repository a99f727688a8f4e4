/** Whether a channel works, as the results of messages say. */
import type { ChannelKind } from '../channels.ts';
import { causeWords } from './failures.ts';

export const CHANNEL_STATES = ['working', 'failing', 'broken'] as const;
export type ChannelStateWord = (typeof CHANNEL_STATES)[number];

/** `failing`: messages are tried again. `broken`: the last one failed for good. */
export interface ChannelTrouble {
  readonly state: Exclude<ChannelStateWord, 'working'>;
  readonly since: Date;
  readonly cause: string;
}

/** Of a channel: the causes that concern everyone. */
export interface StoredTrouble extends ChannelTrouble {
  readonly channelId: string;
  readonly channel: ChannelKind;
  readonly channelName: string;
}

/** Of one member's messages over the channel. */
export interface MemberTrouble extends StoredTrouble {
  readonly membershipId: string;
  readonly displayName: string;
}

/** With words: what is wrong, and what to do. */
export interface ShownTrouble extends ChannelTrouble {
  readonly problem: string;
  readonly whatToDo: string;
}

export type ShownState = { readonly state: 'working' } | ShownTrouble;

export function shownTrouble({
  channel,
  ...trouble
}: ChannelTrouble & { readonly channel: ChannelKind }): ShownTrouble {
  const { state, since, cause } = trouble;
  const { wrong: problem, todo: whatToDo } = causeWords({ channel, cause });
  return { state, since, cause, problem, whatToDo };
}

export const shownState = (trouble: StoredTrouble | undefined): ShownState =>
  trouble ? shownTrouble(trouble) : { state: 'working' };

/** Causes that concern every message of a kind, for all receivers. Others are of one receiver. */
const OF_CHANNEL: Readonly<Record<ChannelKind, readonly string[]>> = {
  email: [
    ...['sender_refused', 'sign_in_refused', 'busy'],
    ...['dns', 'refused', 'unreachable', 'certificate', 'tls', 'reset', 'timeout', 'protocol'],
  ],
  slack: [
    ...['token_revoked', 'token_expired', 'invalid_auth', 'not_authed', 'missing_scope'],
    ...['team_access_not_granted', 'org_login_required', 'secrets_key_missing'],
    ...['dns', 'refused', 'unreachable', 'certificate', 'tls', 'reset', 'timeout', 'protocol'],
  ],
  push: ['secret_unreadable'],
  webhook: [],
};

export const isOfChannel = (channel: ChannelKind, cause: string): boolean =>
  OF_CHANNEL[channel].includes(cause);

/** All of these causes: a message that arrives shows that they are over. */
export const CHANNEL_CAUSES: readonly string[] = [...new Set(Object.values(OF_CHANNEL).flat())];
