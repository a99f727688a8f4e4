/** The Slack workspace of the organization. */
import { z } from 'zod';
import type { SlackConnection } from '../../../src/domain/notifications/slack/connections.ts';
import {
  connectSlack,
  disconnectSlack,
  readSlackConnection,
} from '../../../src/services/notifications/slack/connections.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { SLACK_COMMAND, unlinkMember } from '../../../src/services/notifications/slack/links.ts';
import { present } from '../../http/present.ts';
import { timestamp, uuid } from '../../http/schema.ts';

const TAG = 'Slack';

const connectionSchema = z
  .strictObject({
    channel_id: uuid('The notification channel of kind `slack`. Disable or test it there.'),
    team_id: z.string().meta({ description: 'The workspace.' }),
    team_name: z.string().meta({ description: 'Its name when it was connected.' }),
    bot_user_id: z.string().meta({ description: 'The bot user that sends the messages.' }),
    default_channel: z.string().nullable().meta({
      description: 'The Slack channel that also announces every request; null when none.',
    }),
    connected_at: timestamp('When the workspace was connected.'),
    updated_at: timestamp('When its terms were last changed.'),
  })
  .meta({
    id: 'SlackConnection',
    description: 'The Slack workspace of the organization. Responses never contain its secrets.',
  });

const linkedMemberSchema = z.strictObject({
  membership_id: uuid('The member.'),
  display_name: z.string().meta({ description: 'Their display name.' }),
  slack_user_id: z.string().meta({ description: 'Their Slack user.' }),
  linked_at: timestamp('When they linked it.'),
  messages_on: z.boolean().meta({ description: 'False: they turned Slack messages off.' }),
});

const unlinkedMemberSchema = z.strictObject({
  membership_id: uuid('The member.'),
  display_name: z.string().meta({ description: 'Their display name.' }),
});

/** What the sender needs, and the command with which people link themselves. */
const BOT_SCOPES = ['chat:write', 'im:write', 'commands'] as const;

const appSchema = z
  .strictObject({
    interactivity_url: z.string().meta({ description: 'Where Slack sends presses of buttons.' }),
    command: z.string().meta({ description: 'The slash command.' }),
    command_url: z.string().meta({ description: 'Where Slack sends the command.' }),
    bot_scopes: z.array(z.string()).meta({ description: 'The scopes of the bot.' }),
  })
  .meta({ description: 'What to enter in Slack when you make the Slack app.' });

const appExample = {
  interactivity_url: 'https://approvals.example.com/auth/slack/interactions',
  command: '/countersign',
  command_url: 'https://approvals.example.com/auth/slack/commands',
  bot_scopes: [...BOT_SCOPES],
};

const appAt = (publicUrl: string): z.input<typeof appSchema> => {
  const base = `${publicUrl.replace(/\/$/, '')}/auth/slack`;
  return {
    interactivity_url: `${base}/interactions`,
    command: SLACK_COMMAND,
    command_url: `${base}/commands`,
    bot_scopes: [...BOT_SCOPES],
  };
};

const connectionExample = {
  channel_id: '0199a3f4-2b7c-7d10-8a3e-5c6d7e8f9a0b',
  team_id: 'T0123ABCD',
  team_name: 'Example Works',
  bot_user_id: 'U0456EFGH',
  default_channel: 'C0789JKLM',
  connected_at: '2026-03-02T09:00:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
};

const presentConnection = (connection: SlackConnection) => present(connectionSchema, connection);

