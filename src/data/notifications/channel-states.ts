/** Which channels do not work. A row is written only when a result changes the state. */
import { MEMBER_CHANNEL_KINDS, type ChannelKind } from '../../domain/channels.ts';
import {
  CHANNEL_CAUSES,
  type ChannelStateWord,
  type ChannelTrouble,
  type MemberTrouble,
  type StoredTrouble,
} from '../../domain/notifications/channel-states.ts';
import type { Decider } from '../../domain/requests/deciders.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';
import { wantsKind } from '../channel-kinds.ts';

/** The outcome of a message that was tried. */
export interface ChannelResult {
  readonly deliveryId: string;
  /** Absent for one that arrived. */
  readonly trouble?: {
    readonly state: ChannelTrouble['state'];
    readonly cause: string;
    /** It concerns everyone, and not only the receiver. */
    readonly isOfChannel: boolean;
  };
}

const PER_MEMBER = MEMBER_CHANNEL_KINDS.map((kind) => `'${kind}'`).join(', ');

/** SQL: the receiver of the delivery `d` with the notification `n` over the channel `c`. */
const RECEIVER = `case when d.announces or n.membership_id is null or c.kind not in (${PER_MEMBER}) then c.id else n.membership_id end`;

const RECOVER: PreparedStatement = {
  name: 'recover-channels',
  sql: `
    with gone as materialized (
      select s.channel_id, s.receiver
        from notification_deliveries d
        join notification_channels c on c.id = d.channel_id
        left join notifications n on n.id = d.notification_id
        join channel_states s on s.channel_id = c.id
         and (s.receiver = ${RECEIVER} or (s.receiver = s.channel_id and s.cause = any(cast(:channelCauses as text[]))))
       where d.id = any(cast(:deliveryIds as uuid[]))
         for update of s skip locked
    )
    delete from channel_states s using gone where s.channel_id = gone.channel_id and s.receiver = gone.receiver
    returning (select c.kind from notification_channels c where c.id = s.channel_id) as channel`,
};

const FAIL: PreparedStatement = {
  name: 'note-channel-failures',
  sql: `
    with result as materialized (
      select distinct on (c.id, r.receiver) c.id as channel_id, r.receiver, a.state, a.cause
        from unnest(cast(:deliveryIds as uuid[]), cast(:states as text[]), cast(:causes as text[]), cast(:wide as boolean[]))
             as a (id, state, cause, is_wide)
        join notification_deliveries d on d.id = a.id
        join notification_channels c on c.id = d.channel_id and c.deleted_at is null
        left join notifications n on n.id = d.notification_id
        cross join lateral (select case when a.is_wide then c.id else ${RECEIVER} end as receiver) as r
       order by c.id, r.receiver, a.state
    )
    insert into channel_states as s (channel_id, receiver, state, cause, since)
    select channel_id, receiver, state, cause, clock_timestamp() from result order by channel_id, receiver
    on conflict on constraint channel_states_pkey do update
       set state = excluded.state, cause = excluded.cause,
           since = case when s.cause = excluded.cause then s.since else excluded.since end
     where (s.state, s.cause) is distinct from (excluded.state, excluded.cause)
    returning state, (select c.kind from notification_channels c where c.id = s.channel_id) as channel`,
};

export interface ChangedState {
  readonly channel: ChannelKind;
  readonly state: ChannelStateWord;
}

/** Returns what has changed: the kinds of channels, and their states now. */
export async function recordChannelResults(
  db: Db,
  results: readonly ChannelResult[],
): Promise<ChangedState[]> {
  const arrived = results.filter(({ trouble }) => !trouble);
  const failed = results.flatMap(({ deliveryId, trouble }) =>
    trouble ? [{ deliveryId, ...trouble }] : [],
  );
  const recovered =
    arrived.length === 0
      ? []
      : await runPrepared<{ channel: ChannelKind }>(db, RECOVER, {
          deliveryIds: arrived.map(({ deliveryId }) => deliveryId),
          channelCauses: [...CHANNEL_CAUSES],
        });
  const changed =
    failed.length === 0
      ? []
      : await runPrepared<ChangedState>(db, FAIL, {
          deliveryIds: failed.map(({ deliveryId }) => deliveryId),
          states: failed.map(({ state }) => state),
          causes: failed.map(({ cause }) => cause),
          wide: failed.map(({ isOfChannel }) => isOfChannel),
        });
  return [...recovered.map((each) => ({ ...each, state: 'working' as const })), ...changed];
}

