/** Approval pipelines of the organization and of agents. */
import type { RevisionSummary } from '../../src/domain/revisions.ts';
import { z } from 'zod';
import { pipelineDocumentSchema, storedBlockSchema } from '../../src/domain/pipelines/document.ts';
import { pipelineOwner } from '../../src/domain/pipelines/request-approval-pipelines.ts';
import {
  listPipelines,
  pipelineKind,
  previewPipeline,
  type PipelineRevision,
} from '../../src/services/pipelines/request-approval-pipelines.ts';
import { present } from '../http/present.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  emptyObject,
  previewBody,
  previewSchema,
  presentPreview,
} from './pipeline-preview-schema.ts';
import type { PipelineResource } from './pipeline-resource.ts';
import { pipelineWarnings, presentPipelineWarning } from './pipeline-warnings-schema.ts';
import { diffEndpoint } from './diff.ts';
import { concludingBlocksEndpoint } from './concluding-blocks.ts';
import { simulateEndpoint } from './simulate.ts';
import { historyExample, historyFields, orAsRead, presentable } from '../revision-history.ts';
import {
  revisionEndpoints,
  revisionNumber,
  summaryFields,
  summaryPage,
  summaryQuery,
} from '../revisions.ts';
import { nextCursor, printed, readByDomain, slug, timestamp, uuid } from '../http/schema.ts';

const TAG = 'Approval pipelines';
const BASE = '/api/v1/request-approval-pipelines';

const scopeFields = {
  scope: z.enum(['organization', 'agent']).meta({
    description: 'Whose pipeline it is. The organization’s runs first, for every request.',
  }),
  agent_slug: slug('The agent; absent at organization scope.').optional(),
};

const pipelineRevisionSchema = z
  .strictObject({
    id: uuid('Identity of the revision.'),
    ...scopeFields,
    revision: revisionNumber(),
    is_active: z
      .boolean()
      .meta({ description: 'True for the one revision that new requests are evaluated with.' }),
    block_count: z.int().meta({ description: 'How many blocks the pipeline has.' }),
    default_escalation_path: z
      .string()
      .optional()
      .meta({ description: 'Key of the path that finds a person where a block names none.' }),
    ...historyFields,
    blocks: printed(
      z
        .array(storedBlockSchema)
        .meta({ description: 'The blocks, in the order in which they are asked.' }),
    ),
    warnings: pipelineWarnings(),
  })
  .meta({ id: 'PipelineRevision', description: 'An immutable revision of a pipeline.' });

const pipelineSummarySchema = z
  .strictObject({
    ...scopeFields,
    ...summaryFields,
    latest_created_at: timestamp('When the newest revision was created.'),
    archived_at: timestamp('When the pipeline was archived with its agent.').optional(),
  })
  .meta({ id: 'PipelineSummary', description: 'A pipeline without its blocks.' });

function presentRevision(pipeline: PipelineRevision) {
  return present(pipelineRevisionSchema, {
    ...pipeline,
    ...presentable(pipeline),
    defaultEscalationPath: pipeline.default_escalation_path,
    warnings: pipeline.warnings.map(presentPipelineWarning),
  });
}

function presentSummary(summary: RevisionSummary) {
  const { scope, agentSlug } = pipelineOwner(summary.documentKey);
  return present(pipelineSummarySchema, {
    ...summary,
    scope,
    agentSlug,
    revisionCount: summary.latestRevision,
  });
}

const blockExample = {
  id: 'small-refunds',
  name: 'Small refunds',
  type: 'cel',
  enabled: true,
  timeout: '5s',
  max_attempts: 1,
  config: {
    when: {
      id: 'small',
      all: [
        { id: 'tool', field: '/request/tool', operator: 'equals', value: 'refund' },
        { id: 'positive', field: '/request/arguments/amount', operator: 'greater_than', value: 0 },
        { id: 'amount', field: '/request/arguments/amount', operator: 'less_than', value: 50 },
      ],
    },
    on_match: 'approve',
    reason: 'Refunds below 50 need no approval.',
  },
};

const documentExample = { blocks: [blockExample], default_escalation_path: 'on-call' };

const revisionExample = {
  id: '0198f3a2-7d10-7f33-82d3-5e6f708192a3',
  scope: 'organization',
  revision: 2,
  is_active: true,
  block_count: 1,
  default_escalation_path: 'on-call',
  ...historyExample('2026-03-02T10:00:00.000Z', 'Small refunds need no one.'),
  blocks: [
    {
      ...blockExample,
      snapshot_id: '0198f3a2-7d11-7a44-93e4-6f708192a3b4',
      config_version: 1,
      content_hash: '5a1f7c0e2b9d4836a7c1e5f09b3d72846fe0a1c2d3b4958677869504a3b2c1d0',
    },
  ],
  warnings: [],
};

