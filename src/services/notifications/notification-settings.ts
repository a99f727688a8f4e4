/** What a member says about how he is told. */
import {
  findNotificationSettings,
  putNotificationSettings,
  type NotificationSettings,
} from '../../data/notifications/notification-settings.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { ServiceContext } from '../context.ts';

export type { NotificationSettings } from '../../data/notifications/notification-settings.ts';

export async function readNotificationSettings(
  { db }: ServiceContext,
  { membershipId }: MemberPrincipal,
): Promise<NotificationSettings> {
  return await findNotificationSettings(db, membershipId);
}

/** Counts from the next message on, those that wait included. */
export async function saveNotificationSettings(
  { db }: ServiceContext,
  { membershipId }: MemberPrincipal,
  settings: NotificationSettings,
): Promise<NotificationSettings> {
  await putNotificationSettings(db, membershipId, settings);
  return settings;
}
