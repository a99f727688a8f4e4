/** Over which kinds of channels a person wants to be notified. */
import type { MemberChannelKind } from '../channels.ts';

export type NotificationSettings = Readonly<Record<MemberChannelKind, boolean>>;

/** Kinds that are left out stay as they are. */
export type NotificationSettingsChange = Readonly<
  Partial<Record<MemberChannelKind, boolean | undefined>>
>;
