/** Webhook endpoints: the systems that rules ask. */
import { z } from 'zod';
import { ERROR_CAUSES } from '../../src/domain/error-causes.ts';
import { BLOCK_OUTCOMES } from '../../src/domain/pipelines/document.ts';
import { DELIVERY_ERRORS, RECENT_DELIVERIES } from '../../src/domain/webhooks/deliveries.ts';
import { webhookEndpointSchema } from '../../src/domain/webhooks/document.ts';
import {
  archiveWebhookEndpoint,
  getWebhookEndpointSummary,
  listWebhookEndpoints,
  listWebhookEndpointUses,
  rotateWebhookEndpointSecret,
  webhookEndpointKind,
  type WebhookEndpointRevision,
  type WebhookEndpointSummary,
  type WebhookEndpointUse,
} from '../../src/services/webhooks/webhook-endpoints.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import {
  limitQuery,
  nextCursor,
  readByDomain,
  searchQuery,
  slug,
  timestamp,
  uuid,
} from '../http/schema.ts';
import { historyExample, historyFields, orAsRead, presentable } from '../revision-history.ts';
import {
  revisionEndpoints,
  revisionNumber,
  summaryFields,
  summaryPage,
  summaryQuery,
} from '../revisions.ts';
import {
  previousSecret,
  ROTATION,
  rotationBody,
  rotationExample,
  rotationSchema,
  secretExample,
} from './secret-rotation-schema.ts';

const TAG = 'Webhook endpoints';
const BASE = '/api/v1/webhook_endpoints';
const ONE = `${BASE}/{endpoint_key}`;

const secretText = (description: string) => z.string().meta({ description });

const revisionSchema = z
  .strictObject({
    id: uuid('Identity of the revision.'),
    endpoint_key: slug('Key of the endpoint.'),
    revision: revisionNumber(),
    is_active: z.boolean().meta({ description: 'Whether rules post to this revision.' }),
    name: z.string().meta({ description: 'Name for people.' }),
    url: z.string().meta({ description: 'The URL that is called, in normalized form.' }),
    ...historyFields,
    signing_secret: secretText(
      'The signing secret: `whsec_` and 32 bytes in base64. Only in the response that creates the first revision.',
    ).optional(),
  })
  .meta({
    id: 'WebhookEndpointRevision',
    description: 'An immutable revision of a webhook endpoint.',
  });

const useSchema = z
  .strictObject({
    pipeline_id: uuid('The pipeline.'),
    scope: z.enum(['organization', 'agent']).meta({ description: 'Whose pipeline it is.' }),
    agent_slug: slug('The agent, for the pipeline of an agent.').optional(),
    revision: revisionNumber().meta({ description: 'Its active revision.' }),
    block_key: slug('Id of the block that posts to the endpoint.'),
  })
  .meta({
    id: 'WebhookEndpointUse',
    description: 'A block of an active pipeline that posts to an endpoint.',
  });

const usesSchema = () =>
  z.array(useSchema).meta({
    description: 'The blocks of active pipelines that post to it. It can be archived when empty.',
  });

const recentSchema = z
  .strictObject({
    attempted_at: timestamp('When it began.'),
    status_code: z.int().optional().meta({ description: 'The status that the receiver returned.' }),
    outcome: z
      .enum(BLOCK_OUTCOMES)
      .optional()
      .meta({ description: 'The outcome of a valid result.' }),
    error_code: z
      .enum(DELIVERY_ERRORS)
      .optional()
      .meta({ description: 'Why there is no valid result.' }),
    error_cause: z
      .enum(ERROR_CAUSES)
      .optional()
      .meta({ description: 'What to look at, where the connection gave no response.' }),
    failed_count: z.int().meta({
      description: `How many of the last ${RECENT_DELIVERIES} attempts that ended gave no valid result.`,
    }),
  })
  .meta({
    id: 'WebhookEndpointRecentDeliveries',
    description: 'The newest attempt to post to an endpoint that ended, tests included.',
  });

