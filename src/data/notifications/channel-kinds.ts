/** SQL: what differs between the kinds of channels, from their table in the domain. */
import { MEMBER_CHANNEL_KINDS } from '../../domain/notifications/channels.ts';

/** SQL: the settings `w` do not turn the kind off. True without a row, and for kinds without a setting. */
export const wantsKind = (w: string, kind: string): string =>
  `case ${kind} ${MEMBER_CHANNEL_KINDS.map((each) => `when '${each}' then coalesce(${w}.${each}, true)`).join(' ')} else true end`;
