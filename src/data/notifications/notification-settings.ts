/** The kinds of channels a member wants messages from. Without a row: all. */
import type { NotificationSettings } from '../../domain/notifications/notification-settings.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

export async function findNotificationSettings(
  db: Db,
  membershipId: string,
): Promise<NotificationSettings> {
  const row = (await db('notification_settings')
    .where({ membership_id: membershipId })
    .first('email', 'slack', 'push')) as NotificationSettings | undefined;
  return row ?? { email: true, slack: true, push: true };
}

/** Push stays as it is when undefined. */
export async function putNotificationSettings(
  db: Db,
  membershipId: string,
  {
    email,
    slack,
    push,
  }: Omit<NotificationSettings, 'push'> & { readonly push: boolean | undefined },
): Promise<NotificationSettings> {
  return await queryOne<NotificationSettings>(
    db,
    `insert into notification_settings as w (membership_id, email, slack, push, updated_at)
     values (:membershipId, :email, :slack, coalesce(cast(:push as boolean), true), clock_timestamp())
     on conflict (membership_id) do update
        set email = excluded.email, slack = excluded.slack, push = coalesce(cast(:push as boolean), w.push),
            updated_at = excluded.updated_at
     returning email, slack, push`,
    { membershipId, email, slack, push: push ?? null },
  );
}
