/** What a member says about how he is told. */
import type { NotificationSettings } from '../../domain/notifications/notification-settings.ts';
import {
  findNotificationSettings,
  putNotificationSettings,
} from '../../data/notifications/notification-settings.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { ServiceContext } from '../context.ts';

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
