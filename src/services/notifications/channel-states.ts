/** Whether the channels of a member reach them. */
import {
  listChannelTroubles,
  listMemberTroubles,
  recoverByTest,
} from '../../data/notifications/channel-states.ts';
import {
  shownTrouble,
  isOfChannel,
  type ShownTrouble,
  type StoredTrouble,
} from '../../domain/notifications/channel-states.ts';
import type { ChannelKind } from '../../domain/channels.ts';
import type { Db } from '../../platform/postgres.ts';
import type { MessageContext } from '../context.ts';

/** A channel that does not reach someone, or anyone. */
export interface TroubledChannel extends ShownTrouble {
  readonly kind: ChannelKind;
  readonly name: string;
}

/** Each kind has one channel for a member. */
const MOST_OF_MEMBER = 10;

const toTroubled = (trouble: StoredTrouble): TroubledChannel => ({
  kind: trouble.channel,
  name: trouble.channelName,
  ...shownTrouble(trouble),
});

/** The channels that do not reach the member, by a cause of theirs or of the whole channel. */
export async function troublesOfMember(
  { db }: Pick<MessageContext, 'db'>,
  {
    organizationId,
    membershipId,
  }: { readonly organizationId: string; readonly membershipId: string },
): Promise<readonly TroubledChannel[]> {
  const all = await listChannelTroubles(db, organizationId);
  const own = await listMemberTroubles(db, organizationId, { membershipId, limit: MOST_OF_MEMBER });
  // The default channel of Slack and webhooks are not of a member.
  const shared = all.filter(({ channel, cause }) => isOfChannel(channel, cause));
  return [...shared, ...own].map(toTroubled);
}

/** The channels of the organization that do not work for anyone. */
export async function troublesOfChannels(
  db: Db,
  organizationId: string,
): Promise<readonly TroubledChannel[]> {
  return (await listChannelTroubles(db, organizationId)).map(toTroubled);
}

/** A test message arrived, so what the channel had is over. */
export async function noteArrivedTest(
  { db, metrics }: MessageContext,
  test: Parameters<typeof recoverByTest>[1],
): Promise<void> {
  for (const { channel, state } of await recoverByTest(db, test))
    metrics.channelStateChanges.inc({ kind: channel, state });
}