const summarySchema = z
  .strictObject({
    endpoint_key: slug('Key of the endpoint.'),
    name: z.string().meta({ description: 'Name in the newest revision.' }),
    url: z.string().meta({ description: 'URL in the newest revision.' }),
    ...summaryFields,
    latest_created_at: timestamp('When the newest revision was created.'),
    archived_at: timestamp(
      'When the endpoint was archived. Activating a revision clears it.',
    ).optional(),
    secret_rotated_at: timestamp('When its signing secret was made.'),
    previous_secret_expires_at: previousSecret(),
    recent_deliveries: recentSchema.optional(),
    uses: usesSchema(),
  })
  .meta({ id: 'WebhookEndpointSummary', description: 'A webhook endpoint, archived or not.' });

const presentRevision = (revision: WebhookEndpointRevision) =>
  present(revisionSchema, {
    ...revision,
    ...presentable(revision),
    signingSecret: revision.signingSecret,
  });

const presentUse = (use: WebhookEndpointUse) =>
  present(useSchema, { ...use, agentSlug: use.agentSlug });

const presentSummary = (summary: WebhookEndpointSummary) =>
  present(summarySchema, {
    ...summary,
    endpointKey: summary.documentKey,
    name: summary.name ?? '',
    url: summary.url ?? '',
    activeRevision: summary.activeRevision,
    archivedAt: summary.archivedAt,
    previousSecretExpiresAt: summary.previousSecretExpiresAt,
    revisionCount: summary.latestRevision,
    recentDeliveries: summary.recent && present(recentSchema, summary.recent),
    uses: summary.uses.map(presentUse),
  });

const documentExample = { name: 'Refund rules', url: 'https://rules.example.com/refunds' };

const ANCHOR =
  'While an active pipeline posts to the endpoint, the caller also needs `pipeline.activate` for that pipeline, and a session must be recently authenticated.';

const useExample = {
  pipeline_id: '0198f3a2-7d10-7c42-9b7e-5d6e7f8091a2',
  scope: 'agent',
  agent_slug: 'refund-bot',
  revision: 3,
  block_key: 'refund-limits',
};

const summaryExample = {
  endpoint_key: 'refund-rules',
  ...documentExample,
  active_revision: 1,
  latest_revision: 1,
  revision_count: 1,
  latest_created_at: '2026-03-02T12:00:00.000Z',
  secret_rotated_at: '2026-03-02T12:00:00.000Z',
  recent_deliveries: {
    attempted_at: '2026-03-02T12:05:00.000Z',
    status_code: 200,
    outcome: 'approve',
    failed_count: 0,
  },
  uses: [useExample],
};

export const params = { endpoint_key: slug('Key of the endpoint.') };

const revisions = revisionEndpoints({
  kind: webhookEndpointKind,
  path: ONE,
  tag: TAG,
  needsSecretsKey: true,
  operation: 'WebhookEndpoint',
  noun: 'a webhook endpoint',
  params,
  documentKey: (given) => given['endpoint_key'] ?? '',
  body: readByDomain(orAsRead(webhookEndpointSchema, ['endpoint_key'])),
  requestExample: documentExample,
  revision: revisionSchema,
  example: {
    id: '0198f3a2-8f10-7e88-9728-a3b4c5d6e7f8',
    endpoint_key: 'refund-rules',
    revision: 1,
    is_active: true,
    ...documentExample,
    ...historyExample('2026-03-02T12:00:00.000Z', 'The new rules engine.'),
  },
  firstExample: { signing_secret: secretExample },
  present: presentRevision,
  createErrors: ['egress_denied'],
  activation: `Rules post to its URL from then on. An archived endpoint comes back. ${ANCHOR}`,
  activateErrors: ['grant_exceeds_own', 'mfa_required', 'reauthentication_required'],
});

