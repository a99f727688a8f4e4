/** The notification channels of an organization. */
import { z } from 'zod';
import { outgoingUrl } from '../../src/domain/outgoing-urls.ts';
import {
  changeNotificationChannel,
  createWebhookChannel,
  deleteNotificationChannel,
  getNotificationChannel,
  listNotificationChannels,
  rotateChannelSecret,
  testNotificationChannel,
} from '../../src/services/notifications/notification-channels.ts';
import { present } from '../http/present.ts';
import { kindsThat } from '../../src/domain/channels.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { cursorQuery, label, limitQuery, nextCursor, uuid } from '../http/schema.ts';
import {
  channelSchema,
  kindSchema,
  presentChannel,
  presentTest,
  presentWatched,
  testSchema,
  watchedChannelSchema,
} from './notification-channel-schema.ts';

import {
  ROTATION,
  rotationBody,
  rotationExample,
  rotationSchema,
  secretExample,
} from '../webhooks/secret-rotation-schema.ts';

const TAG = 'Notifications';
const PATH = '/api/v1/notification_channels';
const RECENT_AUTHENTICATION = ['mfa_required', 'reauthentication_required'] as const;

const BUILT_IN = kindsThat(({ builtIn }) => builtIn)
  .map((kind) => `\`${kind}\``)
  .join(', ');

const channelParams = z.strictObject({ id: uuid('Id of the channel.') });

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

const recentExample = {
  delivered_count: 12,
  dead_count: 1,
  waiting_count: 0,
  dropped_count: 3,
  last_delivered_at: '2026-03-03T12:00:00.000Z',
  last_dead_at: '2026-03-03T12:51:07.000Z',
  last_error: 'status 500',
};

const wellExample = { state: { state: 'working' }, troubled_members: [] };

const secretText = () =>
  z.string().meta({
    description: 'The signing secret: `whsec_` and 32 bytes in base64. Shown only once.',
  });

const channelAlone = z.strictObject({ notification_channel: channelSchema });
const channelName = () => label('A name for people.', 100);
const webhookUrl = () =>
  outgoingUrl(
    'An https URL on the public internet, without credentials, fragment, white space or backslashes. It is stored in normalized form. ' +
      'The address is checked now and at every call: private and special addresses are refused, and redirects are not followed.',
  );
