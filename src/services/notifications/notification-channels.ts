/**
 * Notification channels of an organization. Every change needs a session with a recent
 * authentication.
 */
import { shownState, shownTrouble } from '../../domain/notifications/channel-states.ts';
import { readinessOf, termsOf, type KindReadiness } from '../../domain/channels.ts';
import type {
  NotificationChannel,
  WatchedChannel,
  WebhookTerms,
} from '../../domain/notifications/notification-channels.ts';
import { v7 } from 'uuid';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  deleteChannel,
  findChannel,
  insertChannel,
  insertWebhook,
  listChannels,
  lockChannel,
  updateChannel,
  updateWebhook,
  type ChannelPage,
} from '../../data/notifications/notification-channels.ts';
import {
  listChannelTroubles,
  listMemberTroubles,
} from '../../data/notifications/channel-states.ts';
import { findRecentMessages } from '../../data/notifications/notification-delivery-lists.ts';
import {
  CHANNEL_SECRETS,
  rotateSecret,
  type SecretRotation,
} from '../../data/webhooks/signing-secrets.ts';
import { actorOf } from '../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { requireMayChangeAnchor } from '../../domain/people/trust-anchors.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { MessageContext } from '../context.ts';
import {
  lockAccessAndRereadMember,
  lockAccessSharedAndRereadMember,
} from '../access/current-callers.ts';
import type { TestOutcome } from './sender.ts';
import { endSlackLinks } from './slack/ended-links.ts';
import { noteArrivedTest } from './channel-states.ts';
import { senders } from './senders.ts';
import { readPage } from '../pages.ts';
import { requireReachable } from '../webhooks/destinations.ts';
import { makeSigningSecret, overlapOf } from '../webhooks/signing-secrets.ts';

const TEST_MS = 10_000;

/** The channels of a page, and which kinds this deployment can send by. */
export async function listNotificationChannels(
  { db, mailer, secrets }: MessageContext,
  { organizationId }: MemberPrincipal,
  { limit, after }: ChannelPage,
): Promise<{
  readonly channels: readonly WatchedChannel[];
  readonly kinds: readonly KindReadiness[];
  readonly next: NotificationChannel | undefined;
}> {
  const { items, last } = await readPage(limit, (most) =>
    listChannels(db, organizationId, { limit: most, after }),
  );
  const kinds = readinessOf({
    mail_server: mailer !== undefined,
    secrets_key: secrets !== undefined,
  });
  return { channels: await watched(db, organizationId, items), kinds, next: last };
}

/** Throws 404. */
export async function getNotificationChannel(
  { db }: MessageContext,
  { organizationId }: MemberPrincipal,
  id: string,
): Promise<WatchedChannel> {
  const found = existing(await findChannel(db, organizationId, id));
  const [channel] = await watched(db, organizationId, [found]);
  return existing(channel);
}

const NO_MESSAGES = {
  deliveredCount: 0,
  deadCount: 0,
  waitingCount: 0,
  droppedCount: 0,
  lastDeliveredAt: null,
  lastDeadAt: null,
  lastError: null,
} as const;

/** The most members named with a channel that does not reach them. */
const MOST_TROUBLED = 50;

async function watched(
  db: Db,
  organizationId: string,
  channels: readonly NotificationChannel[],
): Promise<readonly WatchedChannel[]> {
  const troubles = await listChannelTroubles(db, organizationId);
  const ofMembers = await listMemberTroubles(db, organizationId, { limit: MOST_TROUBLED });
  const recent = await findRecentMessages(
    db,
    channels.map(({ id }) => id),
  );
  return channels.map((channel) => ({
    ...channel,
    recentMessages: recent.get(channel.id) ?? NO_MESSAGES,
    state: shownState(troubles.find(({ channelId }) => channelId === channel.id)),
    troubledMembers: ofMembers
      .filter(({ channelId }) => channelId === channel.id)
      .map(({ membershipId, displayName, ...trouble }) => ({
        ...{ membershipId, displayName },
        ...shownTrouble(trouble),
      })),
  }));
}

