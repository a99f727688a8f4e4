/**
 * An organization's connection to a Slack workspace. Its messages use a notification channel of
 * kind slack.
 */
import type { SlackConnection } from '../../../domain/notifications/slack/connections.ts';
import type { ListedSlackLink, UnlinkedMember } from '../../../domain/notifications/slack/links.ts';
import { v7 } from 'uuid';
import { insertAuditEvents } from '../../../data/audit/events.ts';
import { deleteChannel, insertChannel } from '../../../data/notifications/notification-channels.ts';
import {
  findSlackConnection,
  deleteEndedSlackConnections,
  insertSlackConnection,
  updateSlackConnection,
} from '../../../data/notifications/slack/connections.ts';
import { listSlackLinks, listUnlinkedMembers } from '../../../data/notifications/slack/links.ts';
import { actorOf } from '../../../domain/audit/events.ts';
import type { MemberPrincipal } from '../../../domain/people/authorization.ts';
import { AppError, invalid } from '../../../domain/errors.ts';
import { requireMayChangeAnchor } from '../../../domain/people/trust-anchors.ts';
import { violatedConstraint, type Trx } from '../../../platform/postgres.ts';
import { ORG_WIDE_TOKEN, SlackError, type SlackIdentity } from '../../../platform/slack.ts';
import type { MessageContext, MessagePorts, Runtime } from '../../context.ts';
import { lockAccessAndRereadMember } from '../../access/current-callers.ts';
import { endSlackLinks, rightsOfLinked } from './ended-links.ts';
import { openSlackSecrets, sealSlackSecrets, type SlackSecrets } from './secrets.ts';

/** More people than this are only counted. */
const MOST_LINKS = 500;

export interface LinkedConnection {
  readonly connection: SlackConnection;
  readonly links: readonly ListedSlackLink[];
  readonly linkCount: number;
  readonly unlinked: readonly UnlinkedMember[];
  readonly unlinkedCount: number;
}

export async function readSlackConnection(
  { db }: MessageContext,
  { organizationId }: MemberPrincipal,
): Promise<LinkedConnection | undefined> {
  const connection = await findSlackConnection(db, organizationId);
  if (!connection) return undefined;
  const [{ links, count }, unlinked] = await Promise.all([
    listSlackLinks(db, connection.channelId, MOST_LINKS),
    listUnlinkedMembers(db, connection, MOST_LINKS),
  ]);
  return {
    ...{ connection, links, linkCount: count },
    ...{ unlinked: unlinked.members, unlinkedCount: unlinked.count },
  };
}

export interface SlackTerms {
  /** Unchanged when absent. */
  readonly botToken?: string | undefined;
  /** Unchanged when absent. */
  readonly signingSecret?: string | undefined;
  readonly defaultChannel: string | null;
}

/** For a change that keeps the stored secrets, while others replace them. */
const TRIES = 5;

/**
 * Connects the workspace of the token: replaces another workspace, or changes the connection of the
 * same one. Another secret, token or workspace ends every link, and needs all rights of the linked
 * people: anyone who knows the signing secret can press buttons for them. Throws 403 as
 * `requireMayChangeAnchor`, and 400 for a token that Slack does not know or a missing secret. Throws
 * 409 `slack_workspace_taken`, 501 `secrets_key_missing`, 504 `slack_failed`.
 */
export async function connectSlack(
  context: MessageContext,
  principal: MemberPrincipal,
  terms: SlackTerms,
): Promise<SlackConnection> {
  requireMayChangeAnchor(principal, 'slack_connection');
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await findSlackConnection(context.db, principal.organizationId);
    const connection = await connectAfter(context, principal, { terms, before });
    if (connection) return connection;
  }
  throw new AppError('dependency_unavailable');
}

interface Change {
  readonly terms: SlackTerms;
  /** Its secrets fill in for those the terms omit. */
  readonly before: SlackConnection | undefined;
}

/** Returns undefined, without a change, when the secrets to keep were replaced in the meantime. */
async function connectAfter(
  context: MessageContext,
  principal: MemberPrincipal,
  { terms, before }: Change,
): Promise<SlackConnection | undefined> {
  const { organizationId } = principal;
  const secrets = wantedSecrets(terms, before && openSlackSecrets(context, before));
  // Checks that there is a key before a secret goes to Slack. The result is not stored.
  sealSlackSecrets(context, organizationId, secrets);
  const identity = await identify(context, secrets.botToken);
  return await context.db
    .transaction(async (trx) => {
      const caller = await lockAccessAndRereadMember(trx, principal, {
        permission: 'connection.write',
      });
      requireMayChangeAnchor(caller, 'slack_connection');
      const current = await findSlackConnection(trx, organizationId);
      if (!isWhole(terms) && !haveSameSecrets(before, current)) return undefined;
      const { defaultChannel } = terms;
      const wanted = { caller, current, identity, secrets, defaultChannel };
      await endLinksIfChanged(trx, context, wanted);
      await save(trx, context, wanted);
      return await findSlackConnection(trx, organizationId);
    })
    .catch((error: unknown) => {
      if (violatedConstraint(error) === 'slack_connections_team_id_key')
        throw new AppError('slack_workspace_taken');
      throw error;
    });
}