const includeArguments = () =>
  z.boolean().meta({
    description: 'True includes the arguments of the tool call, exactly as the agent sent them.',
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
          .array(watchedChannelSchema)
          .meta({ description: 'The channels of this page.' }),
        kinds: z
          .array(kindSchema)
          .meta({ description: 'By which kinds this deployment can send.' }),
        next_cursor: nextCursor(),
      }),
      example: {
        notification_channels: [
          { ...emailExample, recent_messages: recentExample, ...wellExample },
          { ...webhookExample, recent_messages: recentExample, ...wellExample },
        ],
        kinds: [
          { kind: 'email', configured: true, variables: ['SMTP_URL', 'COUNTERSIGN_EMAIL_FROM'] },
          { kind: 'webhook', configured: false, variables: ['COUNTERSIGN_SECRETS_KEY'] },
        ],
      },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const keys = z.tuple([z.literal('notification_channels'), z.iso.datetime(), z.uuid()]);
      const [, createdAt, id] = decodeCursor(query.cursor, keys) ?? [];
      const after = createdAt && id ? { createdAt: new Date(createdAt), id } : undefined;
      const { channels, kinds, next } = await listNotificationChannels(context, principal, {
        limit: query.limit,
        after,
      });
      const cursor =
        next && encodeCursor(['notification_channels', next.createdAt.toISOString(), next.id]);
      return {
        body: {
          notification_channels: channels.map(presentWatched),
          kinds: kinds.map((kind) => present(kindSchema, kind)),
          next_cursor: cursor,
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'createNotificationChannel',
    method: 'post',
    path: PATH,
    tag: TAG,
    summary: 'Create a webhook channel',
    description:
      'The service then sends a signed POST to the URL for each member that a request notifies (`approval_request.notified`). Once one of ' +
      'these was attempted, it also sends the decision (`approval_request.decided`). A level sends one message for each member, even ' +
      'if several of its targets include them. A later level of a team policy, or a later run, sends another. When no one is left to ' +
      'decide, it sends one message for each owner (`approval_request.unreachable`), once for a request. ' +
      'Every attempt carries `Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` and the ' +
      'Standard Webhooks headers. The key is the base64-decoded part after `whsec_`. `webhook-id` is the same for all attempts. ' +
      'Any 2xx within 10 seconds counts as delivered; otherwise the service tries 12 times over some hours. ' +
      'Every organization has an email channel; connecting a workspace creates the Slack channel.',
    auth: 'session',
    permission: 'connection.write',
    body: z.strictObject({
      kind: z.literal('webhook').meta({ description: 'Only webhooks can be created here.' }),
      name: channelName(),
      url: webhookUrl(),
      include_arguments: includeArguments().default(false),
      enabled: z
        .boolean()
        .default(true)
        .meta({ description: 'False: the channel sends nothing yet.' }),
    }),
    requestExample: {
      kind: 'webhook',
      name: 'Incident bot',
      url: 'https://hooks.example.com/countersign',
    },
    success: {
      status: 201,
      description: 'The channel and its signing secret, which is shown only once.',
      body: channelAlone.extend({ signing_secret: secretText() }),
      example: { notification_channel: webhookExample, signing_secret: secretExample },
    },
    errors: [...RECENT_AUTHENTICATION, 'egress_denied', 'secrets_key_missing'],
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
      body: z.strictObject({ notification_channel: watchedChannelSchema }),
      example: {
        notification_channel: { ...webhookExample, recent_messages: recentExample, ...wellExample },
      },
    },
    errors: [],
    handler: async ({ principal, params }, context) => ({
      body: {
        notification_channel: presentWatched(
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
      'Fields that the body leaves out keep their value; the signing secret never changes here. Disabling the channel drops its waiting messages.',
    auth: 'session',
    permission: 'connection.write',
    params: channelParams,
    body: z.strictObject({
      name: channelName().optional(),
      enabled: z.boolean().optional().meta({ description: 'False: the channel sends nothing.' }),
      url: webhookUrl().optional(),
      include_arguments: includeArguments().optional(),
    }),
    requestExample: { enabled: false },
    success: {
      status: 200,
      description: 'The changed channel.',
      body: channelAlone,
      example: { notification_channel: { ...webhookExample, enabled: false } },
    },
    errors: [...RECENT_AUTHENTICATION, 'egress_denied'],
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
      'Deletes the channel and its secret permanently and drops its waiting messages. Deleting the Slack channel disconnects Slack. ' +
      `A built-in channel (${BUILT_IN}) cannot be deleted.`,
    auth: 'session',
    permission: 'connection.write',
    params: channelParams,
    success: { status: 204, description: 'Deleted.' },
    errors: [...RECENT_AUTHENTICATION, 'channel_built_in'],
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
      'Sends one message to the caller by email, Slack or push, or to the URL of a webhook (`notification_channel.test`, signed). Waits at most ' +
      '10 seconds and does not retry. It also works for a disabled channel.',
    auth: 'member',
    permission: 'connection.write',
    params: channelParams,
    success: {
      status: 200,
      description: 'The result. A message that did not arrive is not an error of this call.',
      body: testSchema,
      example: {
        delivered: false,
        status_code: 500,
        duration_ms: 84,
        error_code: 'unexpected_status',
        response_excerpt: 'Internal Server Error',
      },
    },
    errors: [],
    handler: async ({ principal, params }, context) => {
      const outcome = await testNotificationChannel(context, principal, params.id);
      return { body: presentTest(outcome) };
    },
  }),
  defineEndpoint({
    operationId: 'rotateNotificationChannelSecret',
    method: 'post',
    path: `${PATH}/{id}/rotate_secret`,
    tag: TAG,
    summary: 'Replace the signing secret of a webhook channel',
    description: `${ROTATION} 404 for a channel of another kind.`,
    auth: 'session',
    permission: 'connection.write',
    params: channelParams,
    body: rotationBody,
    bodyOptional: true,
    requestExample: { overlap: '24h' },
    success: {
      status: 200,
      description: 'The new secret, shown only once.',
      body: rotationSchema,
      example: rotationExample,
    },
    errors: [...RECENT_AUTHENTICATION, 'secrets_key_missing'],
    handler: async ({ principal, params: { id }, body: { overlap } }, context) => {
      const made = await rotateChannelSecret(context, principal, { id, overlap });
      return { body: present(rotationSchema, made) };
    },
  }),
];
