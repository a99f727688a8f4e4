/** The kinds of channels a member wants messages from. Without a row: all. */
import type { NotificationSettings } from '../../domain/notifications/notification-settings.ts';
import type { Db } from '../../platform/postgres.ts';

export async function findNotificationSettings(
  db: Db,
  membershipId: string,
): Promise<NotificationSettings> {
  const row = (await db('notification_settings')
    .where({ membership_id: membershipId })
    .first('email', 'slack')) as NotificationSettings | undefined;
  return row ?? { email: true, slack: true };
}

export async function putNotificationSettings(
  db: Db,
  membershipId: string,
  { email, slack }: NotificationSettings,
): Promise<void> {
  await db('notification_settings')
    .insert({ membership_id: membershipId, email, slack, updated_at: db.raw('clock_timestamp()') })
    .onConflict('membership_id')
    .merge();
}