function existing<Channel extends NotificationChannel>(channel: Channel | undefined): Channel {
  if (!channel) throw new AppError('not_found');
  return channel;
}

/** Channels are no access: the row of each is locked by itself. */
async function changing<T>(
  { db }: MessageContext,
  principal: MemberPrincipal,
  work: (trx: Trx, caller: MemberPrincipal) => Promise<T>,
): Promise<T> {
  return await db.transaction(async (trx) => {
    const caller = await lockAccessSharedAndRereadMember(trx, principal, {
      permission: 'connection.write',
    });
    requireMayChangeAnchor(caller, 'notification_channel');
    return await work(trx, caller);
  });
}

interface ChannelEvent {
  readonly verb: 'created' | 'updated' | 'deleted' | 'secret_rotated';
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function record(
  trx: Trx,
  caller: MemberPrincipal,
  { verb, id, data }: ChannelEvent,
): Promise<void> {
  await insertAuditEvents(trx, caller.organizationId, {
    events: [
      { eventType: `notification_channel.${verb}`, actor: actorOf(caller), subjectId: id, data },
    ],
  });
}

/** Audit events record only the host: the rest of a URL may hold a secret of the receiver. */
const hostOf = (url: string): string => new URL(url).host;

export interface NewWebhookChannel extends WebhookTerms {
  readonly name: string;
  readonly enabled: boolean;
}

/**
 * Creates a webhook channel and its signing secret. Throws 400 `egress_denied`, 501
 * `secrets_key_missing`, and as `requireMayChangeAnchor`.
 */
export async function createWebhookChannel(
  context: MessageContext,
  principal: MemberPrincipal,
  { name, enabled, ...webhook }: NewWebhookChannel,
): Promise<{ readonly channel: NotificationChannel; readonly signingSecret: string }> {
  requireMayChangeAnchor(principal, 'notification_channel');
  const id = v7();
  const { secret, sealed } = makeSigningSecret(context, SEALED_FOR.webhookChannel(id));
  await requireReachable(context, webhook.url);
  return await changing(context, principal, async (trx, caller) => {
    await insertChannel(trx, caller.organizationId, { id, kind: 'webhook', name, enabled });
    await insertWebhook(trx, id, { ...webhook, secret: sealed });
    await record(trx, caller, {
      verb: 'created',
      id,
      data: { kind: 'webhook', name, host: hostOf(webhook.url) },
    });
    return {
      channel: existing(await findChannel(trx, caller.organizationId, id)),
      signingSecret: secret,
    };
  });
}

export interface ChannelChange {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Webhooks only, like `includeArguments`. */
  readonly url?: string | undefined;
  readonly includeArguments?: boolean | undefined;
}

/**
 * Fields left out stay the same. Throws 404, 400 for fields that only webhooks have, and as
 * creating does.
 */
export async function changeNotificationChannel(
  context: MessageContext,
  principal: MemberPrincipal,
  { id, ...change }: ChannelChange & { readonly id: string },
): Promise<NotificationChannel> {
  requireMayChangeAnchor(principal, 'notification_channel');
  if (change.url !== undefined) await requireReachable(context, change.url);
  return await changing(context, principal, async (trx, caller) => {
    const before = existing(await lockChannel(trx, caller.organizationId, id));
    const changed = changedIn(before, change);
    if (changed.length === 0) return before;
    await updateChannel(trx, caller.organizationId, {
      id,
      name: change.name ?? before.name,
      enabled: change.enabled ?? before.enabled,
    });
    if (before.webhook) {
      const { url, includeArguments } = before.webhook;
      await updateWebhook(trx, id, {
        url: change.url ?? url,
        includeArguments: change.includeArguments ?? includeArguments,
      });
    }
    const host =
      changed.includes('url') && change.url !== undefined ? { host: hostOf(change.url) } : {};
    await record(trx, caller, { verb: 'updated', id, data: { changed, ...host } });
    return existing(await findChannel(trx, caller.organizationId, id));
  });
}

/** The changed fields, as the API spells them. Throws 400 for fields this kind lacks. */
function changedIn(
  { webhook, name, enabled }: NotificationChannel,
  change: ChannelChange,
): string[] {
  const pairs = [
    { field: 'name', before: name, after: change.name },
    { field: 'enabled', before: enabled, after: change.enabled },
    { field: 'url', before: webhook?.url, after: change.url },
    {
      field: 'include_arguments',
      before: webhook?.includeArguments,
      after: change.includeArguments,
    },
  ].filter(({ after }) => after !== undefined);
  const foreign = pairs.filter(({ before }) => before === undefined);
  if (foreign.length > 0) {
    throw invalid(
      foreign.map(({ field }) => ({
        pointer: `/${field}`,
        code: 'invalid_value',
        message: 'must be left out: only webhooks have it',
      })),
    );
  }
  return pairs.filter(({ before, after }) => before !== after).map(({ field }) => field);
}

/** Permanent; waiting messages are dropped. Throws 404, 409 `channel_built_in`. */
export async function deleteNotificationChannel(
  context: MessageContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  await context.db.transaction(async (trx) => {
    // Links to Slack users end with Slack's channel, and links let people act.
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'connection.write',
    });
    requireMayChangeAnchor(caller, 'notification_channel');
    const { kind, name } = existing(await lockChannel(trx, caller.organizationId, id));
    if (termsOf(kind).builtIn) {
      const detail = `The ${kind} channel cannot be deleted. Disable it instead.`;
      throw new AppError('channel_built_in', { detail });
    }
    if (kind === 'slack') await endSlackLinks(trx, context, { caller, channelId: id });
    await deleteChannel(trx, caller.organizationId, id);
    await record(trx, caller, { verb: 'deleted', id, data: { kind, name } });
  });
}

