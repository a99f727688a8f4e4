/** Which notifications a member wants. */
import type {
  NotificationSettings,
  NotificationSettingsChange,
} from '../../domain/notifications/notification-settings.ts';
import {
  findNotificationSettings,
  putNotificationSettings,
} from '../../data/notifications/notification-settings.ts';
import {
  findPersonalSteps,
  replacePersonalSteps,
} from '../../data/notifications/notification-steps.ts';
import type { PersonalSteps } from '../../domain/notifications/steps.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { MessageContext } from '../context.ts';
import { troublesOfMember, type TroubledChannel } from './channel-states.ts';

export interface OwnSettings {
  readonly settings: NotificationSettings;
  readonly steps: PersonalSteps;
  /** Those of the member's channels that do not work. */
  readonly troubled: readonly TroubledChannel[];
}

export async function readNotificationSettings(
  context: MessageContext,
  principal: MemberPrincipal,
): Promise<OwnSettings> {
  return {
    settings: await findNotificationSettings(context.db, principal.membershipId),
    steps: await findPersonalSteps(context.db, principal.membershipId),
    troubled: await troublesOfMember(context, principal),
  };
}

/** Channels apply from the next message on, including those that wait. Steps apply to people who are asked from now on. */
export async function saveNotificationSettings(
  context: MessageContext,
  principal: MemberPrincipal,
  { steps, ...wanted }: NotificationSettingsChange & { readonly steps?: PersonalSteps | undefined },
): Promise<OwnSettings> {
  const { membershipId } = principal;
  await context.db.transaction(async (trx) => {
    await putNotificationSettings(trx, membershipId, wanted);
    if (steps) await replacePersonalSteps(trx, membershipId, steps);
  });
  return await readNotificationSettings(context, principal);
}
