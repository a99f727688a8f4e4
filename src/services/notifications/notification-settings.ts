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
import type { MessageContext } from '../context.ts';
import { troublesOfMember, type TroubledChannel } from './channel-states.ts';

export interface OwnSettings {
  readonly settings: NotificationSettings;
  /** Those of the member's channels that do not work. */
  readonly troubled: readonly TroubledChannel[];
}

export async function readNotificationSettings(
  context: MessageContext,
  principal: MemberPrincipal,
): Promise<OwnSettings> {
  return {
    settings: await findNotificationSettings(context.db, principal.membershipId),
    troubled: await troublesOfMember(context, principal),
  };
}

/** Applies from the next message on, including those that wait. */
export async function saveNotificationSettings(
  context: MessageContext,
  principal: MemberPrincipal,
  wanted: NotificationSettingsChange,
): Promise<OwnSettings> {
  return {
    settings: await putNotificationSettings(context.db, principal.membershipId, wanted),
    troubled: await troublesOfMember(context, principal),
  };
}
