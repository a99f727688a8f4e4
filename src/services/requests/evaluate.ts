/** Runs the pinned pipelines of a request: pure rules over immutable input. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import {
  compilePipeline,
  evaluateRequest,
  type CompiledPipeline,
  type Verdict,
} from '../../domain/pipelines/evaluate.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { loadCompiledPipeline } from '../pipelines/request-approval-pipelines.ts';
import { conditionFacts } from './walk/walk-input.ts';

export interface Evaluated {
  readonly verdict: Verdict;
  /** Keys of the escalation paths that apply, best first; empty unless the outcome is `human`. */
  readonly pathKeys: readonly string[];
}

const NO_RULES = compilePipeline([]);

export async function evaluatePinned(
  context: ServiceContext,
  request: ApprovalRequest,
): Promise<Evaluated> {
  const [organization, agent] = await Promise.all([
    pinned(context.db, request.organizationPipelineRevisionId),
    pinned(context.db, request.agentPipelineRevisionId),
  ]);
  // Without the organization's rules the agent's alone must not approve: such a request goes to a person.
  const verdict = evaluateRequest(
    organization ?? NO_RULES,
    organization && agent,
    conditionFacts(request),
  );
  const defaults =
    verdict.scope === 'agent'
      ? [agent?.defaultEscalationPath, organization?.defaultEscalationPath]
      : [organization?.defaultEscalationPath];
  const pathKeys = [verdict.escalation_path, ...defaults].filter((key) => key !== undefined);
  return { verdict, pathKeys: verdict.outcome === 'human' ? [...new Set(pathKeys)] : [] };
}

async function pinned(
  db: Db,
  revisionId: string | undefined,
): Promise<CompiledPipeline | undefined> {
  return revisionId === undefined ? undefined : await loadCompiledPipeline(db, revisionId);
}