/**
 * The old secret stops at once, or also signs for the overlap. Throws 404 for a
 * channel without one, 501 `secrets_key_missing`.
 */
export async function rotateChannelSecret(
  context: MessageContext,
  principal: MemberPrincipal,
  { id, overlap }: { readonly id: string; readonly overlap?: string | undefined },
): Promise<SecretRotation & { readonly signingSecret: string }> {
  const { secret, sealed } = makeSigningSecret(context, SEALED_FOR.webhookChannel(id));
  return await changing(context, principal, async (trx, caller) => {
    const { webhook, name } = existing(await lockChannel(trx, caller.organizationId, id));
    if (!webhook) throw new AppError('not_found');
    const rotation = await rotateSecret(trx, CHANNEL_SECRETS, {
      receiverId: id,
      ...sealed,
      overlapMs: overlapOf(overlap),
    });
    const data = { name, ...(overlap !== undefined && { overlap }) };
    await record(trx, caller, { verb: 'secret_rotated', id, data });
    return { signingSecret: secret, ...rotation };
  });
}

export type ChannelTest = TestOutcome & { readonly durationMs: number };

/** Sends one test message, to the caller or to the webhook, without retries. Throws 404. */
export async function testNotificationChannel(
  context: MessageContext,
  principal: MemberPrincipal,
  id: string,
): Promise<ChannelTest> {
  const { organizationId, membershipId, displayName, email } = principal;
  const { kind } = existing(await findChannel(context.db, organizationId, id));
  const startedAt = performance.now();
  const signal = AbortSignal.any([context.stopping, AbortSignal.timeout(TEST_MS)]);
  const message = {
    channelId: id,
    organizationId,
    recipient: { membershipId, displayName, email },
  };
  const outcome = await senders[kind]
    .sendTest(context, message, signal)
    .catch((error: unknown): TestOutcome => {
      context.logger.info({ err: error, channelId: id }, 'a test message was not delivered');
      return { delivered: false, errorCode: signal.aborted ? 'timeout' : 'failed' };
    });
  if (outcome.delivered) await noteArrivedTest(context, { channelId: id, membershipId });
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}
