/** By which channels a member wants to be told. */
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
    email: z.boolean().meta({ description: 'Whether requests for an answer come by email.' }),
    slack: z.boolean().meta({
      description:
        'Whether they come by Slack, where the organization and the member are connected to it.',
    }),
  })
  .meta({
    id: 'NotificationSettings',
    description:
      'By which channels a member wants to be told. The queue shows everything regardless.',
  });

const settingsExample = { email: true, slack: false };

export const notificationSettingEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMyNotificationSettings',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'By which channels one is told',
    auth: 'session',
    success: {
      status: 200,
      description: 'The settings; all true until they are set.',
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
    summary: 'Say by which channels one wants to be told',
    description: 'Counts at once, for messages that already wait to be sent too.',
    auth: 'session',
    body: settingsSchema,
    requestExample: settingsExample,
    success: {
      status: 200,
      description: 'The settings as they are now.',
      body: settingsSchema,
      example: settingsExample,
    },
    errors: [],
    handler: async ({ principal, body }, context) => ({
      body: await saveNotificationSettings(context, principal, body),
    }),
  }),
];
