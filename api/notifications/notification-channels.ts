/** Where the messages of an organization go. */
import { z } from 'zod';
import {
  changeNotificationChannel,
  createWebhookChannel,
  deleteNotificationChannel,
  getNotificationChannel,
  listNotificationChannels,
  rotateChannelSecret,
  testNotificationChannel,
  type NotificationChannel,
} from '../../src/services/notifications/notification-channels.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  cursorQuery,
  label,
  limitQuery,
  nextCursor,
  outgoingUrl,
  timestamp,
  uuid,
} from '../http/schema.ts';

const TAG = 'Notifications';
const PATH = '/api/v1/notification_channels';
const PROOF = ['mfa_required', 'reauthentication_required'] as const;

const channelParams = z.strictObject({ id: uuid('Id of the channel.') });

const channelSchema = z
  .strictObject({
    id: uuid('The channel.'),
    kind: z.enum(['email', 'webhook', 'slack']).meta({
      description:
        '`email` every organization has; a `webhook` is created here; `slack` comes with connecting a workspace.',
    }),
    name: z.string().meta({ description: 'Its name.' }),
    enabled: z.boolean().meta({ description: 'False: nothing is sent over it.' }),
    url: z.string().optional().meta({ description: 'Where a webhook is posted to.' }),
    include_arguments: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a webhook carries the arguments of the tool call.' }),
    secret_rotated_at: timestamp('Since when the signing secret of a webhook counts.').optional(),
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When its name, its URL or what is sent over it was changed last.'),
  })
  .meta({
    id: 'NotificationChannel',
    description: 'A way by which the messages of the organization go.',
  });

const emailExample = {
  id: '0198f3a2-7a10-7d3e-8f10-1a2b3c4d5e6f',
  kind: 'email',
  name: 'Email',
  enabled: true,
  created_at: '2026-03-02T09:15:00.000Z',
  updated_at: '2026-03-02T09:15:00.000Z',
};

const webhookExample = {
  id: '0198f3a2-7b20-7a10-8c44-2b3c4d5e6f70',
  kind: 'webhook',
  name: 'Incident bot',
  enabled: true,
  url: 'https://hooks.example.com/countersign',
  include_arguments: false,
  secret_rotated_at: '2026-03-03T10:00:00.000Z',
  created_at: '2026-03-03T10:00:00.000Z',
  updated_at: '2026-03-03T10:00:00.000Z',
};

const secretText = () =>
  z.string().meta({
    description: 'Key of the signatures, `whsec_` and 32 bytes in base64. Shown this once.',
  });
const secretExample = 'whsec_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=';

function presentChannel({ webhook, ...channel }: NotificationChannel) {
  return {
    id: channel.id,
    kind: channel.kind,
    name: channel.name,
    enabled: channel.enabled,
    url: webhook?.url,
    include_arguments: webhook?.includeArguments,
    secret_rotated_at: webhook?.secretRotatedAt,
    created_at: channel.createdAt,
    updated_at: channel.updatedAt,
  };
}

const channelAlone = z.strictObject({ notification_channel: channelSchema });
const channelName = () => label('A name for people.', 100);
const webhookUrl = () =>
  outgoingUrl(
    'An https URL on the public internet, without credentials and fragment, white space and backslashes; kept in the form it is called ' +
      'in. It is checked now and at every call: names that lead to private or special addresses are refused, redirects are not followed.',
  );
const includeArguments = () =>
  z.boolean().meta({
    description: 'True sends the arguments of the tool call along, exactly as the agent sent them.',
  });

