/** Deliveries of notifications, including dead letters. */
import type { ListedDelivery } from '../../src/domain/notifications/notification-deliveries.ts';
import { CHANNEL_KINDS } from '../../src/domain/channels.ts';
import { z } from 'zod';
import {
  DELIVERY_EVENTS,
  DELIVERY_STATUSES,
  type DeliveryStatus,
} from '../../src/domain/notifications/notifications.ts';
import {
  countDeadNotificationDeliveries,
  listNotificationDeliveries,
  retryNotificationDelivery,
} from '../../src/services/notifications/notification-deliveries.ts';
import { present } from '../http/present.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  cursorQuery,
  limitQuery,
  nextCursor,
  timestamp,
  timestampInput,
  uuid,
} from '../http/schema.ts';

const TAG = 'Notifications';
const PATH = '/api/v1/notification_deliveries';

const deliverySchema = z
  .strictObject({
    id: uuid('The message; `webhook-id` of a webhook, part of the Message-ID of an email.'),
    channel: z
      .strictObject({
        id: uuid('The channel.'),
        kind: z.enum(CHANNEL_KINDS).meta({ description: 'Its kind.' }),
        name: z.string().meta({ description: 'Its name.' }),
      })
      .meta({ description: 'The channel of the message.' }),
    request_id: uuid('The request it is about.'),
    event: z.enum(DELIVERY_EVENTS).meta({
      description:
        '`notified`: a person is asked. `claim_lapsed`: a person who was asked learns that a claim expired and the request is still open. `unreachable`: an owner learns that no one is left to decide. `decided`: the request has ' +
        'its decision. `ran_differently`: the person who approved a call learns that a different one ran. `digest`: the message says how many more requests wait; `request_id` is the first of them.',
    }),
    member: z
      .strictObject({
        membership_id: uuid('The member.'),
        display_name: z.string().meta({ description: 'Their display name.' }),
      })
      .optional()
      .meta({
        description:
          'The recipient. Absent for a decision and for announcements in the default Slack channel.',
      }),
    status: z.enum(DELIVERY_STATUSES).meta({
      description:
        '`dead`: all attempts failed, or the receiver refused it permanently. `dropped`: no longer needed; see `dropped_reason`.',
    }),
    attempts: z.int().meta({ description: 'Number of attempts.' }),
    created_at: timestamp('When it was put into the outbox.'),
    next_attempt_at: timestamp('When it is tried next; while it is pending.').optional(),
    finished_at: timestamp('When it was delivered, given up or dropped.').optional(),
    last_error: z
      .string()
      .optional()
      .meta({ description: 'The error of the last failed attempt.' }),
    dropped_reason: z
      .string()
      .optional()
      .meta({
        description:
          'Why it was dropped: `request_closed`, `member_inactive`, `cannot_decide`, `opted_out`, `not_linked`, `not_subscribed`, ' +
          '`channel_disabled`, `channel_deleted`, `not_configured` or `in_digest` (a digest counts it instead).',
      }),
  })
  .meta({
    id: 'NotificationDelivery',
    description:
      'A message to one member over one channel, an announcement in the default Slack channel, or a decision sent over a channel.',
  });