/** Anyone who knows the secrets of the workspace speaks for the people who are linked. */
async function endLinksIfChanged(
  trx: Trx,
  context: MessageContext,
  { caller, current, identity, secrets }: Wanted,
): Promise<void> {
  if (!current) return;
  const { channelId, teamId } = current;
  const before = openSlackSecrets(context, current);
  const isSame =
    teamId === identity.teamId &&
    before.botToken === secrets.botToken &&
    before.signingSecret === secrets.signingSecret;
  if (isSame) return;
  const speaksFor = await rightsOfLinked(trx, caller.organizationId, channelId);
  requireMayChangeAnchor(caller, 'slack_connection', speaksFor);
  await endSlackLinks(trx, context, { caller, channelId });
}

const isWhole = ({ botToken, signingSecret }: SlackTerms): boolean =>
  botToken !== undefined && signingSecret !== undefined;

/** Sealing is randomized: equal sealed bytes mean that the secrets were not saved again. */
function haveSameSecrets(
  one: SlackConnection | undefined,
  other: SlackConnection | undefined,
): boolean {
  return (
    one?.channelId === other?.channelId &&
    (one === undefined || other?.secrets.sealed.equals(one.secrets.sealed) === true)
  );
}

function wantedSecrets(
  { botToken, signingSecret }: SlackTerms,
  before: SlackSecrets | undefined,
): SlackSecrets {
  const wanted = {
    botToken: botToken ?? before?.botToken,
    signingSecret: signingSecret ?? before?.signingSecret,
  };
  const missing = [
    ...(wanted.botToken === undefined ? ['/bot_token'] : []),
    ...(wanted.signingSecret === undefined ? ['/signing_secret'] : []),
  ];
  if (wanted.botToken === undefined || wanted.signingSecret === undefined) {
    throw invalid(
      missing.map((pointer) => ({
        pointer,
        code: 'required',
        message: 'is required to connect a workspace',
      })),
    );
  }
  return { botToken: wanted.botToken, signingSecret: wanted.signingSecret };
}

async function identify(
  { slack, logger }: Runtime & MessagePorts,
  botToken: string,
): Promise<SlackIdentity> {
  try {
    return await slack.identify(botToken);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    if (error.failure === 'refused') {
      throw invalid([
        {
          pointer: '/bot_token',
          code: 'invalid_value',
          message: refusalText(error),
        },
      ]);
    }
    const { reason, errorCause } = error;
    logger.warn({ reason, errorCause }, 'Slack did not say whose token this is');
    throw new AppError('slack_failed', { cause: error });
  }
}

const refusalText = ({ reason }: SlackError): string =>
  reason === ORG_WIDE_TOKEN
    ? 'is for a whole Slack organization: install the app in one workspace, and use the bot token of that workspace'
    : `is refused by Slack (${reason})`;

interface Wanted {
  readonly caller: MemberPrincipal;
  readonly current: SlackConnection | undefined;
  readonly identity: SlackIdentity;
  readonly secrets: SlackSecrets;
  readonly defaultChannel: string | null;
}

async function save(
  trx: Trx,
  runtime: Runtime,
  { caller, current, identity, secrets, defaultChannel }: Wanted,
): Promise<void> {
  const { organizationId } = caller;
  const same = current?.teamId === identity.teamId;
  const channelId = current && same ? current.channelId : v7();
  const connection = {
    channelId,
    ...identity,
    defaultChannel,
    secrets: sealSlackSecrets(runtime, channelId, secrets),
  };
  if (current && same) {
    await updateSlackConnection(trx, organizationId, connection);
    await record(trx, caller, { verb: 'changed', connection });
    return;
  }
  await deleteEndedSlackConnections(trx, { organizationId, teamId: identity.teamId });
  if (current) await disconnect(trx, caller, current);
  await insertChannel(trx, organizationId, { id: channelId, kind: 'slack', name: 'Slack' });
  await insertSlackConnection(trx, organizationId, connection);
  await record(trx, caller, { verb: 'connected', connection });
}

/**
 * Ends the connection and all links to it; does nothing without one. That takes trust away, so it
 * needs no more rights than `connection.write`. Throws 403 as `requireMayChangeAnchor`.
 */
export async function disconnectSlack(
  context: MessageContext,
  principal: MemberPrincipal,
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'connection.write',
    });
    requireMayChangeAnchor(caller, 'slack_connection');
    const connection = await findSlackConnection(trx, caller.organizationId);
    if (!connection) return;
    await endSlackLinks(trx, context, { caller, channelId: connection.channelId });
    await disconnect(trx, caller, connection);
  });
}

async function disconnect(
  trx: Trx,
  caller: MemberPrincipal,
  connection: SlackConnection,
): Promise<void> {
  await deleteChannel(trx, caller.organizationId, connection.channelId);
  await record(trx, caller, { verb: 'disconnected', connection });
}

interface Recorded {
  readonly verb: 'connected' | 'changed' | 'disconnected';
  readonly connection: Pick<
    SlackConnection,
    'channelId' | 'teamId' | 'teamName' | 'defaultChannel'
  >;
}

async function record(
  trx: Trx,
  caller: MemberPrincipal,
  { verb, connection }: Recorded,
): Promise<void> {
  const { channelId, teamId, teamName, defaultChannel } = connection;
  const data = {
    team_id: teamId,
    team_name: teamName,
    ...(defaultChannel !== null && { default_channel: defaultChannel }),
  };
  await insertAuditEvents(trx, caller.organizationId, {
    events: [
      { eventType: `slack_connection.${verb}`, actor: actorOf(caller), subjectId: channelId, data },
    ],
  });
}
