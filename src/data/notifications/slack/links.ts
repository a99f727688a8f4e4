/** Links between members and Slack users, and the codes that create them. */
import type {
  ListedSlackLink,
  SlackLink,
  UnlinkedMember,
} from '../../../domain/notifications/slack/links.ts';
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import type { Db, Trx } from '../../../platform/postgres.ts';
import {
  type PreparedStatement,
  queryOne,
  queryRow,
  queryRows,
  runPrepared,
} from '../../../platform/rows.ts';
import { MEMBER_COLUMNS, type MemberWithPolicies } from '../../people/memberships.ts';

/** Only through a connection that is not deleted. */
const LINKS = `
  select l.membership_id, l.slack_user_id, l.direct_channel, l.linked_at
    from slack_links l
    join slack_connections s on s.channel_id = l.channel_id
    join notification_channels c on c.id = s.channel_id and c.deleted_at is null`;

const OF_MEMBERS: PreparedStatement = {
  name: 'find-slack-links',
  sql: `${LINKS}
    join unnest(cast(:organizationIds as uuid[]), cast(:membershipIds as uuid[])) as w (organization_id, membership_id)
      on w.organization_id = s.organization_id and w.membership_id = l.membership_id`,
};

export interface LinkedMember {
  readonly organizationId: string;
  readonly membershipId: string;
}

/** By membership. */
export async function findSlackLinks(
  db: Db,
  members: readonly LinkedMember[],
): Promise<ReadonlyMap<string, SlackLink>> {
  const rows = await runPrepared<SlackLink>(db, OF_MEMBERS, {
    organizationIds: members.map(({ organizationId }) => organizationId),
    membershipIds: members.map(({ membershipId }) => membershipId),
  });
  return new Map(rows.map((row) => [row.membershipId, row]));
}

