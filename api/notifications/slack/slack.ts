/** Slack: the connected workspace, links between members and Slack users, and Slack's calls to us. */
import type { SlackConnection } from '../../../src/domain/notifications/slack/connections.ts';
import { z } from 'zod';
import {
  handleSlackCommand,
  handleSlackInteraction,
} from '../../../src/services/notifications/slack/calls.ts';
import {
  connectSlack,
  disconnectSlack,
  readSlackConnection,
} from '../../../src/services/notifications/slack/connections.ts';
import {
  beginSlackLink,
  readOwnSlack,
  removeOwnSlackLink,
  SLACK_COMMAND,
  type OwnSlack,
} from '../../../src/services/notifications/slack/links.ts';
import { present } from '../../http/present.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint, type SignedForm } from '../../http/endpoint.ts';
import { nullableTimestamp, timestamp, uuid } from '../../http/schema.ts';

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
    description: 'The Slack workspace of the organization. Answers never contain its secrets.',
  });

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

const connectionEndpoints: readonly Endpoint[] = [
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
      }),
      example: { connection: connectionExample },
    },
    errors: [],
    handler: async ({ principal }, context) => {
      const connection = await readSlackConnection(context, principal);
      return { body: { connection: connection ? presentConnection(connection) : null } };
    },
  }),
  defineEndpoint({
    operationId: 'connectSlack',
    method: 'put',
    path: '/api/v1/slack',
    tag: TAG,
    summary: 'Connect a Slack workspace, or change its connection',
    description:
      'First create a Slack app with the scopes `chat:write`, `im:write` and `commands`, the interactivity URL `{COUNTERSIGN_PUBLIC_URL}/auth/slack/interactions` and the slash command `/countersign` at `{COUNTERSIGN_PUBLIC_URL}/auth/slack/commands`. Install it, then send its token and signing secret here. The service tests the token at once. An absent secret keeps its value. A token of another workspace removes the links of the previous one. Requires a recently authenticated session, with a second factor where the organization requires one.',
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
      'Also ends the links between members and Slack users. Sent messages stay, but their buttons stop working. Requires a recently authenticated session, with a second factor where the organization requires one.',
    auth: 'session',
    permission: 'connection.write',
    success: { status: 204, description: 'No workspace is connected.' },
    errors: ['reauthentication_required', 'mfa_required'],
    handler: async ({ principal }, context) => {
      await disconnectSlack(context, principal);
      return {};
    },
  }),
];

const ownSchema = z
  .strictObject({
    team_name: z
      .string()
      .nullable()
      .meta({ description: 'The workspace of the organization; null when none is connected.' }),
    slack_user_id: z
      .string()
      .nullable()
      .meta({ description: 'The linked Slack user; null when none is linked.' }),
    linked_at: nullableTimestamp('When the Slack user was linked; null when none is linked.'),
  })
  .meta({ id: 'OwnSlack', description: "The caller's link with a Slack user." });

function presentOwn({ connection, link }: OwnSlack): z.input<typeof ownSchema> {
  return {
    team_name: connection?.teamName ?? null,
    slack_user_id: link?.slackUserId ?? null,
    linked_at: link?.linkedAt ?? null,
  };
}

const linkEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMySlack',
    method: 'get',
    path: '/api/v1/me/slack',
    tag: 'Account',
    summary: 'Get your link with Slack',
    auth: 'member',
    success: {
      status: 200,
      description: 'The link.',
      body: ownSchema,
      example: {
        team_name: 'Example Works',
        slack_user_id: 'U0123WXYZ',
        linked_at: '2026-03-02T09:10:00.000Z',
      },
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: presentOwn(await readOwnSlack(context, principal)),
    }),
  }),
  defineEndpoint({
    operationId: 'beginMySlackLink',
    method: 'post',
    path: '/api/v1/me/slack/link',
    tag: 'Account',
    summary: 'Start to link your Slack user',
    description:
      'Type the returned command in Slack within ten minutes. The Slack user who types it is linked to you and replaces one linked before. The code works once, and a new code ends it. Requires a recently authenticated session, with a second factor where the organization requires one.',
    auth: 'session',
    success: {
      status: 201,
      description: 'The command to type in Slack.',
      body: z.strictObject({
        code: z.string().meta({ description: 'The code. Shown only once.' }),
        command: z.string().meta({ description: 'The complete command.' }),
        expires_at: timestamp('When the code ends.'),
      }),
      example: {
        code: '7KQ2-M3XA-9R0D-ZB5T',
        command: '/countersign link 7KQ2-M3XA-9R0D-ZB5T',
        expires_at: '2026-03-02T09:20:00.000Z',
      },
    },
    errors: ['reauthentication_required', 'mfa_required', 'slack_not_connected'],
    handler: async ({ principal }, context) => {
      const { code, expiresAt } = await beginSlackLink(context, principal);
      return { body: { code, command: `${SLACK_COMMAND} link ${code}`, expires_at: expiresAt } };
    },
  }),
  defineEndpoint({
    operationId: 'removeMySlackLink',
    method: 'delete',
    path: '/api/v1/me/slack',
    tag: 'Account',
    summary: 'Remove your link with Slack',
    description:
      'Also ends a link code that was not used yet. `/countersign unlink` in Slack does the same.',
    auth: 'member',
    success: { status: 204, description: 'No Slack user is linked.' },
    errors: [],
    handler: async ({ principal }, context) => {
      await removeOwnSlackLink(context, principal);
      return {};
    },
  }),
];

