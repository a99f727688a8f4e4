/** Posts tests to webhook endpoints, and lists what was posted to them. */
import { v7 } from 'uuid';
import { AppError } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import type { WebhookDelivery } from '../../domain/webhooks/deliveries.ts';
import { samplePayload } from '../../domain/webhooks/payload.ts';
import { findDocument } from '../../data/revisions.ts';
import {
  endWebhookDelivery,
  insertWebhookDelivery,
  listWebhookDeliveries,
  type WebhookDeliveryPage,
} from '../../data/webhooks/webhook-deliveries.ts';
import {
  findEndpointSecret,
  webhookEndpointTables,
} from '../../data/webhooks/webhook-endpoints.ts';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import type { ServiceContext } from '../context.ts';
import { readPage } from '../pages.ts';
import { audit } from '../revisions/change.ts';
import { getRevision } from '../revisions/read.ts';
import { askEndpoint, resultOf, type EndpointReply } from './ask-endpoint.ts';
import { isSuccess } from './signed-post.ts';
import { openSigningSecrets } from './signing-secrets.ts';
import { webhookEndpointKind } from './webhook-endpoints.ts';

const TEST_MS = 10_000;

interface TestedRevision {
  readonly endpointKey: string;
  readonly revision: number;
}

export interface EndpointTest {
  /** A 2xx response came. Whether it is a valid one is another matter. */
  readonly delivered: boolean;
  readonly reply: EndpointReply;
}

/**
 * Posts a sample request to the URL of any revision, once. Throws 404, 501 `secrets_key_missing`
 * also when the secret does not open, and 503 when the process stops meanwhile.
 */
export async function testWebhookEndpoint(
  context: ServiceContext,
  principal: ProductPrincipal,
  tested: TestedRevision,
): Promise<EndpointTest> {
  const { endpointId, secrets, url } = await targetOf(context, principal, tested);
  const id = v7();
  const sample = { id, createdAt: new Date(), organizationId: principal.organizationId };
  const payload = stringifyExact(samplePayload({ ...sample, endpointKey: tested.endpointKey }));
  const { stopping: signal } = context;
  const question = { url, secrets, id, payload, timeoutMs: TEST_MS, signal };
  const delivery = await insertWebhookDelivery(context.db, {
    ...{ endpointId, deliveryId: id, type: 'webhook_endpoint.test', requestId: null, attempt: 1 },
    revision: tested.revision,
  });
  const reply = await askEndpoint(context, question).catch((error: unknown) => {
    throw signal.aborted ? new AppError('dependency_unavailable', { cause: error }) : error;
  });
  const test = { delivered: isSuccess(reply.statusCode ?? 0), reply };
  await record(context, principal, { ...tested, delivery, test });
  return test;
}

async function targetOf(
  context: ServiceContext,
  principal: ProductPrincipal,
  { endpointKey, revision: number }: TestedRevision,
): Promise<{
  readonly endpointId: string;
  readonly secrets: readonly string[];
  readonly url: string;
}> {
  const document = { kind: webhookEndpointKind, documentKey: endpointKey };
  const { revision } = await getRevision(context, principal, { ...document, revision: number });
  const stored = await findEndpointSecret(context.db, principal.organizationId, endpointKey);
  if (!stored) throw new AppError('not_found');
  const { endpointId } = stored;
  const purpose = SEALED_FOR.webhookEndpoint(endpointId);
  const secrets = context.secrets && openSigningSecrets(context.secrets, stored, purpose);
  if (secrets === undefined)
    throw new AppError('secrets_key_missing', { internal: { endpointId, keyId: stored.keyId } });
  return { endpointId, secrets, url: revision.url };
}

interface DoneTest extends TestedRevision {
  /** The id of the attempt. */
  readonly delivery: string;
  readonly test: EndpointTest;
}

async function record(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  { endpointKey, delivery, revision, test: { delivered, reply } }: DoneTest,
): Promise<void> {
  const result = resultOf(reply);
  await db.transaction(async (trx) => {
    await endWebhookDelivery(trx, delivery, result);
    const { statusCode, errorCode, errorCause } = result;
    await audit(trx, principal, {
      kind: webhookEndpointKind,
      documentKey: endpointKey,
      eventType: 'webhook_endpoint.tested',
      more: {
        revision,
        delivered,
        ...(statusCode !== null && { status_code: statusCode }),
        ...(errorCode !== null && { error_code: errorCode }),
        ...(errorCause !== null && { error_cause: errorCause }),
      },
    });
  });
}

/** Newest first; of the last 30 days. Throws 404. */
export async function listEndpointDeliveries(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  { endpointKey, ...page }: Omit<WebhookDeliveryPage, 'endpointId'> & { endpointKey: string },
): Promise<{
  readonly deliveries: readonly WebhookDelivery[];
  readonly next: WebhookDelivery | undefined;
}> {
  const document = { tables: webhookEndpointTables, documentKey: endpointKey };
  const endpoint = await findDocument(db, organizationId, document);
  if (!endpoint) throw new AppError('not_found');
  const { items, last } = await readPage(page.limit, (limit) =>
    listWebhookDeliveries(db, { ...page, endpointId: endpoint.id, limit }),
  );
  return { deliveries: items, next: last };
}
