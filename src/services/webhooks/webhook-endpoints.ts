/** Webhook endpoints and their revisions: the systems that rules ask. */
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { grantsAt, requireMayChangeAnchor } from '../../domain/people/trust-anchors.ts';
import { historyOf, type RevisionHistory, type RevisionSummary } from '../../domain/revisions.ts';
import { AppError } from '../../domain/errors.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import type { RecentDeliveries } from '../../domain/webhooks/deliveries.ts';
import type { WebhookEndpointDocument } from '../../domain/webhooks/document.ts';
import { findDocument } from '../../data/revisions.ts';
import {
  findSecretTimes,
  insertEndpointSecret,
  listActiveUsesOfEndpoints,
  webhookEndpointTables,
  type EndpointUse,
} from '../../data/webhooks/webhook-endpoints.ts';
import { findRecentDeliveries } from '../../data/webhooks/webhook-deliveries.ts';
import {
  ENDPOINT_SECRETS,
  rotateSecret,
  type SecretRotation,
} from '../../data/webhooks/signing-secrets.ts';
import { parseExact } from '../../platform/json/exact-json.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { pipelineOwner } from '../../domain/pipelines/request-approval-pipelines.ts';
import { archiveDocument } from '../revisions/archive.ts';
import { audit, lockAndRereadCaller } from '../revisions/change.ts';
import type { RevisionedKind } from '../revisions/kind.ts';
import { listSummaries, type SummaryQuery } from '../revisions/read.ts';
import { requireReachable } from './destinations.ts';
import { readWebhookEndpoint, type WebhookEndpointNames } from './read-webhook-endpoint.ts';
import { makeSigningSecret, overlapOf } from './signing-secrets.ts';

export interface WebhookEndpointRevision extends RevisionHistory {
  readonly id: string;
  readonly endpointKey: string;
  readonly revision: number;
  readonly isActive: boolean;
  readonly name: string;
  readonly url: string;
  /** Only in the response to the first revision. */
  readonly signingSecret?: string;
}

export const webhookEndpointKind: RevisionedKind<WebhookEndpointNames, WebhookEndpointRevision> = {
  tables: webhookEndpointTables,
  permissions: { read: 'webhook.read', write: 'webhook.write', activate: 'webhook.write' },
  targetOf: () => ({ kind: 'organization' }),
  subject: 'webhook_endpoint',
  identity: (documentKey) => ({ endpoint_key: documentKey }),
  auditData: () => ({}),
  reader: readWebhookEndpoint,
  checkOutside: async (runtime, { url }) => {
    await requireReachable(runtime, url);
  },
  requireMayActivate: requireMayChange,
  createdByFirstRevision: true,
  addToFirst: async (trx, runtime, { documentId }) => {
    const { secret, sealed } = makeSigningSecret(runtime, SEALED_FOR.webhookEndpoint(documentId));
    await insertEndpointSecret(trx, documentId, sealed);
    return { signingSecret: secret };
  },
  view: ({ document, ...revision }) => {
    const { name, url } = parseExact(document) as unknown as WebhookEndpointDocument;
    return {
      id: revision.id,
      endpointKey: revision.documentKey,
      revision: revision.revision,
      isActive: revision.isActive,
      name,
      url,
      ...historyOf(revision),
    };
  },
};

/** A block of an active pipeline that posts to an endpoint. */
export interface WebhookEndpointUse extends Omit<EndpointUse, 'endpointKey' | 'documentKey'> {
  readonly scope: 'organization' | 'agent';
  readonly agentSlug?: string;
}

export interface WebhookEndpointSummary extends RevisionSummary {
  readonly secretRotatedAt: Date;
  /** When the secret before it stops; null unless it signs, too. */
  readonly previousSecretExpiresAt: Date | null;
  readonly uses: readonly WebhookEndpointUse[];
  readonly recent: RecentDeliveries | undefined;
}

/** By key. */
export async function listWebhookEndpoints(
  context: ServiceContext,
  principal: ProductPrincipal,
  query: SummaryQuery,
): Promise<{ readonly summaries: readonly WebhookEndpointSummary[]; readonly next?: string }> {
  const list = { tables: webhookEndpointTables, query };
  const { summaries, ...rest } = await listSummaries(context, principal, list);
  return { summaries: await inFull(context.db, principal, summaries), ...rest };
}

/** Archived or not. Throws 404. */
export async function getWebhookEndpointSummary(
  context: ServiceContext,
  principal: ProductPrincipal,
  endpointKey: string,
): Promise<WebhookEndpointSummary> {
  const query = { status: 'all', limit: 1 } as const;
  const one = { tables: webhookEndpointTables, documentKeys: [endpointKey], query };
  const { summaries } = await listSummaries(context, principal, one);
  const [endpoint] = await inFull(context.db, principal, summaries);
  if (!endpoint) throw new AppError('not_found');
  return endpoint;
}

