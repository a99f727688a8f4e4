/**
 * The Slack workspace of an organization, which belongs to its notification channel of kind slack.
 */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import type { Db, Trx } from '../../../platform/postgres.ts';
import { type PreparedStatement, queryRow, runPrepared } from '../../../platform/rows.ts';

interface ConnectionRow extends Omit<SlackConnection, 'secrets'> {
  readonly sealed: Buffer;
  readonly keyId: string;
}

/** Only organizations and channels that are not deleted. */
const CONNECTIONS = `
  select s.organization_id, o.name as organization_name, o.require_mfa as requires_mfa,
         s.channel_id, s.team_id, s.team_name, s.bot_user_id, s.default_channel,
         s.secrets as sealed, s.secrets_key_id as key_id, s.connected_at, s.updated_at
    from slack_connections s
    join notification_channels c on c.id = s.channel_id and c.deleted_at is null
    join organizations o on o.id = s.organization_id and o.deleted_at is null`;

function toConnection({ sealed, keyId, ...row }: ConnectionRow): SlackConnection {
  return { ...row, secrets: { sealed, keyId } };
}

const OF_ORGANIZATIONS: PreparedStatement = {
  name: 'find-slack-connections',
  sql: `${CONNECTIONS} where s.organization_id = any(cast(:organizationIds as uuid[]))`,
};

/** By organization. */
export async function findSlackConnections(
  db: Db,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, SlackConnection>> {
  const rows = await runPrepared<ConnectionRow>(db, OF_ORGANIZATIONS, {
    organizationIds: [...new Set(organizationIds)],
  });
  return new Map(rows.map((row) => [row.organizationId, toConnection(row)]));
}

export async function findSlackConnection(
  db: Db,
  organizationId: string,
): Promise<SlackConnection | undefined> {
  return (await findSlackConnections(db, [organizationId])).get(organizationId);
}

/** Searches all organizations. */
export async function findSlackConnectionOfTeam(
  db: Db,
  teamId: string,
): Promise<SlackConnection | undefined> {
  const row = await queryRow<ConnectionRow>(db, `${CONNECTIONS} where s.team_id = :teamId`, {
    teamId,
  });
  return row && toConnection(row);
}

type NewSlackConnection = Pick<
  SlackConnection,
  'channelId' | 'teamId' | 'teamName' | 'botUserId' | 'defaultChannel' | 'secrets'
>;

/**
 * Needs its channel first. Violates `slack_connections_team_id_key` when another organization has
 * the workspace.
 */
export async function insertSlackConnection(
  trx: Trx,
  organizationId: string,
  connection: NewSlackConnection,
): Promise<void> {
  await trx.raw(
    `insert into slack_connections
            (channel_id, organization_id, team_id, team_name, bot_user_id, default_channel, secrets, secrets_key_id, connected_at, updated_at)
     select :channel_id, :organizationId, :team_id, :team_name, :bot_user_id, :default_channel, :secrets, :secrets_key_id, now, now
       from clock_timestamp() as now`,
    { channel_id: connection.channelId, organizationId, ...columnsOf(connection) },
  );
}

/** Changes secrets and default channel; the workspace stays the same. */
export async function updateSlackConnection(
  trx: Trx,
  organizationId: string,
  connection: NewSlackConnection,
): Promise<void> {
  await trx('slack_connections')
    .where({ organization_id: organizationId, channel_id: connection.channelId })
    .update({ ...columnsOf(connection), updated_at: trx.raw('clock_timestamp()') });
}

function columnsOf({ teamId, teamName, botUserId, defaultChannel, secrets }: NewSlackConnection) {
  return {
    team_id: teamId,
    team_name: teamName,
    bot_user_id: botUserId,
    default_channel: defaultChannel,
    secrets: secrets.sealed,
    secrets_key_id: secrets.keyId,
  };
}

/**
 * Deletes connections of deleted channels or organizations: those of this organization, and those
 * of this workspace.
 */
export async function deleteEndedSlackConnections(
  trx: Trx,
  { organizationId, teamId }: { readonly organizationId: string; readonly teamId: string },
): Promise<void> {
  await trx.raw(
    `delete from slack_connections s using notification_channels c, organizations o
      where (s.team_id = :teamId or s.organization_id = :organizationId) and c.id = s.channel_id and o.id = s.organization_id
        and (c.deleted_at is not null or o.deleted_at is not null)`,
    { organizationId, teamId },
  );
}
