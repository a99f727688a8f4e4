/** What the service posts to the receivers of instances. These calls go out, so they are no endpoints. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  ATTEMPT_MS,
  DELIVERY_HOURS,
  FIRST_RETRY_MS,
  LONGEST_RETRY_MS,
  MOST_AT_ONCE,
  RETRY_SPREAD,
} from '../../src/domain/receivers/retries.ts';
import { timestamp, uuid } from '../http/schema.ts';

const TAG = 'AAP 1.0.0';
const challenge = uuid('What the receiver returns.');

const verification = z
  .strictObject({
    id: uuid('Identity of the message, as in `webhook-id`.'),
    type: z.literal('webhook.verification').meta({ description: 'What the message is.' }),
    registration_id: uuid('By it the receiver finds the secret of this verification.'),
    instance_id: uuid('The instance. It exists once the receiver is verified.'),
    created_at: timestamp('When the message was made.'),
    challenge,
  })
  .meta({ id: 'AapVerification', description: 'Whether a receiver expects an instance.' });

const resolved = z
  .strictObject({
    id: uuid('Identity of the event, as in `webhook-id`: the same in every attempt.'),
    type: z.literal('request.resolved').meta({ description: 'What the message is.' }),
    instance_id: uuid('The instance that made the request.'),
    request_id: uuid('The request. Read it to learn the decision.'),
    created_at: timestamp('When the request was decided.'),
  })
  .meta({
    id: 'AapRequestResolved',
    description: 'A request was approved, denied, expired or cancelled.',
  });

const header = (name: string, description: string, pattern: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const, pattern },
});

/** Those of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'The `id` of the body.', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
  header('webhook-timestamp', 'When this attempt began, in seconds since 1970.', '^[0-9]{10}$'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body, joined by dots, in base64. The key is what follows `whsec_` in the signing secret, decoded.',
    '^v1,[A-Za-z0-9+/]{43}=$',
  ),
];

const retryAfter = {
  'Retry-After': {
    description: 'The next attempt is not earlier: seconds, or an HTTP date.',
    schema: { type: 'string' as const },
  },
};
const later = (description: string) => ({ description, headers: retryAfter });

const ids = {
  id: 'f4b96ac4-404d-4f6a-9a03-a0565edc4922',
  instance_id: 'b29a43a7-1949-4b9f-9d61-b7ae66f85d31',
};
const created_at = '2026-09-16T12:02:00.000Z';
const example = { challenge: '5f0c8a42-6f0e-4d0a-8a3b-0a4f4c1d9e77' };

const RETRIES = `Any 2xx status accepts the event; its body is not read. Each attempt has ${ATTEMPT_MS / 1_000} seconds, and only one is under way at a time. Redirects are not followed. The next attempt comes after ${FIRST_RETRY_MS / 1_000} seconds, then after twice as long each time, up to ${LONGEST_RETRY_MS / 3_600_000} hour, ±${RETRY_SPREAD * 100} %. Attempts end ${DELIVERY_HOURS} hours after the decision. At most ${MOST_AT_ONCE} attempts are under way to a host, and to an address. The event can arrive more than once, with the same \`webhook-id\` and the same bytes.`;

export const webhooks = {
  'request.resolved': {
    post: {
      operationId: 'tellRequestResolved',
      tags: [TAG],
      summary: 'Tell a receiver that a request is decided',
      description: `Posted to the receiver of the instance (\`delivery\`), for each of its requests that is decided while it has one. The event is written with the decision.\n\n${RETRIES}`,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: resolved,
            example: {
              id: ids.id,
              type: 'request.resolved',
              instance_id: ids.instance_id,
              request_id: '7ab8c8ec-7b2d-4fd6-9b52-752f9515eb71',
              created_at,
            },
          },
        },
      },
      responses: {
        '2XX': { description: 'The event is accepted, and not posted again.' },
        '429': later('Not accepted. The next attempt waits as long as it asks.'),
        '503': later('Not accepted. The next attempt waits as long as it asks.'),
        default: { description: 'Not accepted. The next attempt follows.' },
      },
    },
  },
  'webhook.verification': {
    post: {
      operationId: 'verifyReceiver',
      tags: [TAG],
      summary: 'Ask a receiver whether it expects an instance',
      description: `Posted once, before a \`delivery\` is stored. The receiver has ${ATTEMPT_MS / 1_000} seconds for its whole response. Redirects are not followed, and a failure is not retried: the call that gave the \`delivery\` gets 422 \`webhook_verification_failed\`.`,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: verification,
            example: {
              id: ids.id,
              type: 'webhook.verification',
              registration_id: '0d9b6c57-94b0-4f6e-9c43-6f2f0b7a5f10',
              instance_id: ids.instance_id,
              created_at,
              ...example,
            },
          },
        },
      },
      responses: {
        '200': {
          description: 'The receiver expects the instance.',
          content: {
            'application/json': {
              schema: z.strictObject({ challenge }).meta({ description: 'The same challenge.' }),
              example,
            },
          },
        },
        default: { description: 'It does not, and nothing is stored.' },
      },
    },
  },
} satisfies ZodOpenApiPathsObject;
