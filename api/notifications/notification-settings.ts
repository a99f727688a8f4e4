/** A member's own notification settings. */
import { z } from 'zod';
import {
  readNotificationSettings,
  saveNotificationSettings,
} from '../../src/services/notifications/notification-settings.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

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
  })
  .meta({
    id: 'NotificationSettings',
    description:
      'The channels over which a member is notified. The queue shows every request regardless.',
  });

const settingsExample = { email: true, slack: false, push: true };

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
      body: settingsSchema,
      example: settingsExample,
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: await readNotificationSettings(context, principal),
    }),
  }),
  defineEndpoint({
    operationId: 'setMyNotificationSettings',
    method: 'put',
    path: PATH,
    tag: TAG,
    summary: 'Change your notification settings',
    description: 'Takes effect at once, also for messages that wait to be sent.',
    auth: 'session',
    body: z.strictObject({
      ...settingsSchema.shape,
      push: settingsSchema.shape.push.optional().meta({
        description: 'The same for subscribed browsers. It stays as it is when left out.',
      }),
    }),
    requestExample: settingsExample,
    success: {
      status: 200,
      description: 'The changed settings.',
      body: settingsSchema,
      example: settingsExample,
    },
    errors: [],
    handler: async ({ principal, body }, context) => ({
      body: await saveNotificationSettings(context, principal, body),
    }),
  }),
];
