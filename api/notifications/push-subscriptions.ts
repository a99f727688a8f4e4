/** A member's browsers that get push messages. */
import { z } from 'zod';
import { MOST_SUBSCRIPTIONS } from '../../src/domain/notifications/push-subscriptions.ts';
import { outgoingUrl } from '../../src/domain/outgoing-urls.ts';
import { readPushKey } from '../../src/services/notifications/push-keys.ts';
import {
  deleteOwnPushSubscription,
  listOwnPushSubscriptions,
  putOwnPushSubscription,
  testOwnPushSubscription,
  type OwnPushSubscription,
} from '../../src/services/notifications/push-subscriptions.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { timestamp, uuid } from '../http/schema.ts';
import { presentTest, testSchema } from './notification-channel-schema.ts';

const TAG = 'Notifications';
const PATH = '/api/v1/me/push_subscriptions';

const subscriptionSchema = z
  .strictObject({
    id: uuid('The subscription.'),
    current: z
      .boolean()
      .meta({ description: 'Whether the session of this call made it, and so this browser.' }),
    push_service: z
      .string()
      .meta({ description: 'The host of the push service that takes its messages.' }),
    user_agent: z.string().meta({ description: 'The user agent of the browser.' }),
    created_at: timestamp('When the browser last subscribed.'),
  })
  .meta({
    id: 'PushSubscription',
    description: 'A browser that gets push messages. Its endpoint and keys are never returned.',
  });

const presentSubscription = (subscription: OwnPushSubscription) =>
  present(subscriptionSchema, {
    ...subscription,
    pushService: new URL(subscription.endpoint).host,
  });

const subscriptionExample = {
  id: '0199a3f2-0d3e-7a55-b1c7-6f0e9d8c7b6a',
  current: true,
  push_service: 'updates.push.services.mozilla.com',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
  created_at: '2026-03-02T08:30:00.000Z',
};

const oneSubscription = z.strictObject({ push_subscription: subscriptionSchema });
const params = z.strictObject({ id: uuid('The subscription.') });
const keyText = (description: string) => z.string().max(200).meta({ description });

export const pushSubscriptionEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getPushKey',
    method: 'get',
    path: '/api/v1/push/key',
    tag: TAG,
    summary: 'Get the key with which push messages are signed',
    description:
      'The `applicationServerKey` of `PushManager.subscribe`. The service makes the key pair once and keeps it.',
    auth: 'session',
    needsSecretsKey: true,
    success: {
      status: 200,
      description: 'The public key.',
      body: z.strictObject({
        public_key: z.string().meta({ description: 'The public key (VAPID) in base64url.' }),
      }),
      example: {
        public_key:
          'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
      },
    },
    errors: [],
    handler: async (_call, context) => ({ body: { public_key: await readPushKey(context) } }),
  }),
  defineEndpoint({
    operationId: 'listMyPushSubscriptions',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'List your browsers that get push messages',
    description: `Oldest first, at most ${MOST_SUBSCRIPTIONS}.`,
    auth: 'session',
    success: {
      status: 200,
      description: 'The subscriptions.',
      body: z.strictObject({
        push_subscriptions: z.array(subscriptionSchema).meta({ description: 'All of the member.' }),
      }),
      example: { push_subscriptions: [subscriptionExample] },
    },
    errors: [],
    handler: async ({ principal }, context) => {
      const subscriptions = await listOwnPushSubscriptions(context, principal);
      return { body: { push_subscriptions: subscriptions.map(presentSubscription) } };
    },
  }),
  defineEndpoint({
    operationId: 'createMyPushSubscription',
    method: 'post',
    path: PATH,
    tag: TAG,
    summary: 'Subscribe this browser to push messages',
    description:
      `Takes \`endpoint\` and \`keys\` of \`PushSubscription.toJSON()\`. Another subscription of the same endpoint is replaced. A member has at most ${MOST_SUBSCRIPTIONS}.\n\n` +
      'A message is encrypted for the browser, and holds only `{request_id, title, url}`: the title names the tool and the agent. It never holds arguments. ' +
      'A test message and a digest have no `request_id`: the title of a digest says how many more requests wait, and its page is the queue. A push service keeps a message until the deadline of the request at most, and a later message about the same request replaces it. ' +
      'The subscription ends when its session is signed out or ended, and when the push service returns 404 or 410. It outlasts a session that only expires.',
    auth: 'session',
    needsSecretsKey: true,
    body: z.strictObject({
      endpoint: outgoingUrl(
        'Where the push service takes messages for this browser. It must be one of the push services of Google, Mozilla, Apple and Microsoft, or a host that the operator added. Private and special addresses are refused, now and at every connection.',
      ),
      keys: z
        .strictObject({
          p256dh: keyText('The public key of the browser: 65 bytes in base64url.'),
          auth: keyText('The secret of the subscription: 16 bytes in base64url.'),
        })
        .meta({ description: 'The keys that encrypt messages for this browser.' }),
    }),
    requestExample: {
      endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn',
      keys: {
        p256dh:
          'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: '0123456789abcdefABCDEF',
      },
    },
    success: {
      status: [201, 200],
      description: 'Subscribed.',
      body: oneSubscription,
      example: { push_subscription: subscriptionExample },
      otherwise: {
        200: {
          description: 'The member had subscribed this endpoint before. It is replaced.',
          body: oneSubscription,
          example: { push_subscription: subscriptionExample },
        },
      },
    },
    errors: ['egress_denied', 'quota_exceeded'],
    handler: async ({ principal, body: { endpoint, keys }, client }, context) => {
      const { subscription, isNew } = await putOwnPushSubscription(context, principal, {
        endpoint,
        ...keys,
        userAgent: client.userAgent,
      });
      return {
        status: isNew ? 201 : 200,
        body: { push_subscription: presentSubscription(subscription) },
      };
    },
  }),
  defineEndpoint({
    operationId: 'deleteMyPushSubscription',
    method: 'delete',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Stop push messages to one of your browsers',
    auth: 'session',
    params,
    success: { status: 204, description: 'Deleted.' },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => {
      await deleteOwnPushSubscription(context, principal, id);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'testMyPushSubscription',
    method: 'post',
    path: `${PATH}/{id}/test`,
    tag: TAG,
    summary: 'Send a test message to one of your browsers',
    description:
      'Waits at most 10 seconds and does not retry. `not_subscribed` is the error code when the push service no longer knows the browser; the subscription is then deleted.',
    auth: 'session',
    params,
    success: {
      status: 200,
      description: 'The result. A message that did not arrive is not an error of this call.',
      body: testSchema,
      example: { delivered: true, status_code: 201, duration_ms: 84 },
    },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => ({
      body: presentTest(await testOwnPushSubscription(context, principal, id)),
    }),
  }),
];
