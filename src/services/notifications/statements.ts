/** The statements of senders: what many messages need at the same time is one statement. */
import {
  findOwnViews,
  type OwnView,
  type PresentedCall,
} from '../../data/agents/tool-presentations.ts';
import { findWebhookTargets } from '../../data/notifications/notification-channels.ts';
import {
  recordAttempts,
  type Attempted,
  type RecordedAttempt,
} from '../../data/notifications/notification-deliveries.ts';
import {
  recordChannelResults,
  type ChangedState,
  type ChannelResult,
} from '../../data/notifications/channel-states.ts';
import { countMessages, type HeldMessage } from '../../data/notifications/digests.ts';
import { advanceSteps } from '../../data/notifications/notification-steps.ts';
import { findPushSubscriptions } from '../../data/notifications/push-subscriptions.ts';
import { findSlackConnections } from '../../data/notifications/slack/connections.ts';
import { findSlackLinks, type LinkedMember } from '../../data/notifications/slack/links.ts';
import {
  beginPostings,
  endPostings,
  findThreads,
  type EndedPost,
  type NewPost,
  type ThreadPlace,
} from '../../data/notifications/slack/messages.ts';
import { lockRequestsOf, wakeUnreached } from '../../data/requests/unreachable.ts';
import { NO_WAY_REASONS } from '../../domain/notifications/failures.ts';
import type { WebhookTarget } from '../../domain/notifications/notification-channels.ts';
import type { SlackConnection } from '../../domain/notifications/slack/connections.ts';
import type { PushSubscription } from '../../domain/notifications/push-subscriptions.ts';
import type { SlackLink } from '../../domain/notifications/slack/links.ts';
import type { Db } from '../../platform/postgres.ts';
import { inSets } from '../../platform/sets.ts';
import type { MessageContext } from '../context.ts';

export interface SendStatements {
  /** What the organization says about how the call is shown. */
  ownView(call: PresentedCall): Promise<OwnView | undefined>;
  webhookTarget(channelId: string): Promise<WebhookTarget | undefined>;
  slackConnection(organizationId: string): Promise<SlackConnection | undefined>;
  slackLink(member: LinkedMember): Promise<SlackLink | undefined>;
  /** Of this member, oldest first. */
  pushSubscriptions(membershipId: string): Promise<readonly PushSubscription[]>;
  /** True when this delivery posts its message. */
  beginPosting(post: NewPost): Promise<boolean>;
  endPosting(post: EndedPost): Promise<void>;
  /** The message that a further one about the request replies to. */
  slackThread(place: ThreadPlace): Promise<string | undefined>;
  /** Whether the message is sent by itself, and not in the digest of its minute. */
  count(message: HeldMessage): Promise<boolean>;
  /** Resolves once it is recorded, or another process holds the message by now. */
  record(attempt: RecordedAttempt): Promise<void>;
  /** Returns the changes of channels' states by the results of this set, to one of its callers. */
  noteResult(result: ChannelResult): Promise<readonly ChangedState[]>;
}

/** What sending a message gets besides the message. */
export interface SendContext extends MessageContext {
  readonly statements: SendStatements;
}

export function openStatements(db: Db): SendStatements {
  return {
    ownView: inSets((calls: readonly PresentedCall[]) => findOwnViews(db, calls)),
    webhookTarget: inSets(async (ids: readonly string[]) => {
      const targets = await findWebhookTargets(db, ids);
      return ids.map((id) => targets.get(id));
    }),
    slackConnection: inSets(async (ids: readonly string[]) => {
      const connections = await findSlackConnections(db, ids);
      return ids.map((id) => connections.get(id));
    }),
    slackLink: inSets(async (members: readonly LinkedMember[]) => {
      const links = await findSlackLinks(db, members);
      return members.map(({ membershipId }) => links.get(membershipId));
    }),
    pushSubscriptions: inSets(async (ids: readonly string[]) => {
      const all = await findPushSubscriptions(db, ids);
      return ids.map((id) => all.filter(({ membershipId }) => membershipId === id));
    }),
    beginPosting: inSets((posts: readonly NewPost[]) => beginPostings(db, posts)),
    endPosting: inSets(async (posts: readonly EndedPost[]) => {
      await endPostings(db, posts);
      return posts.map(() => undefined);
    }),
    slackThread: inSets((places: readonly ThreadPlace[]) => findThreads(db, places)),
    count: inSets((messages: readonly HeldMessage[]) => countMessages(db, messages)),
    // A set can fail, for example in a deadlock with the removal of a channel.
    record: inSets(async (attempts: readonly RecordedAttempt[]) => {
      await recordAll(db, attempts);
      return attempts.map(() => undefined);
    }),
    noteResult: inSets(async (results: readonly ChannelResult[]) => {
      const changed = await recordChannelResults(db, results);
      return results.map((_result, index) => (index === 0 ? changed : []));
    }),
  };
}

/** A message that fails for good may be the last one that could reach the people a request waits for. */
async function recordAll(db: Db, attempts: readonly RecordedAttempt[]): Promise<void> {
  const failed = attempts.filter(({ attempted }) => isFailure(attempted));
  const others = attempts.filter(({ attempted }) => !isFailure(attempted));
  if (others.length > 0) await recordAttempts(db, others);
  if (failed.length === 0) return;
  await db.transaction(async (trx) => {
    const ids = failed.map(({ id }) => id);
    const requestIds = await lockRequestsOf(trx, ids);
    await recordAttempts(trx, failed);
    await advanceSteps(trx, ids);
    await wakeUnreached(trx, requestIds);
  });
}

const isFailure = (attempted: Attempted): boolean =>
  attempted.kind === 'dead' ||
  (attempted.kind === 'dropped' && NO_WAY_REASONS.some((reason) => reason === attempted.reason));
