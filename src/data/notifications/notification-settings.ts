/** The kinds of channels a member wants messages from. Without a row: all. */
import { MEMBER_CHANNEL_KINDS } from '../../domain/channels.ts';
import type {
  NotificationSettings,
  NotificationSettingsChange,
} from '../../domain/notifications/notification-settings.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

export async function findNotificationSettings(
  db: Db,
  membershipId: string,
): Promise<NotificationSettings> {
  const row = (await db('notification_settings')
    .where({ membership_id: membershipId })
    .first(...MEMBER_CHANNEL_KINDS)) as NotificationSettings | undefined;
  return row ?? { email: true, slack: true, push: true };
}

const each = (sql: (kind: string) => string): string => MEMBER_CHANNEL_KINDS.map(sql).join(', ');

/** Kinds that are left out stay as they are. */
export async function putNotificationSettings(
  db: Db,
  membershipId: string,
  wanted: NotificationSettingsChange,
): Promise<NotificationSettings> {
  const bindings = MEMBER_CHANNEL_KINDS.map((kind) => [kind, wanted[kind] ?? null] as const);
  return await queryOne<NotificationSettings>(
    db,
    `insert into notification_settings as w (membership_id, ${each((kind) => kind)}, updated_at)
     values (:membershipId, ${each((kind) => `coalesce(cast(:${kind} as boolean), true)`)}, clock_timestamp())
     on conflict (membership_id) do update
        set ${each((kind) => `${kind} = coalesce(cast(:${kind} as boolean), w.${kind})`)}, updated_at = excluded.updated_at
     returning ${each((kind) => kind)}`,
    { membershipId, ...Object.fromEntries(bindings) },
  );
}