export const webhookEndpointEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listWebhookEndpoints',
    method: 'get',
    path: BASE,
    tag: TAG,
    summary: 'List webhook endpoints',
    description: 'In the order of their keys, archived ones too.',
    auth: 'product',
    permission: 'webhook.read',
    needsSecretsKey: true,
    query: summaryQuery('all').extend({
      q: searchQuery('Only endpoints whose key or name in the newest revision contains this text.'),
      limit: limitQuery(200),
    }),
    success: {
      status: 200,
      description: 'One page of endpoints.',
      body: z.strictObject({
        webhook_endpoints: z
          .array(summarySchema)
          .meta({ description: 'The endpoints of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: {
        webhook_endpoints: [summaryExample],
      },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const { summaries, next_cursor } = await summaryPage('webhook_endpoints', query, (page) =>
        listWebhookEndpoints(context, principal, page),
      );
      return { body: { webhook_endpoints: summaries.map(presentSummary), next_cursor } };
    },
  }),
  defineEndpoint({
    operationId: 'getWebhookEndpointSummary',
    method: 'get',
    path: `${ONE}/summary`,
    tag: TAG,
    summary: 'Get the state of a webhook endpoint',
    description:
      'As in the list: its active revision if it has one, its secret, how it went lately, and who posts to it. Archived ones too.',
    auth: 'product',
    permission: 'webhook.read',
    needsSecretsKey: true,
    params: z.strictObject(params),
    success: {
      status: 200,
      description: 'The endpoint.',
      body: summarySchema,
      example: summaryExample,
    },
    errors: [],
    handler: async ({ principal, params: { endpoint_key } }, context) => ({
      body: presentSummary(await getWebhookEndpointSummary(context, principal, endpoint_key)),
    }),
  }),
  ...revisions,
  defineEndpoint({
    operationId: 'archiveWebhookEndpoint',
    method: 'delete',
    path: `${ONE}/active`,
    tag: TAG,
    summary: 'Archive a webhook endpoint',
    description:
      'No revision is active any more. Refused while an active pipeline posts to the endpoint. Activating a revision brings it back. ' +
      'Takes the revision expected to be active as `If-Match`, `"0"` while none is; if another one is active by now, the response is 412 ' +
      'with `details.active_revision`.',
    auth: 'product',
    permission: 'webhook.write',
    needsSecretsKey: true,
    headers: { ifMatch: 'required' },
    params: z.strictObject(params),
    success: { status: 204, description: 'The endpoint is archived.' },
    errors: ['revision_conflict', 'webhook_endpoint_in_use'],
    handler: async ({ principal, params: { endpoint_key }, ifMatch }, context) => {
      const archived = { endpointKey: endpoint_key, expected: ifMatch };
      await archiveWebhookEndpoint(context, principal, archived);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'rotateWebhookEndpointSecret',
    method: 'post',
    path: `${ONE}/rotate_secret`,
    tag: TAG,
    summary: 'Replace the signing secret of a webhook endpoint',
    description: `${ROTATION} Revisions do not change. ${ANCHOR}`,
    auth: 'product',
    permission: 'webhook.write',
    needsSecretsKey: true,
    params: z.strictObject(params),
    body: rotationBody,
    bodyOptional: true,
    requestExample: { overlap: '24h' },
    success: {
      status: 200,
      description: 'The new secret, shown only once.',
      body: rotationSchema,
      example: rotationExample,
    },
    errors: ['grant_exceeds_own', 'mfa_required', 'reauthentication_required'],
    handler: async ({ principal, params: { endpoint_key }, body: { overlap } }, context) => {
      const rotation = { endpointKey: endpoint_key, overlap };
      const made = await rotateWebhookEndpointSecret(context, principal, rotation);
      return { body: present(rotationSchema, made) };
    },
  }),
  defineEndpoint({
    operationId: 'listWebhookEndpointUses',
    method: 'get',
    path: `${ONE}/uses`,
    tag: TAG,
    summary: 'List who posts to a webhook endpoint',
    description: 'The blocks of active pipelines, by pipeline and block.',
    auth: 'product',
    permission: 'webhook.read',
    needsSecretsKey: true,
    params: z.strictObject(params),
    success: {
      status: 200,
      description: 'All of them.',
      body: z.strictObject({ uses: usesSchema() }),
      example: { uses: [useExample] },
    },
    errors: [],
    handler: async ({ principal, params: { endpoint_key } }, context) => {
      const uses = await listWebhookEndpointUses(context, principal, endpoint_key);
      return { body: { uses: uses.map(presentUse) } };
    },
  }),
];