export const notificationChannelEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listNotificationChannels',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'List notification channels',
    description: 'Oldest first.',
    auth: 'member',
    permission: 'connection.read',
    query: z.strictObject({ limit: limitQuery(50), cursor: cursorQuery() }),
    success: {
      status: 200,
      description: 'One page of channels.',
      body: z.strictObject({
        notification_channels: z
          .array(channelSchema)
          .meta({ description: 'The channels of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: { notification_channels: [emailExample, webhookExample] },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const keys = z.tuple([z.literal('notification_channels'), z.iso.datetime(), z.uuid()]);
      const [, createdAt, id] = decodeCursor(query.cursor, keys) ?? [];
      const after = createdAt && id ? { createdAt: new Date(createdAt), id } : undefined;
      const { channels, next } = await listNotificationChannels(context, principal, {
        limit: query.limit,
        after,
      });
      const cursor =
        next && encodeCursor(['notification_channels', next.createdAt.toISOString(), next.id]);
      return { body: { notification_channels: channels.map(presentChannel), next_cursor: cursor } };
    },
  }),
  defineEndpoint({
    operationId: 'createNotificationChannel',
    method: 'post',
    path: PATH,
    tag: TAG,
    summary: 'Create a webhook channel',
    description:
      'From now on a signed POST goes to the URL for each member a request asks (`approval_request.notified`) and, once one of these was ' +
      'tried, for the final answer (`approval_request.decided`). When a level is reached there is one for each member, however many of its ' +
      'targets name him; asked again by a later level of a team’s policy, or in a later run, there is another. ' +
      'Every attempt bears `Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` and the ' +
      'headers of Standard Webhooks; the key is what follows `whsec_`, decoded from base64. `webhook-id` is the same over all attempts. ' +
      'Any 2xx within 10 seconds counts as delivered; otherwise it is tried 12 times over some hours. ' +
      'Email is there from the beginning, and Slack comes with connecting it.',
    auth: 'session',
    permission: 'connection.write',
    body: z.strictObject({
      kind: z.literal('webhook').meta({ description: 'Only webhooks are created here.' }),
      name: channelName(),
      url: webhookUrl(),
      include_arguments: includeArguments().default(false),
      enabled: z.boolean().default(true).meta({ description: 'False: nothing is sent yet.' }),
    }),
    requestExample: {
      kind: 'webhook',
      name: 'Incident bot',
      url: 'https://hooks.example.com/countersign',
    },
    success: {
      status: 201,
      description: 'The channel and, this once, its signing secret.',
      body: channelAlone.extend({ signing_secret: secretText() }),
      example: { notification_channel: webhookExample, signing_secret: secretExample },
    },
    errors: [...PROOF, 'egress_denied', 'secrets_key_missing'],
    handler: async ({ principal, body: { name, enabled, url, include_arguments } }, context) => {
      const wanted = { name, enabled, url, includeArguments: include_arguments };
      const { channel, signingSecret } = await createWebhookChannel(context, principal, wanted);
      return {
        body: { notification_channel: presentChannel(channel), signing_secret: signingSecret },
      };
    },
  }),
  defineEndpoint({
    operationId: 'getNotificationChannel',
    method: 'get',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Get a notification channel',
    auth: 'member',
    permission: 'connection.read',
    params: channelParams,
    success: {
      status: 200,
      description: 'The channel.',
      body: channelAlone,
      example: { notification_channel: webhookExample },
    },
    errors: [],
    handler: async ({ principal, params }, context) => ({
      body: {
        notification_channel: presentChannel(
          await getNotificationChannel(context, principal, params.id),
        ),
      },
    }),
  }),
  defineEndpoint({
    operationId: 'updateNotificationChannel',
    method: 'patch',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Change a notification channel',
    description:
      'What the body leaves out stays, and the signing secret always does. Switched off, nothing new is sent over the channel, and what waits is dropped.',
    auth: 'session',
    permission: 'connection.write',
    params: channelParams,
    body: z.strictObject({
      name: channelName().optional(),
      enabled: z.boolean().optional().meta({ description: 'False: nothing is sent over it.' }),
      url: webhookUrl().optional(),
      include_arguments: includeArguments().optional(),
    }),
    requestExample: { enabled: false },
    success: {
      status: 200,
      description: 'The channel, changed.',
      body: channelAlone,
      example: { notification_channel: { ...webhookExample, enabled: false } },
    },
    errors: [...PROOF, 'egress_denied'],
    handler: async (
      { principal, params: { id }, body: { name, enabled, url, include_arguments } },
      context,
    ) => {
      const change = { id, name, enabled, url, includeArguments: include_arguments };
      return {
        body: {
          notification_channel: presentChannel(
            await changeNotificationChannel(context, principal, change),
          ),
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'deleteNotificationChannel',
    method: 'delete',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Delete a notification channel',
    description:
      'For good, with its secret; messages that wait are dropped. Deleting the channel of Slack ends the connection. Email stays.',
    auth: 'session',
    permission: 'connection.write',
    params: channelParams,
    success: { status: 204, description: 'Deleted.' },
    errors: [...PROOF, 'channel_built_in'],
    handler: async ({ principal, params }, context) => {
      await deleteNotificationChannel(context, principal, params.id);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'testNotificationChannel',
    method: 'post',
    path: `${PATH}/{id}/test`,
    tag: TAG,
    summary: 'Send a test message',
    description:
      'To the caller by email or Slack, to the URL of a webhook (`notification_channel.test`, signed). Waits at most 10 seconds, tries once, ' +
      'and works for a channel that is switched off too.',
    auth: 'member',
    permission: 'connection.write',
    params: channelParams,
    success: {
      status: 200,
      description: 'What came of it; a message that did not arrive is no error of this call.',
      body: z
        .strictObject({
          delivered: z.boolean().meta({ description: 'Whether the receiver took it.' }),
          status_code: z
            .int()
            .optional()
            .meta({ description: 'What a webhook answered, if it did.' }),
          duration_ms: z.int().meta({ description: 'How long it took.' }),
          error_code: z.string().optional().meta({
            description:
              'Why it did not arrive, for example `timeout`, `egress_denied`, `connection_failed` or `unexpected_status`.',
          }),
        })
        .meta({ id: 'NotificationTest', description: 'What came of a test message.' }),
      example: {
        delivered: false,
        status_code: 500,
        duration_ms: 84,
        error_code: 'unexpected_status',
      },
    },
    errors: [],
    handler: async ({ principal, params }, context) => {
      const { delivered, statusCode, durationMs, errorCode } = await testNotificationChannel(
        context,
        principal,
        params.id,
      );
      return {
        body: {
          delivered,
          status_code: statusCode,
          duration_ms: durationMs,
          error_code: errorCode,
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'rotateNotificationChannelSecret',
    method: 'post',
    path: `${PATH}/{id}/rotate_secret`,
    tag: TAG,
    summary: 'Replace the signing secret of a webhook channel',
    description: 'The old secret stops at once. 404 for a channel of another kind.',
    auth: 'session',
    permission: 'connection.write',
    params: channelParams,
    success: {
      status: 200,
      description: 'The new secret, this once.',
      body: z.strictObject({
        signing_secret: secretText(),
        secret_rotated_at: timestamp('Since when it counts.'),
      }),
      example: { signing_secret: secretExample, secret_rotated_at: '2026-04-01T08:00:00.000Z' },
    },
    errors: [...PROOF, 'secrets_key_missing'],
    handler: async ({ principal, params }, context) => {
      const { signingSecret, secretRotatedAt } = await rotateChannelSecret(
        context,
        principal,
        params.id,
      );
      return { body: { signing_secret: signingSecret, secret_rotated_at: secretRotatedAt } };
    },
  }),
];