/**
 * A test message arrived: the trouble of its receiver is over, and what concerns everyone. Without a link, a test of Slack goes to
 * the default channel. Returns the kinds of channels that work again.
 */
export async function recoverByTest(
  db: Db,
  { channelId, membershipId }: { readonly channelId: string; readonly membershipId: string },
): Promise<ChangedState[]> {
  return await queryRows<ChangedState>(
    db,
    `delete from channel_states s using notification_channels c
      where c.id = :channelId and s.channel_id = c.id
        and (s.receiver = :membershipId or (s.receiver = c.id and (
          s.cause = any(cast(:channelCauses as text[])) or c.kind not in (${PER_MEMBER})
          or (c.kind = 'slack' and not exists (select from slack_links l where l.membership_id = :membershipId)))))
      returning c.kind as channel, 'working' as state`,
    { channelId, membershipId, channelCauses: [...CHANNEL_CAUSES] },
  );
}

const STORED = `
  select s.channel_id, c.kind as channel, c.name as channel_name, s.state, s.since, s.cause
    from channel_states s
    join notification_channels c on c.id = s.channel_id and c.deleted_at is null
   where c.organization_id = :organizationId and s.receiver = s.channel_id`;

/** Of channels themselves, the oldest trouble first. */
export async function listChannelTroubles(
  db: Db,
  organizationId: string,
): Promise<StoredTrouble[]> {
  return await queryRows<StoredTrouble>(db, `${STORED} order by s.since, s.channel_id`, {
    organizationId,
  });
}

interface OfMembers {
  /** Only of this member. */
  readonly membershipId?: string;
  readonly limit: number;
}

/** Of members, the oldest trouble first. */
export async function listMemberTroubles(
  db: Db,
  organizationId: string,
  { membershipId, limit }: OfMembers,
): Promise<MemberTrouble[]> {
  return await queryRows<MemberTrouble>(
    db,
    `select s.channel_id, c.kind as channel, c.name as channel_name, s.state, s.since, s.cause,
            m.id as membership_id, u.display_name
       from channel_states s
       join notification_channels c on c.id = s.channel_id and c.deleted_at is null
       join memberships m on m.id = s.receiver and m.status = 'active'
       join users u on u.id = m.user_id
      where c.organization_id = :organizationId and (cast(:membershipId as uuid) is null or m.id = :membershipId)
      order by s.since, s.channel_id, m.id limit :limit`,
    { organizationId, membershipId: membershipId ?? null, limit },
  );
}

/** The member starts over on this kind of channel: with another account, browser or address. */
export async function forgetTrouble(
  db: Db,
  { membershipId, kind }: { readonly membershipId: string; readonly kind: ChannelKind },
): Promise<void> {
  await db.raw(
    `delete from channel_states s using notification_channels c
      where c.id = s.channel_id and c.kind = :kind and s.receiver = :membershipId`,
    { membershipId, kind },
  );
}

/**
 * Of these members and the members of these teams, those who have a channel that does not work, and none that does. By name.
 */
export async function findNotReached(
  db: Db,
  organizationId: string,
  asked: {
    readonly membershipIds: readonly string[];
    readonly teamIds: readonly string[];
  },
): Promise<Decider[]> {
  const broken = `select from channel_states s
     where s.channel_id = c.id and s.state = 'broken'
       and (s.receiver = m.id or (s.receiver = c.id and s.cause = any(cast(:channelCauses as text[]))))`;
  const channels = (condition: string): string => `exists (
    select from notification_channels c left join notification_settings w on w.membership_id = m.id
     where c.organization_id = m.organization_id and c.enabled and c.deleted_at is null and c.kind in (${PER_MEMBER})
       and ${wantsKind('w', 'c.kind')}
       and (c.kind <> 'push' or exists (select from push_subscriptions p where p.membership_id = m.id))
       and (c.kind <> 'slack' or exists (select from slack_links l where l.membership_id = m.id))
       and ${condition})`;
  return await queryRows<Decider>(
    db,
    `select m.id as membership_id, u.display_name
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.status = 'active'
        and (m.id = any(cast(:membershipIds as uuid[]))
          or m.id in (select membership_id from team_members where team_id = any(cast(:teamIds as uuid[]))))
        and ${channels(`exists (${broken})`)} and not ${channels(`not exists (${broken})`)}
      order by lower(u.display_name), m.id`,
    {
      organizationId,
      membershipIds: [...asked.membershipIds],
      teamIds: [...asked.teamIds],
      channelCauses: [...CHANNEL_CAUSES],
    },
  );
}
