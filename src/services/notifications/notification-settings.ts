/** Which notifications a member wants. */
import type {
  NotificationSettings,
  NotificationSettingsChange,
} from '../../domain/notifications/notification-settings.ts';
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

/** Applies from the next message on, including those that wait. */
export async function saveNotificationSettings(
  { db }: ServiceContext,
  { membershipId }: MemberPrincipal,
  wanted: NotificationSettingsChange,
): Promise<NotificationSettings> {
  return await putNotificationSettings(db, membershipId, wanted);
}
