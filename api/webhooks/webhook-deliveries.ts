/** What was posted to webhook endpoints, and tests of them. */
import { z } from 'zod';
import { ERROR_CAUSES } from '../../src/domain/error-causes.ts';
import { BLOCK_OUTCOMES } from '../../src/domain/pipelines/document.ts';
import {
  DELIVERY_ERRORS,
  DELIVERY_TYPES,
  type WebhookDelivery,
} from '../../src/domain/webhooks/deliveries.ts';
import {
  listEndpointDeliveries,
  testWebhookEndpoint,
  type EndpointTest,
} from '../../src/services/webhooks/webhook-deliveries.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { cursorQuery, limitQuery, nextCursor, timestamp, uuid } from '../http/schema.ts';
import { readRevisionNumber, revisionNumber, revisionParam } from '../revisions.ts';
import { params } from './webhook-endpoints.ts';

const TAG = 'Webhook endpoints';
const ONE = '/api/v1/webhook_endpoints/{endpoint_key}';

const result = {
  status_code: z
    .int()
    .optional()
    .meta({ description: 'The status that the receiver returned; absent when no response came.' }),
  duration_ms: z.int().meta({ description: 'Duration in milliseconds.' }),
  outcome: z
    .enum(BLOCK_OUTCOMES)
    .optional()
    .meta({ description: 'The outcome of a valid result.' }),
  error_code: z
    .enum(DELIVERY_ERRORS)
    .optional()
    .meta({
      description:
        'Why there is no valid result. `unexpected_status`: not 2xx, redirects included. `answer_too_large`: over 64 KiB. ' +
        '`invalid_answer`: not the JSON of a result, or an encoded body.',
    }),
  error_cause: z
    .enum(ERROR_CAUSES)
    .optional()
    .meta({
      description:
        'What to look at when the connection gave no response, where that is known. `dns`: the name was not found. `refused`: nothing ' +
        'listens there. `unreachable`: no route. `certificate`: it is not trusted, expired, or for another name. `tls`: the receiver ' +
        'does not speak TLS as we do. `reset`: it hung up. `timeout`: it was too slow. `protocol`: it does not speak HTTP.',
    }),
  response_excerpt: z
    .string()
    .optional()
    .meta({ description: 'The first 500 characters of the response.' }),
};

const testSchema = z
  .strictObject({
    delivered: z.boolean().meta({ description: 'Whether the receiver returned a 2xx status.' }),
    status_code: result.status_code,
    duration_ms: result.duration_ms,
    outcome: result.outcome,
    reason: z.string().optional().meta({ description: 'The reason of a valid result.' }),
    error_code: result.error_code,
    error_cause: result.error_cause,
    response_excerpt: result.response_excerpt,
  })
  .meta({ id: 'WebhookEndpointTest', description: 'The result of a test.' });

const deliverySchema = z
  .strictObject({
    id: uuid('The attempt.'),
    delivery_id: uuid('`webhook-id` and the `id` of the payload: the same for all attempts.'),
    type: z.enum(DELIVERY_TYPES).meta({ description: 'The type of the payload.' }),
    revision: revisionNumber().meta({ description: 'The revision whose URL was called.' }),
    request_id: uuid('The request it was about; absent for tests and previews.').optional(),
    attempt: z.int().meta({ description: 'Which attempt it was, from 1.' }),
    attempted_at: timestamp('When it began.'),
    ...result,
    duration_ms: result.duration_ms.optional(),
  })
  .meta({
    id: 'WebhookDelivery',
    description:
      'An attempt to post to an endpoint, with its outcome or its error code. An attempt without both and without a duration still runs, or was ' +
      'interrupted: its request was decided meanwhile, or the process ended.',
  });

function presentTest({ delivered, reply }: EndpointTest) {
  const result = reply.kind === 'responded' ? reply.result : undefined;
  return present(testSchema, {
    delivered,
    statusCode: reply.statusCode,
    durationMs: reply.durationMs,
    outcome: result?.outcome,
    reason: result?.reason,
    errorCode: reply.kind === 'failed' ? reply.errorCode : undefined,
    errorCause: reply.kind === 'failed' ? reply.errorCause : undefined,
    responseExcerpt: reply.excerpt,
  });
}

