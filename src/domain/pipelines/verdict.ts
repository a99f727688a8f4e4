/** What the organization's and the agent's pipeline together answer to a request. */
import {
  newEvaluationBudget,
  type ConditionFacts,
  type EvaluationBudget,
} from '../conditions/types.ts';
import type { CompiledPipeline } from './compile.ts';
import {
  escalation,
  evaluatePipeline,
  reportedOutcome,
  type EscalationPathSource,
  type Evaluation,
} from './evaluate.ts';

/** The result of the organization's and the agent's pipeline together. */
export interface Verdict {
  readonly outcome: 'approve' | 'deny' | 'human';
  /** The pipeline that decided. */
  readonly scope: 'organization' | 'agent';
  readonly reason_code: Evaluation['reason_code'];
  readonly block_id?: string;
  readonly reason?: string;
  readonly escalation_path?: string;
  readonly escalation_path_source: EscalationPathSource;
  readonly organization: Evaluation;
  /** Absent when the agent's pipeline did not run. */
  readonly agent?: Evaluation;
}

/**
 * The organization's pipeline, then the agent's if every block passed the request on. Each has a
 * budget of its own. An enabled `always` block of the organization decides every request that
 * reaches it, so no agent pipeline runs after one. Without an agent pipeline (archived agent), the
 * organization's pipeline decides.
 */
export function evaluateRequest(
  organizationPipeline: CompiledPipeline,
  agentPipeline: CompiledPipeline | undefined,
  facts: ConditionFacts,
): Verdict {
  const pipelines = { organization: organizationPipeline, agent: agentPipeline };
  return evaluateWithin(() => newEvaluationBudget(), pipelines, facts);
}

/** Like `evaluateRequest`, with another budget for each pipeline. */
export function evaluateWithin(
  newBudget: () => EvaluationBudget,
  pipelines: {
    readonly organization: CompiledPipeline;
    readonly agent: CompiledPipeline | undefined;
  },
  facts: ConditionFacts,
): Verdict {
  const { organization: organizationPipeline, agent: agentPipeline } = pipelines;
  const organization = evaluatePipeline(organizationPipeline, facts, newBudget());
  if (organization.outcome !== 'next' || !agentPipeline)
    return { ...verdictOf(organization), scope: 'organization', organization };
  const agent = evaluatePipeline(agentPipeline, facts, newBudget());
  const verdict = verdictOf(agent);
  const pathless = verdict.outcome === 'human' && verdict.escalation_path === undefined;
  const fallback = pathless
    ? escalation(undefined, organizationPipeline.defaultEscalationPath)
    : {};
  return { ...verdict, ...fallback, scope: 'agent', organization, agent };
}

function verdictOf(evaluation: Evaluation): Omit<Verdict, 'scope' | 'organization' | 'agent'> {
  const {
    reason_code,
    terminal_block_id: blockId,
    reason,
    escalation_path: path,
    escalation_path_source,
  } = evaluation;
  return {
    outcome: reportedOutcome(evaluation),
    reason_code,
    ...(blockId === undefined ? {} : { block_id: blockId }),
    ...(reason === undefined ? {} : { reason }),
    ...(path === undefined ? {} : { escalation_path: path }),
    escalation_path_source,
  };
}
