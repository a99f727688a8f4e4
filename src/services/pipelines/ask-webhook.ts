/** Asks a webhook endpoint, at the URL of its active revision. */
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import type { WebhookBlock } from '../../domain/pipelines/remote.ts';
import type { WebhookEndpointDocument } from '../../domain/webhooks/document.ts';
import { evaluatePayload } from '../../domain/webhooks/payload.ts';
import {
  endWebhookDelivery,
  insertWebhookDelivery,
} from '../../data/webhooks/webhook-deliveries.ts';
import { findActiveEndpoint } from '../../data/webhooks/webhook-endpoints.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { ServiceContext } from '../context.ts';
import { askEndpoint, resultOf, type EndpointReply } from '../webhooks/ask-endpoint.ts';
import { openSigningSecrets } from '../webhooks/signing-secrets.ts';
import { failedFor, type BlockQuestion, type BlockReply } from './block-question.ts';

/** One attempt. Rejects with the reason of the signal when that ends the call. */
export async function askWebhook(
  context: ServiceContext,
  question: BlockQuestion<WebhookBlock>,
): Promise<BlockReply> {
  const { organizationId, block, request, deliveryId, attempt } = question;
  const endpointKey = block.config.endpoint_key;
  const endpoint = await findActiveEndpoint(context.db, organizationId, endpointKey);
  if (!endpoint) return failedFor('endpoint_inactive');
  const purpose = SEALED_FOR.webhookEndpoint(endpoint.endpointId);
  const secrets = context.secrets && openSigningSecrets(context.secrets, endpoint, purpose);
  if (secrets === undefined) return failedFor('secrets_key_missing');
  const { url } = parseExact(endpoint.document) as unknown as WebhookEndpointDocument;
  const { timeoutMs, signal } = question;
  const id = await insertWebhookDelivery(context.db, {
    ...{ endpointId: endpoint.endpointId, revision: endpoint.revision },
    ...{ deliveryId, attempt, requestId: request?.id ?? null },
    type: 'approval_request.evaluate',
  });
  const reply = await askEndpoint(context, {
    ...{ url, secrets, timeoutMs, signal },
    id: deliveryId,
    payload: stringifyExact(evaluatePayload({ ...question, endpointKey, createdAt: new Date() })),
  });
  if (reply.kind === 'failed') warn(context, question, reply);
  return {
    ...replyOf(reply),
    observed: {
      duration_ms: reply.durationMs,
      ...(reply.statusCode !== undefined && { status_code: reply.statusCode }),
    },
    keep: async (db) => {
      await endWebhookDelivery(db, id, resultOf(reply));
    },
  };
}

function warn(
  { logger }: ServiceContext,
  { request, block, attempt }: BlockQuestion<WebhookBlock>,
  { errorCode, errorCause, statusCode }: Extract<EndpointReply, { kind: 'failed' }>,
): void {
  const about = { approvalRequest: request?.id, endpoint: block.config.endpoint_key, attempt };
  logger.warn(
    { ...about, errorCode, errorCause, statusCode },
    'a webhook endpoint gave no valid answer',
  );
}

function replyOf(reply: EndpointReply): Omit<BlockReply, 'observed' | 'keep'> {
  if (reply.kind === 'responded') return { result: reply.result };
  const { errorCode, errorCause, mayPass, retryAfterMs } = reply;
  return {
    result: { errorCode, ...(errorCause && { errorCause }) },
    mayPass,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