export const slackConnectionEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getSlackConnection',
    method: 'get',
    path: '/api/v1/slack',
    tag: TAG,
    summary: 'Get the connected Slack workspace',
    auth: 'member',
    permission: 'connection.read',
    success: {
      status: 200,
      description: 'The workspace.',
      body: z.strictObject({
        connection: connectionSchema
          .nullable()
          .meta({ description: 'The workspace; null when none is connected.' }),
        linked_members: z.array(linkedMemberSchema).meta({
          description: 'Who linked their Slack user, by name: the first 500.',
        }),
        linked_member_count: z.int().meta({ description: 'How many members did so in all.' }),
        unlinked_members: z.array(unlinkedMemberSchema).meta({
          description:
            'Active members who did not, by name: the first 500. None when no workspace is connected.',
        }),
        unlinked_member_count: z.int().meta({ description: 'How many they are in all.' }),
        configured: z.boolean().meta({
          description:
            'Whether this deployment can keep the secrets of Slack: it has `COUNTERSIGN_SECRETS_KEY`.',
        }),
        app: appSchema,
      }),
      example: {
        connection: connectionExample,
        linked_members: [
          {
            membership_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
            display_name: 'Ada Reyes',
            slack_user_id: 'U0123WXYZ',
            linked_at: '2026-03-02T09:10:00.000Z',
            messages_on: true,
          },
        ],
        linked_member_count: 1,
        unlinked_members: [
          { membership_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f71', display_name: 'Bo Lind' },
        ],
        unlinked_member_count: 1,
        configured: true,
        app: appExample,
      },
    },
    errors: [],
    handler: async ({ principal }, context) => {
      const read = await readSlackConnection(context, principal);
      return {
        body: {
          connection: read ? presentConnection(read.connection) : null,
          linked_members: (read?.links ?? []).map((link) => present(linkedMemberSchema, link)),
          linked_member_count: read?.linkCount ?? 0,
          unlinked_members: (read?.unlinked ?? []).map((member) =>
            present(unlinkedMemberSchema, member),
          ),
          unlinked_member_count: read?.unlinkedCount ?? 0,
          configured: context.secrets !== undefined,
          app: appAt(context.publicUrl()),
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'connectSlack',
    method: 'put',
    path: '/api/v1/slack',
    tag: TAG,
    summary: 'Connect a Slack workspace, or change its connection',
    description:
      'First create a Slack app with the scopes `chat:write`, `im:write` and `commands`, the interactivity URL `{COUNTERSIGN_PUBLIC_URL}/auth/slack/interactions` and the slash command `/countersign` at `{COUNTERSIGN_PUBLIC_URL}/auth/slack/commands`. Install it, then send its token and signing secret here. The service tests the token at once. An absent secret keeps its value. Another token, signing secret or workspace ends every link between members and Slack users, and tells the people by email. It needs an owner, or a member who holds everything the linked people hold: with the signing secret one can press buttons for them. Requires a recently authenticated session, with a second factor where the organization requires one.',
    auth: 'session',
    permission: 'connection.write',
    body: z.strictObject({
      bot_token: z
        .string()
        .regex(/^xoxb-[A-Za-z0-9-]{8,250}$/, {
          error: 'must be a bot token, which begins with xoxb-',
        })
        .optional()
        .meta({ description: 'The bot user’s OAuth token. It is stored encrypted.' }),
      signing_secret: z
        .string()
        .regex(/^[A-Za-z0-9]{16,128}$/, { error: 'must be a signing secret: letters and digits' })
        .optional()
        .meta({
          description: 'The secret with which Slack signs its calls. It is stored encrypted.',
        }),
      default_channel: z
        .string()
        .regex(/^[CG][A-Z0-9]{2,30}$/, { error: 'must be the id of a channel, such as C0789JKLM' })
        .nullable()
        .default(null)
        .meta({
          description:
            'Id of a Slack channel that the app was invited to. It announces each level of each request once, each later level of a team policy, and each request for a colleague’s help. This includes levels whose people cannot be reached.',
        }),
    }),
    requestExample: {
      bot_token: 'xoxb-example-0123456789',
      signing_secret: '0123456789abcdef0123456789abcdef',
      default_channel: 'C0789JKLM',
    },
    success: {
      status: 200,
      description: 'Connected.',
      body: connectionSchema,
      example: connectionExample,
    },
    errors: [
      'reauthentication_required',
      'mfa_required',
      'owner_required',
      'grant_exceeds_own',
      'slack_workspace_taken',
      'secrets_key_missing',
      'slack_failed',
    ],
    handler: async ({ principal, body }, context) => {
      const {
        bot_token: botToken,
        signing_secret: signingSecret,
        default_channel: defaultChannel,
      } = body;
      return {
        body: presentConnection(
          await connectSlack(context, principal, { botToken, signingSecret, defaultChannel }),
        ),
      };
    },
  }),
  defineEndpoint({
    operationId: 'disconnectSlack',
    method: 'delete',
    path: '/api/v1/slack',
    tag: TAG,
    summary: 'Disconnect Slack',
    description:
      'Also ends the links between members and Slack users, and tells the people by email. Sent messages stay, but their buttons stop working. Requires a recently authenticated session, with a second factor where the organization requires one.',
    auth: 'session',
    permission: 'connection.write',
    success: { status: 204, description: 'No workspace is connected.' },
    errors: ['reauthentication_required', 'mfa_required'],
    handler: async ({ principal }, context) => {
      await disconnectSlack(context, principal);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'unlinkSlackMember',
    method: 'delete',
    path: '/api/v1/slack/linked_members/{id}',
    tag: TAG,
    summary: 'End the link between a member and Slack',
    description:
      'Also ends a link code that was not used yet, and tells the member by email. They can link again. Requires a recently authenticated session, with a second factor where the organization requires one.',
    auth: 'session',
    permission: 'connection.write',
    params: z.strictObject({ id: uuid('The member: the id of their membership.') }),
    success: { status: 204, description: 'No Slack user is linked.' },
    errors: ['reauthentication_required', 'mfa_required', 'not_found'],
    handler: async ({ principal, params }, context) => {
      await unlinkMember(context, principal, params.id);
      return {};
    },
  }),
];
