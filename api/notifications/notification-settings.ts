/** A member's own notification settings. */
import { z } from 'zod';
import {
  readNotificationSettings,
  saveNotificationSettings,
  type OwnSettings,
} from '../../src/services/notifications/notification-settings.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { notificationStepsSchema } from './notification-step-schema.ts';
import { presentTroubled, troubledChannels } from './channel-state-schema.ts';

const TAG = 'Notifications';
const PATH = '/api/v1/me/notification_settings';

const settingsSchema = z
  .strictObject({
    email: z.boolean().meta({ description: 'Whether to send approval requests by email.' }),
    slack: z.boolean().meta({
      description:
        'Whether to send them by Slack, if the organization and the member are connected.',
    }),
    push: z.boolean().meta({ description: 'Whether to send them to subscribed browsers.' }),
    steps: notificationStepsSchema,
  })
  .meta({
    id: 'NotificationSettings',
    description:
      'The channels over which a member is notified. The queue shows every request regardless.',
  });

const settingsExample = {
  ...{ email: true, slack: true, push: true },
  steps: {
    standard: [
      { channel: 'slack', after: '0' },
      { channel: 'email', after: '5m' },
    ],
  },
};

const ownSchema = settingsSchema
  .extend({
    troubled_channels: troubledChannels('Your channels that do not reach you now.'),
  })
  .meta({
    id: 'OwnNotificationSettings',
    description:
      'The channels over which a member is notified, and which of them do not work. The queue shows every request regardless.',
  });

const ownExample = {
  ...settingsExample,
  troubled_channels: [
    {
      ...{ kind: 'email', name: 'Email', state: 'broken', since: '2026-11-21T13:00:00.030Z' },
      cause: 'mailbox_refused',
      problem: 'the mail server refused the mailbox',
      what_to_do: 'Check the email address, and that its mailbox accepts messages from outside.',
    },
  ],
};

const presentOwn = ({ settings, steps, troubled }: OwnSettings) => ({
  ...settings,
  steps,
  troubled_channels: presentTroubled(troubled),
});

export const notificationSettingEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMyNotificationSettings',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'Get your notification settings',
    auth: 'session',
    success: {
      status: 200,
      description: 'The settings. All are true by default.',
      body: ownSchema,
      example: ownExample,
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: presentOwn(await readNotificationSettings(context, principal)),
    }),
  }),
  defineEndpoint({
    operationId: 'setMyNotificationSettings',
    method: 'put',
    path: PATH,
    tag: TAG,
    summary: 'Change your notification settings',
    description:
      'Channels take effect at once, also for messages that wait to be sent. Steps take effect when you are asked the next time.',
    auth: 'session',
    body: z.strictObject({
      ...settingsSchema.shape,
      push: settingsSchema.shape.push.optional().meta({
        description: 'The same for subscribed browsers. It stays as it is when left out.',
      }),
      steps: notificationStepsSchema.optional().meta({
        description:
          'Your steps, instead of those you had. They stay as they are when left out; `{}` removes them all.',
      }),
    }),
    requestExample: settingsExample,
    success: {
      status: 200,
      description: 'The changed settings.',
      body: ownSchema,
      example: ownExample,
    },
    errors: [],
    handler: async ({ principal, body }, context) => ({
      body: presentOwn(await saveNotificationSettings(context, principal, body)),
    }),
  }),
];