const SIGNATURE = 'x-slack-signature';
const TIMESTAMP = 'x-slack-request-timestamp';
const signedHeaders = [SIGNATURE, TIMESTAMP] as const;

const signedCall = ({ text, headers }: SignedForm) => ({
  body: text,
  signature: headers[SIGNATURE] ?? '',
  timestamp: headers[TIMESTAMP] ?? '',
});

const FROM_SLACK =
  'Only for Slack. Answers 401 unless the call is signed with the workspace’s signing secret and at most five minutes old. A repeated call is refused.';

const callEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'handleSlackInteraction',
    method: 'post',
    path: '/auth/slack/interactions',
    tag: TAG,
    summary: 'Receive a button click from Slack',
    description: `${FROM_SLACK} A click on Approve or Deny decides as the linked member, with channel \`slack\` and one factor. Where the organization requires a second factor, messages have no such buttons, and a click on an older one links to the browser. Users of other workspaces are refused. The user gets the result in Slack.`,
    auth: 'none',
    bodyLimit: BODY_BYTES.slack,
    signedForm: {
      headers: signedHeaders,
      fields: z.looseObject({
        payload: z.string().meta({ description: 'The interaction, as JSON.' }),
      }),
    },
    requestExample: {
      payload:
        '{"type":"block_actions","team":{"id":"T0123ABCD"},"user":{"id":"U0123WXYZ"},"actions":[]}',
    },
    success: { status: 200, description: 'Received.' },
    errors: ['authentication_required', 'secrets_key_missing'],
    handler: async ({ signedForm }, context) => {
      await handleSlackInteraction(context, signedCall(signedForm));
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'handleSlackCommand',
    method: 'post',
    path: '/auth/slack/commands',
    tag: TAG,
    summary: 'Receive a slash command from Slack',
    description: `${FROM_SLACK} \`/countersign link CODE\` links the Slack user with the member who requested the code. \`/countersign unlink\` removes the link.`,
    auth: 'none',
    bodyLimit: BODY_BYTES.slack,
    signedForm: {
      headers: signedHeaders,
      fields: z.looseObject({
        team_id: z.string().meta({ description: 'The workspace.' }),
        user_id: z.string().meta({ description: 'The Slack user.' }),
        text: z.string().optional().meta({ description: 'The text after the command.' }),
      }),
    },
    requestExample: {
      team_id: 'T0123ABCD',
      user_id: 'U0123WXYZ',
      text: 'link 7KQ2-M3XA-9R0D-ZB5T',
    },
    success: {
      status: 200,
      description: 'An ephemeral answer to the user.',
      body: z.strictObject({
        response_type: z
          .literal('ephemeral')
          .meta({ description: 'Only this user sees the answer.' }),
        text: z.string().meta({ description: 'The text, in Slack’s markup.' }),
      }),
      example: { response_type: 'ephemeral', text: 'Your Slack account is no longer linked.' },
    },
    errors: ['authentication_required', 'secrets_key_missing'],
    handler: async ({ signedForm }, context) => ({
      body: {
        response_type: 'ephemeral',
        text: await handleSlackCommand(context, signedCall(signedForm)),
      },
    }),
  }),
];

export const slackEndpoints: readonly Endpoint[] = [
  ...connectionEndpoints,
  ...linkEndpoints,
  ...callEndpoints,
];
