/** Approval pipelines: revisions of the rules, and previews of rules before they are saved. */
import {
  pipelineOwner,
  type PipelineKey,
} from '../../domain/pipelines/request-approval-pipelines.ts';
import { historyOf, type Revision, type RevisionHistory } from '../../domain/revisions.ts';
import { callerIdOf, scopeOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import type { ConditionFacts } from '../../domain/conditions/types.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import type { Evaluation } from '../../domain/pipelines/evaluate.ts';
import {
  namedEndpoints,
  namedEscalationPaths,
  unknownModels,
} from '../../domain/pipelines/parse.ts';
import { inactiveNames } from '../../domain/pipelines/warnings/find.ts';
import { MOST_WARNINGS, type PipelineWarning } from '../../domain/pipelines/warnings/types.ts';
import { keepSnapshots } from '../../domain/pipelines/store.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import { requireRecentUnlessKey } from '../../domain/people/recent-authentication.ts';
import { findPathStates, lockPathStates } from '../../data/escalation/escalation-paths.ts';
import {
  insertNamedEndpoints,
  insertNamedPaths,
  pipelineTables,
} from '../../data/pipelines/request-approval-pipelines.ts';
import { findEndpointStates, lockEndpointStates } from '../../data/webhooks/webhook-endpoints.ts';
import { findDocument } from '../../data/revisions.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import { knownLength, knownMembers } from '../../platform/json/json-members.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { storedPipeline } from '../evaluation/compiled-pipelines.ts';
import { isHeavyDocument } from '../heavy-work.ts';
import { runPreview } from './preview.ts';
import {
  namesInStored,
  readHostedPipeline,
  readPipeline,
  type PipelineNames,
} from './read-pipeline.ts';
import type { RevisionedKind } from '../revisions/kind.ts';
import { listSummaries, type SummaryQuery } from '../revisions/read.ts';

export interface PipelineRevision extends RevisionHistory {
  /** The stored document. */
  readonly blocks: JsonText;
  readonly blockCount: number;
  readonly default_escalation_path?: string;
  readonly id: string;
  readonly scope: PipelineScope;
  readonly agentSlug?: string;
  readonly revision: number;
  readonly isActive: boolean;
  /** Empty unless the revision was just created or activated. */
  readonly warnings: readonly PipelineWarning[];
}

/** A stored document with its blocks as text. */
function printedPipeline(
  text: string,
): Pick<PipelineRevision, 'blocks' | 'blockCount' | 'default_escalation_path'> {
  const kept = knownMembers(text, ['blocks']) as unknown as {
    readonly blocks: JsonText;
    readonly block_count?: number;
    readonly default_escalation_path?: string;
  };
  const { block_count: count, ...members } = kept;
  // Revisions from before branches have no count.
  return { ...members, blockCount: count ?? knownLength(members.blocks.text) };
}

async function checkNames(
  db: Db,
  organizationId: string,
  { names }: { readonly names: PipelineNames },
): Promise<void> {
  const [paths, endpoints] = await Promise.all([
    findPathStates(db, organizationId, pathKeysOf(names)),
    findEndpointStates(db, organizationId, endpointKeysOf(names)),
  ]);
  const pathKeys = new Set(paths.map(({ pathKey }) => pathKey));
  const endpointKeys = new Set(endpoints.map(({ endpointKey }) => endpointKey));
  const issues: Issue[] = [
    ...names.paths
      .filter(({ pathKey }) => !pathKeys.has(pathKey))
      .map(({ pointer }) => ({
        pointer,
        code: 'unknown_escalation_path' as const,
        message: 'must be the key of an escalation path',
      })),
    ...names.endpoints
      .filter(({ endpointKey }) => !endpointKeys.has(endpointKey))
      .map(({ pointer }) => ({
        pointer,
        code: 'unknown_webhook_endpoint' as const,
        message: 'must be the key of a webhook endpoint',
      })),
  ];
  if (issues.length > 0) throw invalid(issues);
}

async function checkNamesActive(
  trx: Trx,
  organizationId: string,
  revision: Revision,
): Promise<void> {
  const stored = await storedPipeline(revision.document);
  const named = { paths: namedEscalationPaths(stored), endpoints: namedEndpoints(stored) };
  const pathKeys = pathKeysOf(named);
  const paths = await lockPathStates(trx, organizationId, pathKeys);
  const activePaths = new Set(paths.filter((path) => path.active).map(({ pathKey }) => pathKey));
  const inactivePaths = pathKeys.filter((pathKey) => !activePaths.has(pathKey));
  if (inactivePaths.length > 0)
    throw new AppError('escalation_path_inactive', {
      details: { escalation_paths: inactivePaths },
    });
  const endpointKeys = endpointKeysOf(named);
  const endpoints = await lockEndpointStates(trx, organizationId, endpointKeys);
  const active = new Set(
    endpoints.filter((endpoint) => endpoint.active).map(({ endpointKey }) => endpointKey),
  );
  const inactive = endpointKeys.filter((endpointKey) => !active.has(endpointKey));
  if (inactive.length > 0)
    throw new AppError('webhook_endpoint_inactive', { details: { webhook_endpoints: inactive } });
}

type NamedInPipeline = Pick<PipelineNames, 'paths' | 'endpoints'>;

const pathKeysOf = ({ paths }: NamedInPipeline): string[] =>
  [...new Set(paths.map(({ pathKey }) => pathKey))].sort();

const endpointKeysOf = ({ endpoints }: NamedInPipeline): string[] =>
  [...new Set(endpoints.map(({ endpointKey }) => endpointKey))].sort();

export const pipelineKind: RevisionedKind<PipelineNames, PipelineRevision> = {
  tables: pipelineTables,
  permissions: { read: 'pipeline.read', write: 'pipeline.write', activate: 'pipeline.activate' },
  requireMayActivate: (_trx, caller) => {
    requireRecentUnlessKey(caller);
  },
  targetOf: (documentKey) => {
    const { agentSlug } = pipelineOwner(documentKey);
    return agentSlug === undefined ? { kind: 'organization' } : { kind: 'agent', slug: agentSlug };
  },
  subject: 'request_approval_pipeline',
  archivedCode: 'agent_archived',
  identity: (documentKey) => {
    const { scope, agentSlug } = pipelineOwner(documentKey);
    return { scope, agent_slug: agentSlug };
  },
  auditData: (documentKey) => {
    const { scope, agentSlug } = pipelineOwner(documentKey);
    return { scope, agent_slug: agentSlug };
  },
  reader: readPipeline,
  hostedReader: readHostedPipeline,
  checkOutside: ({ judge }, { models }) => {
    if (models.length === 0) return;
    if (!judge) throw new AppError('judge_not_configured');
    const issues = unknownModels(models, judge.models);
    if (issues.length > 0) throw invalid(issues);
  },
  checkReferences: checkNames,
  carryOver: (text, latest) => keepSnapshots(text, latest.document),
  recordReferences: async (trx, { revisionId, names }) => {
    await insertNamedPaths(trx, { revisionId, pathKeys: pathKeysOf(names) });
    await insertNamedEndpoints(trx, { revisionId, endpoints: names.endpoints });
  },
  checkActivation: checkNamesActive,
  view: (revision) => ({
    ...printedPipeline(revision.document),
    ...pipelineOwner(revision.documentKey),
    id: revision.id,
    revision: revision.revision,
    isActive: revision.isActive,
    warnings: [],
    ...historyOf(revision),
  }),
  readNames: async ({ workerPool }, principal, { document }) =>
    isHeavyDocument(document)
      ? await workerPool.run(namesInStored, document, callerIdOf(principal))
      : namesInStored(document),
  addWarnings: async (db, organizationId, { view, names }) => ({
    ...view,
    warnings: names ? await warningsOf(db, organizationId, names) : [],
  }),
};

/** What the document shows, then what it names that is not active. */
async function warningsOf(
  db: Db,
  organizationId: string,
  names: Pick<PipelineNames, 'paths' | 'endpoints' | 'warnings'>,
): Promise<readonly PipelineWarning[]> {
  const paths = await findPathStates(db, organizationId, pathKeysOf(names));
  const endpoints = await findEndpointStates(db, organizationId, endpointKeysOf(names));
  const inactive = inactiveNames(names, {
    paths: new Set(paths.filter(({ active }) => active).map(({ pathKey }) => pathKey)),
    endpoints: new Set(
      endpoints.filter(({ active }) => active).map(({ endpointKey }) => endpointKey),
    ),
  });
  return [...names.warnings, ...inactive].slice(0, MOST_WARNINGS);
}

/**
 * The pipelines that the caller may see: all of them, or those of the agents that their grants
 * name.
 */
export async function listPipelines(
  context: ServiceContext,
  principal: ProductPrincipal,
  query: SummaryQuery,
) {
  const scope = scopeOf(principal, 'pipeline.read');
  if (!scope) return { summaries: [] };
  const documentKeys = scope.all
    ? undefined
    : scope.agentSlugs.map((slug): PipelineKey => `agent:${slug}`);
  return await listSummaries(context, principal, { tables: pipelineTables, documentKeys, query });
}

export interface PreviewedPipeline {
  readonly evaluation: Evaluation;
  readonly warnings: readonly PipelineWarning[];
}

/**
 * What a pipeline would conclude about a sample. Nothing is saved. Throws 400 for an invalid document
 * and, in an agent's pipeline, for a sample of another agent. Throws 404 when there is no such
 * pipeline.
 */
export async function previewPipeline(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    documentKey,
    body,
    sample,
  }: {
    readonly documentKey: PipelineKey;
    readonly body: ExactValue;
    readonly sample: ConditionFacts;
  },
): Promise<PreviewedPipeline> {
  const found = await findDocument(context.db, principal.organizationId, {
    tables: pipelineTables,
    documentKey,
  });
  if (!found) throw new AppError('not_found');
  const { agentSlug } = pipelineOwner(documentKey);
  if (agentSlug !== undefined && sample.agent.slug !== agentSlug) {
    throw invalid([
      {
        pointer: '/sample/agent/slug',
        code: 'invalid_value',
        message: 'must be the agent of this pipeline',
      },
    ]);
  }
  const { organizationId } = principal;
  const { scope } = pipelineOwner(documentKey);
  const onBehalfOf = callerIdOf(principal);
  const preview = { organizationId, scope, body, sample, onBehalfOf };
  const { evaluation, names } = await runPreview(context, preview);
  return { evaluation, warnings: await warningsOf(context.db, organizationId, names) };
}