const deliveryExample = {
  id: '5d0a3f0e-3b52-4f0a-9c55-7d1c2a9b8e10',
  channel: { id: '0198f3a2-7b20-7a10-8c44-2b3c4d5e6f70', kind: 'webhook', name: 'Incident bot' },
  request_id: '0198f3a2-9c30-7b21-9d58-3c4d5e6f7081',
  event: 'notified',
  member: { membership_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70', display_name: 'Ada Reyes' },
  status: 'dead',
  attempts: 12,
  created_at: '2026-03-03T10:00:00.000Z',
  last_error: 'status 500',
};

function presentDelivery(delivery: ListedDelivery) {
  const { membershipId, displayName } = delivery;
  return present(deliverySchema, {
    ...delivery,
    channel: { id: delivery.channelId, kind: delivery.channelKind, name: delivery.channelName },
    member:
      membershipId === null
        ? null
        : { membership_id: membershipId, display_name: displayName ?? '' },
  });
}

interface Wanted {
  readonly status?: DeliveryStatus | undefined;
  readonly channel_id?: string | undefined;
  readonly request_id?: string | undefined;
  readonly membership_id?: string | undefined;
  readonly from_at?: Date | undefined;
  readonly to_at?: Date | undefined;
}

const filterOf = (wanted: Wanted) => ({
  status: wanted.status,
  channelId: wanted.channel_id,
  requestId: wanted.request_id,
  membershipId: wanted.membership_id,
  from: wanted.from_at,
  to: wanted.to_at,
});

/** A cursor belongs to its filters. */
const nameOf = (filter: ReturnType<typeof filterOf>): string =>
  Object.values(filter)
    .map((value) => (value instanceof Date ? value.toISOString() : (value ?? '')))
    .join(' ');

export const notificationDeliveryEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listNotificationDeliveries',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'List notification deliveries',
    description:
      'Newest first. `status=dead` lists what could not be delivered. Delivered and dropped messages are deleted after 30 days, dead ones after 90.\n\n' +
      'A message with a temporary failure is tried up to twelve times over some hours. `Retry-After` is respected, up to an hour. These failures are temporary:\n' +
      '- connection failures and timeouts\n' +
      '- the webhook statuses 408, 425, 429 and 5xx\n' +
      '- 4xx replies of a mail server\n' +
      '- outages and rate limits of Slack\n\n' +
      'Any other failure makes the message dead at once, for example:\n' +
      '- any other webhook status, including redirects and 410\n' +
      '- a URL with a private address\n' +
      '- a 5xx reply of a mail server\n' +
      '- a refusal of Slack such as `channel_not_found`',
    auth: 'member',
    permission: 'connection.read',
    query: z.strictObject({
      status: z
        .enum(DELIVERY_STATUSES)
        .optional()
        .meta({ description: 'Only messages with this status.' }),
      channel_id: z
        .uuid()
        .optional()
        .meta({ description: 'Only messages of this channel. It may be a deleted channel.' }),
      request_id: z.uuid().optional().meta({ description: 'Only messages about this request.' }),
      membership_id: z.uuid().optional().meta({ description: 'Only messages to this member.' }),
      from_at: timestampInput(
        'Only messages put into the outbox at this instant or later.',
      ).optional(),
      to_at: timestampInput('Only messages put into the outbox before this instant.').optional(),
      limit: limitQuery(50),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'One page of messages.',
      body: z.strictObject({
        notification_deliveries: z
          .array(deliverySchema)
          .meta({ description: 'The messages of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: {
        notification_deliveries: [{ ...deliveryExample, finished_at: '2026-03-03T12:51:07.000Z' }],
      },
    },
    errors: [],
    handler: async ({ principal, query: { limit, cursor, ...wanted } }, context) => {
      const filter = filterOf(wanted);
      const list = ['notification_deliveries', nameOf(filter)] as const;
      const keys = decodeCursor(
        cursor,
        z.tuple([z.literal(list[0]), z.literal(list[1]), z.iso.datetime(), z.uuid()]),
      );
      const after = keys && { createdAt: new Date(keys[2]), id: keys[3] };
      const page = { ...filter, limit, after };
      const { deliveries, next } = await listNotificationDeliveries(context, principal, page);
      const nextPage = next && encodeCursor([...list, next.createdAt.toISOString(), next.id]);
      return {
        body: { notification_deliveries: deliveries.map(presentDelivery), next_cursor: nextPage },
      };
    },
  }),
  defineEndpoint({
    operationId: 'countDeadNotificationDeliveries',
    method: 'get',
    path: `${PATH}/dead_count`,
    tag: TAG,
    summary: 'Count the messages that could not be delivered',
    description: 'Counting stops at 1,000, so that a page may ask often.',
    auth: 'member',
    permission: 'connection.read',
    success: {
      status: 200,
      description: 'The number of dead messages.',
      body: z.strictObject({
        dead_count: z.int().meta({ description: 'How many are dead. 1,000: that many or more.' }),
      }),
      example: { dead_count: 3 },
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: { dead_count: await countDeadNotificationDeliveries(context, principal) },
    }),
  }),
  defineEndpoint({
    operationId: 'retryNotificationDelivery',
    method: 'post',
    path: `${PATH}/{id}/retry`,
    tag: TAG,
    summary: 'Retry a message',
    description:
      'A dead message gets all its attempts again; a pending one is tried at once. If the request has been decided by then, the ' +
      'message is dropped.',
    auth: 'member',
    permission: 'connection.write',
    params: z.strictObject({ id: uuid('Id of the message.') }),
    success: {
      status: 200,
      description: 'The message, waiting to be sent.',
      body: z.strictObject({ notification_delivery: deliverySchema }),
      example: {
        notification_delivery: {
          ...deliveryExample,
          status: 'pending',
          attempts: 0,
          next_attempt_at: '2026-03-03T13:00:00.000Z',
        },
      },
    },
    errors: ['delivery_over'],
    handler: async ({ principal, params }, context) => ({
      body: {
        notification_delivery: presentDelivery(
          await retryNotificationDelivery(context, principal, params.id),
        ),
      },
    }),
  }),
];
