/**
 * The notification channels of an organization. What only one kind has is in a separate table.
 */
import type {
  NotificationChannel,
  WebhookTerms,
  WebhookTarget,
} from '../../domain/notifications/notification-channels.ts';
import { v7 } from 'uuid';
import type { ChannelKind } from '../../domain/channels.ts';
import type { StoredSigningSecrets } from '../../domain/sealed-secrets.ts';
import type { SealedSecret } from '../../platform/crypto/secret-box.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRow, queryRows, runPrepared } from '../../platform/rows.ts';
import { lockRequestsOfChannel, wakeUnreached } from '../requests/unreachable.ts';
import { CHANNEL_SECRETS, PREVIOUS_COLUMNS, previousOf } from '../webhooks/signing-secrets.ts';

interface NewChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly enabled?: boolean;
}

export async function insertChannel(
  db: Db,
  organizationId: string,
  { id, kind, name, enabled = true }: NewChannel,
): Promise<void> {
  await db.raw(
    `insert into notification_channels (id, organization_id, kind, name, enabled, created_at, updated_at)
     select :id, :organizationId, :kind, :name, :enabled, now, now from clock_timestamp() as now`,
    { id, organizationId, kind, name, enabled },
  );
}

/** Makes sure that the organization has its channel of kind push. Disabled, it stays so. */
export async function ensurePushChannel(trx: Trx, organizationId: string): Promise<void> {
  await trx.raw(
    `insert into notification_channels (id, organization_id, kind, name, created_at, updated_at)
     select :id, :organizationId, 'push', 'Push', now, now from clock_timestamp() as now
     on conflict (organization_id) where kind = 'push' do nothing`,
    { id: v7(), organizationId },
  );
}

export async function insertWebhook(
  db: Db,
  channelId: string,
  webhook: WebhookTerms & { readonly secret: SealedSecret },
): Promise<void> {
  await db('notification_webhooks').insert({
    channel_id: channelId,
    url: webhook.url,
    include_arguments: webhook.includeArguments,
    signing_secret: webhook.secret.sealed,
    signing_secret_key_id: webhook.secret.keyId,
    secret_rotated_at: db.raw('clock_timestamp()'),
  });
}

interface ChannelRow extends Omit<NotificationChannel, 'webhook'> {
  readonly url: string | null;
  readonly includeArguments: boolean | null;
  readonly secretRotatedAt: Date | null;
  readonly previousSecretExpiresAt: Date | null;
}

const PREVIOUS = previousOf(CHANNEL_SECRETS, 'w');

const LIVE = `
  select c.id, c.kind, c.name, c.enabled, c.created_at, c.updated_at,
         w.url, w.include_arguments, w.secret_rotated_at, p.expires_at as previous_secret_expires_at
    from notification_channels c left join notification_webhooks w on w.channel_id = c.id ${PREVIOUS}
   where c.organization_id = :organizationId and c.deleted_at is null`;

function toChannel({
  url,
  includeArguments,
  secretRotatedAt,
  previousSecretExpiresAt,
  ...channel
}: ChannelRow): NotificationChannel {
  if (url === null || includeArguments === null || secretRotatedAt === null) return channel;
  return {
    ...channel,
    webhook: { url, includeArguments, secretRotatedAt, previousSecretExpiresAt },
  };
}

export interface ChannelPage {
  readonly limit: number;
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
}

/** Oldest first. */
export async function listChannels(
  db: Db,
  organizationId: string,
  { limit, after }: ChannelPage,
): Promise<NotificationChannel[]> {
  const rows = await queryRows<ChannelRow>(
    db,
    `${LIVE} and (cast(:id as uuid) is null or (c.created_at, c.id) > (:createdAt, cast(:id as uuid)))
      order by c.created_at, c.id limit :limit`,
    { organizationId, limit, id: after?.id ?? null, createdAt: after?.createdAt ?? null },
  );
  return rows.map(toChannel);
}

