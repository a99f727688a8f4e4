/** SQL: what differs between the kinds of channels, from their table in the domain. */
import {
  CHANNEL_KINDS,
  kindsThat,
  MEMBER_CHANNEL_KINDS,
  termsOf,
  type Posts,
  type Requirement,
} from '../domain/channels.ts';

/** SQL: the kind announces decisions. `kind` is an SQL expression. */
export const announcesDecisions = (kind: string): string =>
  `${kind} in (${kindsThat((terms) => terms.announcesDecisions)
    .map((each) => `'${each}'`)
    .join(', ')})`;

/** SQL: messages of the kind go to members, and not to one receiver of the organization. */
export const isPerMember = (kind: string): string =>
  `${kind} in (${MEMBER_CHANNEL_KINDS.map((each) => `'${each}'`).join(', ')})`;

interface Place {
  /** SQL: the id of the channel. */
  readonly channel: string;
  /** SQL: the id of the member. Absent for a message to all. */
  readonly member?: string;
}

/** Whether the requirement of a kind is met. `:by_email`: this deployment sends email. */
const IS_MET: Readonly<Record<Requirement, (place: Place) => string>> = {
  mail_server: () => ':by_email',
  subscription: ({ member = 'null' }) =>
    `exists (select 1 from push_subscriptions p where p.membership_id = ${member})`,
  default_channel: ({ channel }) =>
    `exists (select 1 from slack_connections s where s.channel_id = ${channel} and s.default_channel is not null)`,
};

const needs = (which: keyof Posts, place: Place): string =>
  CHANNEL_KINDS.map((each) => {
    const need = termsOf(each).posts[which];
    const isMet = need === undefined ? 'false' : need === 'always' ? 'true' : IS_MET[need](place);
    return `when '${each}' then ${isMet}`;
  }).join(' ');

/** SQL: a channel posts a message for the member. So does one whose kind only a newer process knows: its message waits for that process. */
export const postsForMember = (kind: string, place: Required<Place>): string =>
  `case ${kind} ${needs('eachMember', place)} else true end`;

/** SQL: a channel posts one message for the whole level. */
export const postsForLevel = (kind: string, channel: string): string =>
  `case ${kind} ${needs('eachLevel', { channel })} else false end`;

/** SQL: the settings `w` do not turn the kind off. True without a row, and for kinds without a setting. */
export const wantsKind = (w: string, kind: string): string =>
  `case ${kind} ${MEMBER_CHANNEL_KINDS.map((each) => `when '${each}' then coalesce(${w}.${each}, true)`).join(' ')} else true end`;

/** SQL: the settings `w` turn off every kind that has a setting. */
export const wantsNoKind = (w: string): string =>
  `not (${MEMBER_CHANNEL_KINDS.map((kind) => `${w}.${kind}`).join(' or ')})`;