async function inFull(
  db: Db,
  { organizationId }: ProductPrincipal,
  summaries: readonly RevisionSummary[],
): Promise<readonly WebhookEndpointSummary[]> {
  const ids = summaries.map(({ id }) => id);
  const keys = summaries.map(({ documentKey }) => documentKey);
  const [times, uses, recent] = await Promise.all([
    findSecretTimes(db, ids),
    usesOf(db, organizationId, keys),
    findRecentDeliveries(db, ids),
  ]);
  return summaries.map((summary) => ({
    ...summary,
    ...timesOf(times, summary.id),
    uses: uses.get(summary.documentKey) ?? [],
    recent: recent.get(summary.id),
  }));
}

/** An endpoint and its secret are made together. */
function timesOf(
  times: ReadonlyMap<string, SecretRotation>,
  endpointId: string,
): Pick<SecretRotation, 'secretRotatedAt' | 'previousSecretExpiresAt'> {
  const time = times.get(endpointId);
  if (!time) throw new Error(`webhook endpoint ${endpointId} has no secret`);
  return time;
}

/** Throws 404. */
export async function listWebhookEndpointUses(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  endpointKey: string,
): Promise<readonly WebhookEndpointUse[]> {
  const document = { tables: webhookEndpointTables, documentKey: endpointKey };
  if (!(await findDocument(db, organizationId, document))) throw new AppError('not_found');
  return (await usesOf(db, organizationId, [endpointKey])).get(endpointKey) ?? [];
}

/** By endpoint key. */
async function usesOf(
  db: Db,
  organizationId: string,
  endpointKeys: readonly string[],
): Promise<ReadonlyMap<string, readonly WebhookEndpointUse[]>> {
  const uses = new Map<string, WebhookEndpointUse[]>();
  for (const found of await listActiveUsesOfEndpoints(db, organizationId, endpointKeys)) {
    const { endpointKey, documentKey, ...use } = found;
    const list = uses.get(endpointKey) ?? [];
    uses.set(endpointKey, [...list, { ...use, ...pipelineOwner(documentKey) }]);
  }
  return uses;
}

/**
 * Archives an endpoint, if `expected` is active now (0: none is). Activating a revision brings it
 * back. Throws 404, 409 `webhook_endpoint_in_use`, 412 `revision_conflict`.
 */
export async function archiveWebhookEndpoint(
  context: ServiceContext,
  principal: ProductPrincipal,
  { endpointKey, expected }: { readonly endpointKey: string; readonly expected: number },
): Promise<void> {
  await archiveDocument(context, principal, {
    kind: webhookEndpointKind,
    documentKey: endpointKey,
    expected,
    refuse: async (trx) => {
      const uses = (await usesOf(trx, principal.organizationId, [endpointKey])).get(endpointKey);
      if (!uses) return;
      const details = {
        uses: uses.map(({ pipelineId, scope, agentSlug, revision, blockKey }) => ({
          pipeline_id: pipelineId,
          scope,
          agent_slug: agentSlug,
          revision,
          block_key: blockKey,
        })),
      };
      throw new AppError('webhook_endpoint_in_use', { details });
    },
  });
}

/** An endpoint that an active pipeline asks is a trust anchor: its results approve. */
async function requireMayChange(
  db: Db,
  caller: ProductPrincipal,
  endpointKey: string,
): Promise<void> {
  const uses = (await usesOf(db, caller.organizationId, [endpointKey])).get(endpointKey);
  if (!uses) return;
  const agents = uses.map(({ agentSlug }) => agentSlug);
  const grants = grantsAt('pipeline.activate', agents);
  requireMayChangeAnchor(caller, 'webhook_endpoint', { grants });
}

/**
 * The old secret stops at once, or also signs for the overlap. Throws 403 as
 * `requireMayChangeAnchor` for an endpoint in use, 404, 501 `secrets_key_missing`.
 */
export async function rotateWebhookEndpointSecret(
  context: ServiceContext,
  principal: ProductPrincipal,
  { endpointKey, overlap }: { readonly endpointKey: string; readonly overlap?: string | undefined },
): Promise<SecretRotation & { readonly signingSecret: string }> {
  const document = { kind: webhookEndpointKind, documentKey: endpointKey };
  return await context.db.transaction(async (trx) => {
    const locked = await lockAndRereadCaller(trx, principal, { ...document, needs: 'write' });
    await requireMayChange(trx, locked.caller, endpointKey);
    const { id } = locked.document;
    const { secret, sealed } = makeSigningSecret(context, SEALED_FOR.webhookEndpoint(id));
    const rotation = await rotateSecret(trx, ENDPOINT_SECRETS, {
      receiverId: id,
      ...sealed,
      overlapMs: overlapOf(overlap),
    });
    await audit(trx, principal, {
      ...document,
      eventType: 'webhook_endpoint.secret_rotated',
      more: overlap === undefined ? {} : { overlap },
    });
    return { signingSecret: secret, ...rotation };
  });
}