export async function findChannel(
  db: Db,
  organizationId: string,
  id: string,
): Promise<NotificationChannel | undefined> {
  const row = await queryRow<ChannelRow>(db, `${LIVE} and c.id = :id`, {
    organizationId,
    id,
  });
  return row && toChannel(row);
}

/**
 * Prevents other changes of the channel until the transaction ends. New messages may still refer to
 * it, such as those of a decision made meanwhile.
 */
export async function lockChannel(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<NotificationChannel | undefined> {
  const row = await queryRow<ChannelRow>(trx, `${LIVE} and c.id = :id for no key update of c`, {
    organizationId,
    id,
  });
  return row && toChannel(row);
}

/**
 * A disabled channel sends nothing, and its waiting messages are dropped. A message under way may
 * still arrive. Levels that no other message reached continue at once.
 */
export async function updateChannel(
  trx: Trx,
  organizationId: string,
  { id, name, enabled }: { readonly id: string; readonly name: string; readonly enabled: boolean },
): Promise<void> {
  const requestIds = enabled ? [] : await lockRequestsOfChannel(trx, id);
  await trx.raw(
    `with changed as (
       update notification_channels set name = :name, enabled = :enabled, updated_at = clock_timestamp()
        where id = :id and organization_id = :organizationId
       returning id
     )
     update notification_deliveries d
        set dropped_at = clock_timestamp(), dropped_reason = 'channel_disabled', next_attempt_at = null
       from changed
      where d.channel_id = changed.id and not :enabled and d.next_attempt_at is not null and d.lease is null`,
    { id, organizationId, name, enabled },
  );
  await wakeUnreached(trx, requestIds);
}

export async function updateWebhook(
  trx: Trx,
  channelId: string,
  { url, includeArguments }: WebhookTerms,
): Promise<void> {
  await trx('notification_webhooks')
    .where({ channel_id: channelId })
    .update({ url, include_arguments: includeArguments });
}

/** Permanent. Drops its waiting messages and deletes what only its kind has. */
export async function deleteChannel(trx: Trx, organizationId: string, id: string): Promise<void> {
  const requestIds = await lockRequestsOfChannel(trx, id);
  await trx.raw(
    `with gone as (
       update notification_channels set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
        where id = :id and organization_id = :organizationId
       returning id
     ),
     purged as (delete from notification_webhooks where channel_id in (select id from gone)),
     disconnected as (delete from slack_connections where channel_id in (select id from gone)),
     forgotten as (delete from channel_states where channel_id in (select id from gone))
     update notification_deliveries
        set dropped_at = clock_timestamp(), dropped_reason = 'channel_deleted', next_attempt_at = null, lease = null
      where channel_id in (select id from gone) and next_attempt_at is not null`,
    { id, organizationId },
  );
  await wakeUnreached(trx, requestIds);
}

const TARGETS: PreparedStatement = {
  name: 'find-webhook-targets',
  sql: `
    select w.channel_id, w.url, w.include_arguments, w.signing_secret as sealed, w.signing_secret_key_id as key_id,
           ${PREVIOUS_COLUMNS}
      from notification_webhooks w ${PREVIOUS}
     where w.channel_id = any(cast(:channelIds as uuid[]))`,
};

interface TargetRow extends WebhookTerms, StoredSigningSecrets {
  readonly channelId: string;
}

/** Of webhook channels: the URL, and the secret that signs calls. By channel; without those deleted. */
export async function findWebhookTargets(
  db: Db,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, WebhookTarget>> {
  const rows = await runPrepared<TargetRow>(db, TARGETS, {
    channelIds: [...new Set(channelIds)],
  });
  return new Map(
    rows.map(({ channelId, url, includeArguments, ...secrets }) => [
      channelId,
      { url, includeArguments, secrets },
    ]),
  );
}

export async function findWebhookTarget(
  db: Db,
  channelId: string,
): Promise<WebhookTarget | undefined> {
  return (await findWebhookTargets(db, [channelId])).get(channelId);
}