const presentDelivery = (delivery: WebhookDelivery) =>
  present(deliverySchema, { ...delivery, durationMs: delivery.durationMs ?? undefined });

const delivered = {
  status_code: 200,
  duration_ms: 84,
  outcome: 'approve',
  response_excerpt: '{"outcome":"approve","reason":"Under the limit."}',
} as const;

export const webhookDeliveryEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'testWebhookEndpointRevision',
    method: 'post',
    path: `${ONE}/revisions/{revision}/test`,
    tag: TAG,
    summary: 'Test a revision of a webhook endpoint',
    description:
      'Posts a sample request to the URL of any revision, once, and waits at most 10 seconds for the response. The payload has the type ' +
      '`webhook_endpoint.test` and `"preview": true`, and is signed as every payload is: `Service-Signature: t=<unix seconds>,' +
      'v1=<hex HMAC-SHA256 of "<t>.<body>">` and the Standard Webhooks headers. The key is the base64-decoded part after `whsec_`. ' +
      'A valid result is a 2xx with `{"outcome", "reason", "metadata", "escalation_path"}` and no other member. `outcome` is required: ' +
      '`approve`, `deny`, `human` or `next`. `reason` has at most 2,000 characters. `metadata` is an object of at most 16 KiB. ' +
      '`escalation_path` is a key, only with `human`.',
    auth: 'product',
    permission: 'webhook.write',
    needsSecretsKey: true,
    params: z.strictObject({ ...params, revision: revisionParam }),
    success: {
      status: 200,
      description: 'The result. A receiver that fails is not an error of this call.',
      body: testSchema,
      example: { delivered: true, ...delivered, reason: 'Under the limit.' },
    },
    errors: [],
    handler: async ({ principal, params: { endpoint_key, revision } }, context) => {
      const tested = { endpointKey: endpoint_key, revision: readRevisionNumber(revision) };
      return { body: presentTest(await testWebhookEndpoint(context, principal, tested)) };
    },
  }),
  defineEndpoint({
    operationId: 'listWebhookEndpointDeliveries',
    method: 'get',
    path: `${ONE}/deliveries`,
    tag: TAG,
    summary: 'List what was posted to a webhook endpoint',
    description:
      'Each attempt, from its beginning, newest first. Attempts are deleted after 30 days.',
    auth: 'product',
    permission: 'webhook.read',
    needsSecretsKey: true,
    params: z.strictObject(params),
    query: z.strictObject({
      result: z
        .enum(['all', 'failed'])
        .default('all')
        .meta({ description: '`failed`: only attempts that ended with an error code.' }),
      limit: limitQuery(50),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'One page of attempts.',
      body: z.strictObject({
        deliveries: z.array(deliverySchema).meta({ description: 'The attempts of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: {
        deliveries: [
          {
            id: '0198f3a2-9a10-7f99-8839-b4c5d6e7f809',
            delivery_id: '0198f3a2-9a0f-7f99-8839-b4c5d6e7f80a',
            type: 'webhook_endpoint.test',
            revision: 1,
            attempt: 1,
            attempted_at: '2026-03-02T12:05:00.000Z',
            ...delivered,
          },
        ],
      },
    },
    errors: [],
    handler: async (
      {
        principal,
        params: { endpoint_key: endpointKey },
        query: { result: wanted, limit, cursor },
      },
      context,
    ) => {
      const list = ['webhook_deliveries', endpointKey, wanted] as const;
      const keys = z.tuple([
        z.literal(list[0]),
        z.literal(endpointKey),
        z.literal(wanted),
        z.iso.datetime(),
        z.uuid(),
      ]);
      const [, , , attemptedAt, id] = decodeCursor(cursor, keys) ?? [];
      const before = attemptedAt && id ? { attemptedAt: new Date(attemptedAt), id } : undefined;
      const page = { endpointKey, isFailed: wanted === 'failed', before, limit };
      const { deliveries, next } = await listEndpointDeliveries(context, principal, page);
      const next_cursor = next && encodeCursor([...list, next.attemptedAt.toISOString(), next.id]);
      return { body: { deliveries: deliveries.map(presentDelivery), next_cursor } };
    },
  }),
];
