/** SQL: what differs between the kinds of channels, from their table in the domain. */
import {
  CHANNEL_KINDS,
  kindsThat,
  MEMBER_CHANNEL_KINDS,
  termsOf,
  type Requirement,
} from '../../domain/notifications/channels.ts';

/** SQL: the kind announces decisions. `kind` is an SQL expression. */
export const announcesDecisions = (kind: string): string =>
  `${kind} in (${kindsThat((terms) => terms.announcesDecisions)
    .map((each) => `'${each}'`)
    .join(', ')})`;

/** Whether the requirement of a kind is met for a member. `:by_email`: this deployment sends email. */
const IS_MET: Readonly<Record<Requirement, (member: string) => string>> = {
  mail_server: () => ':by_email',
  subscription: (member) =>
    `exists (select 1 from push_subscriptions p where p.membership_id = ${member})`,
};

/** SQL: what channels of the kind require to reach the member is there. */
export const isReached = (kind: string, member: string): string =>
  CHANNEL_KINDS.flatMap((each) => {
    const { requires } = termsOf(each);
    return requires ? [`(${kind} <> '${each}' or ${IS_MET[requires](member)})`] : [];
  }).join(' and ');

/** SQL: the settings `w` do not turn the kind off. True without a row, and for kinds without a setting. */
export const wantsKind = (w: string, kind: string): string =>
  `case ${kind} ${MEMBER_CHANNEL_KINDS.map((each) => `when '${each}' then coalesce(${w}.${each}, true)`).join(' ')} else true end`;

/** SQL: the settings `w` turn off every kind that has a setting. */
export const wantsNoKind = (w: string): string =>
  `not (${MEMBER_CHANNEL_KINDS.map((kind) => `${w}.${kind}`).join(' or ')})`;