export async function findSlackLink(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<SlackLink | undefined> {
  return (await findSlackLinks(db, [{ organizationId, membershipId }])).get(membershipId);
}

export async function findSlackLinkOfUser(
  db: Db,
  organizationId: string,
  slackUserId: string,
): Promise<SlackLink | undefined> {
  return await queryRow<SlackLink>(
    db,
    `${LINKS} where s.organization_id = :organizationId and l.slack_user_id = :slackUserId`,
    {
      organizationId,
      slackUserId,
    },
  );
}

/** Replaces the member's code, and purges some expired codes. Returns when the code expires. */
export async function putSlackLinkCode(
  db: Db,
  {
    membershipId,
    channelId,
    codeHash,
    minutes,
  }: { membershipId: string; channelId: string; codeHash: Buffer; minutes: number },
): Promise<Date> {
  const row = await queryOne<{ expiresAt: Date }>(
    db,
    `with purged as (
       delete from slack_link_codes where membership_id in (
         select membership_id from slack_link_codes where expires_at < statement_timestamp() and membership_id <> :membershipId
          order by expires_at limit 10 for update skip locked)
     )
     insert into slack_link_codes (membership_id, channel_id, code_hash, expires_at)
     values (:membershipId, :channelId, :codeHash, clock_timestamp() + cast(:minutes as integer) * interval '1 minute')
     on conflict (membership_id) do update
        set channel_id = excluded.channel_id, code_hash = excluded.code_hash, expires_at = excluded.expires_at
     returning expires_at`,
    { membershipId, channelId, codeHash, minutes },
  );
  return row.expiresAt;
}

/** Uses up the code. Returns its member; undefined when the code is unknown or expired. */
export async function takeSlackLinkCode(
  trx: Trx,
  channelId: string,
  codeHash: Buffer,
): Promise<string | undefined> {
  const taken = (await trx('slack_link_codes')
    .where({ channel_id: channelId, code_hash: codeHash })
    .andWhere('expires_at', '>', trx.raw('clock_timestamp()'))
    .delete('membership_id')) as { membership_id: string }[];
  return taken[0]?.membership_id;
}

/**
 * Replaces the member's link. Violates `slack_links_user_key` when the Slack user belongs to
 * another member.
 */
export async function putSlackLink(
  trx: Trx,
  {
    membershipId,
    channelId,
    slackUserId,
  }: { membershipId: string; channelId: string; slackUserId: string },
): Promise<void> {
  await trx.raw(
    `insert into slack_links (membership_id, channel_id, slack_user_id, linked_at)
     values (:membershipId, :channelId, :slackUserId, clock_timestamp())
     on conflict (membership_id) do update
        set channel_id = excluded.channel_id, slack_user_id = excluded.slack_user_id, direct_channel = null, linked_at = excluded.linked_at`,
    { membershipId, channelId, slackUserId },
  );
}

/** Also deletes a link code. Returns the Slack user; undefined when there was no link. */
export async function deleteSlackLink(trx: Trx, membershipId: string): Promise<string | undefined> {
  await trx('slack_link_codes').where({ membership_id: membershipId }).delete();
  const deleted = (await trx('slack_links')
    .where({ membership_id: membershipId })
    .delete('slack_user_id')) as { slack_user_id: string }[];
  return deleted[0]?.slack_user_id;
}

/** Stores the conversation, unless the member has linked another Slack user meanwhile. */
export async function setDirectChannel(
  db: Db,
  { membershipId, slackUserId }: SlackLink,
  directChannel: string,
): Promise<void> {
  await db('slack_links')
    .where({ membership_id: membershipId, slack_user_id: slackUserId })
    .update({ direct_channel: directChannel });
}

/** A linked person with what they may do. */
export interface LinkedPerson extends MemberWithPolicies {
  readonly slackUserId: string;
}

/** The people linked to the workspace of a channel, inactive ones too. */
export async function listLinkedPeople(
  trx: Trx,
  organizationId: string,
  channelId: string,
): Promise<LinkedPerson[]> {
  return await queryRows<LinkedPerson>(
    trx,
    `select l.slack_user_id, ${MEMBER_COLUMNS}
       from slack_links l
       join memberships m on m.id = l.membership_id
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where l.channel_id = :channelId and m.organization_id = :organizationId
      order by m.id`,
    { organizationId, channelId },
  );
}

/** The links of a workspace by the names of their members, and how many there are in all. */
export async function listSlackLinks(
  db: Db,
  channelId: string,
  limit: number,
): Promise<{ readonly links: readonly ListedSlackLink[]; readonly count: number }> {
  const rows = await queryRows<ListedSlackLink & { readonly count: number }>(
    db,
    `select l.membership_id, u.display_name, l.slack_user_id, l.linked_at, coalesce(w.slack, true) as messages_on,
            cast(count(*) over () as integer) as count
       from slack_links l
       join memberships m on m.id = l.membership_id
       join users u on u.id = m.user_id
       left join notification_settings w on w.membership_id = m.id
      where l.channel_id = :channelId
      order by u.display_name, l.membership_id limit :limit`,
    { channelId, limit },
  );
  return { links: rows, count: rows[0]?.count ?? 0 };
}

/** The active members without a link by their names, and how many there are in all. */
export async function listUnlinkedMembers(
  db: Db,
  { organizationId, channelId }: Pick<SlackConnection, 'organizationId' | 'channelId'>,
  limit: number,
): Promise<{ readonly members: readonly UnlinkedMember[]; readonly count: number }> {
  const rows = await queryRows<UnlinkedMember & { readonly count: number }>(
    db,
    `select m.id as membership_id, u.display_name, cast(count(*) over () as integer) as count
       from memberships m
       join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.status = 'active'
        and not exists (select 1 from slack_links l where l.membership_id = m.id and l.channel_id = :channelId)
      order by u.display_name, m.id limit :limit`,
    { organizationId, channelId, limit },
  );
  return { members: rows, count: rows[0]?.count ?? 0 };
}

/** Also deletes link codes, and presses of buttons that were not handled yet. */
export async function deleteSlackLinksOf(trx: Trx, channelId: string): Promise<void> {
  await trx('slack_presses').where({ channel_id: channelId }).whereNotNull('due_at').delete();
  await trx('slack_link_codes').where({ channel_id: channelId }).delete();
  await trx('slack_links').where({ channel_id: channelId }).delete();
}