const listPipelinesEndpoint = defineEndpoint({
  operationId: 'listPipelines',
  method: 'get',
  path: BASE,
  tag: TAG,
  summary: 'List approval pipelines',
  description:
    "The organization's pipeline first, then those of agents by slug. A grant for some agents shows only theirs.",
  auth: 'product',
  permission: 'pipeline.read',
  permissionAt: () => ({ kind: 'any' }),
  query: summaryQuery(),
  success: {
    status: 200,
    description: 'One page of pipelines.',
    body: z.strictObject({
      request_approval_pipelines: z
        .array(pipelineSummarySchema)
        .meta({ description: 'The pipelines of this page.' }),
      next_cursor: nextCursor(),
    }),
    example: {
      request_approval_pipelines: [
        {
          scope: 'organization',
          active_revision: 2,
          latest_revision: 2,
          revision_count: 2,
          latest_created_at: '2026-03-02T10:00:00.000Z',
        },
      ],
    },
  },
  errors: [],
  handler: async ({ principal, query }, context) => {
    const { summaries, next_cursor } = await summaryPage('pipelines', query, (page) =>
      listPipelines(context, principal, page),
    );
    return { body: { request_approval_pipelines: summaries.map(presentSummary), next_cursor } };
  },
});

const shared = {
  kind: pipelineKind,
  tag: TAG,
  body: readByDomain(orAsRead(pipelineDocumentSchema, ['scope', 'agent_slug', 'block_count'])),
  requestExample: documentExample,
  revision: pipelineRevisionSchema,
  present: presentRevision,
  createErrors: ['unknown_block_type', 'agent_archived', 'judge_not_configured'],
  activation:
    'It applies to requests created from then on. Earlier requests keep the revision they were created with. A session must be recently authenticated.',
  activateErrors: [
    'mfa_required',
    'reauthentication_required',
    'agent_archived',
    'escalation_path_inactive',
    'webhook_endpoint_inactive',
  ],
} as const;

const organizationPipeline: PipelineResource = {
  ...shared,
  path: `${BASE}/organization`,
  operation: 'OrganizationPipeline',
  noun: "the organization's pipeline",
  params: {},
  documentKey: () => 'organization',
  example: revisionExample,
};

const agentPipeline: PipelineResource = {
  ...shared,
  path: `${BASE}/agents/{agent_slug}`,
  operation: 'AgentPipeline',
  noun: "an agent's pipeline",
  params: { agent_slug: slug('Slug of the agent.') },
  documentKey: (params) => `agent:${params['agent_slug'] ?? ''}`,
  example: { ...revisionExample, scope: 'agent', agent_slug: 'deploy-bot' },
};

const sampleExample = {
  request: { tool: 'refund', server: 'payments', arguments: { amount: 20 } },
  agent: { slug: 'deploy-bot', name: 'Deploy bot' },
};

const previewExample = {
  outcome: 'approve',
  reason_code: 'block_outcome',
  terminal_block_id: 'small-refunds',
  escalation_path_source: 'no_escalation',
  blocks: [
    {
      block_id: 'small-refunds',
      position: 0,
      outcome: 'approve',
      reason: 'Refunds below 50 need no approval.',
    },
  ],
  warnings: [],
};

function previewEndpoint({
  operation,
  noun,
  path,
  params,
  documentKey,
}: PipelineResource): Endpoint {
  return defineEndpoint({
    operationId: `preview${operation}`,
    method: 'post',
    path: `${path}/preview`,
    tag: TAG,
    summary: `Try out a revision of ${noun}`,
    description:
      'Evaluates the sample with the given blocks. Nothing is saved, and no other pipeline is asked. Blocks that ask other systems really ask them, once each, with `preview: true`, and have 30 seconds together.',
    auth: 'product',
    permission: 'pipeline.write',
    permissionAt: (given) => pipelineKind.targetOf(documentKey(given)),
    params: z.strictObject({ ...params }),
    bodyLimit: BODY_BYTES.large,
    body: previewBody,
    documents: [
      '/blocks',
      '/sample/request/arguments',
      '/sample/request/context',
      '/sample/previous_metadata/organization',
      '/sample/previous_metadata/agent',
    ],
    verbatim: [
      '/sample/request/arguments',
      '/sample/request/agent_reasoning',
      '/sample/request/context',
    ],
    requestExample: { ...documentExample, sample: sampleExample },
    success: {
      status: 200,
      description: 'What the pipeline would decide.',
      body: previewSchema,
      example: previewExample,
    },
    errors: ['unknown_block_type', 'not_found'],
    handler: async ({ principal, params: given, body: { sample, ...document } }, context) => {
      const previewed = await previewPipeline(context, principal, {
        documentKey: documentKey(given),
        body: Object.assign(emptyObject(), document),
        sample,
      });
      return { body: presentPreview(previewed) };
    },
  });
}

export const pipelineEndpoints: readonly Endpoint[] = [
  listPipelinesEndpoint,
  ...revisionEndpoints(organizationPipeline),
  diffEndpoint(organizationPipeline),
  previewEndpoint(organizationPipeline),
  simulateEndpoint(organizationPipeline),
  concludingBlocksEndpoint(organizationPipeline),
  ...revisionEndpoints(agentPipeline),
  diffEndpoint(agentPipeline),
  previewEndpoint(agentPipeline),
  simulateEndpoint(agentPipeline),
  concludingBlocksEndpoint(agentPipeline),
];
