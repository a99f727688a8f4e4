/** What the organization's and the agent's pipeline together conclude about a request. */
import {
  newEvaluationBudget,
  type ConditionFacts,
  type EvaluationBudget,
} from '../conditions/types.ts';
import { compilePipeline, type CompiledPipeline } from './compile.ts';
import { escalation, evaluatePipeline, reportedOutcome, type Evaluation } from './evaluate.ts';
import type { BlockResult, RemoteBlock } from './remote.ts';
import type { EscalationPathSource, PipelineScope } from './types.ts';

/** The result of the organization's and the agent's pipeline together. */
export interface Verdict {
  readonly outcome: 'approve' | 'deny' | 'human';
  /** The pipeline that decided. */
  readonly scope: PipelineScope;
  readonly reason_code: Evaluation['reason_code'];
  readonly block_id?: string;
  readonly reason?: string;
  readonly escalation_path?: string;
  readonly escalation_path_source: EscalationPathSource;
  /** Absent when the agent's pipeline continued after one of its own blocks. */
  readonly organization?: Evaluation;
  /** Absent when the agent's pipeline did not run. */
  readonly agent?: Evaluation;
}

/** No verdict yet: the result of a block is needed. */
export interface Question {
  readonly scope: PipelineScope;
  readonly ask: RemoteBlock;
}

/** What is evaluated. */
export interface Evaluating {
  /** Absent when none was active. Then the request goes to a person. */
  readonly organization: CompiledPipeline | undefined;
  /** Absent for an archived agent. Then the organization's pipeline decides. */
  readonly agent: CompiledPipeline | undefined;
  readonly facts: ConditionFacts;
  /** Makes the budget of each pipeline. */
  readonly newBudget?: () => EvaluationBudget;
}

/**
 * The organization's pipeline, then the agent's if every block passed the request on. Each has a
 * its own budget. An enabled `always` block of the organization decides every request that
 * reaches it, so no agent pipeline runs after one.
 *
 * With the result of a block, the evaluation continues after that block, never from the top. The
 * metadata that blocks return could change what earlier conditions say.
 */
export function evaluateRequest(
  { organization: rules, agent: agentRules, facts, newBudget }: Evaluating,
  last?: BlockResult,
): Verdict | Question {
  const organizationPipeline = rules ?? NO_BLOCKS;
  // Without the organization's rules, the agent's rules alone must not approve.
  const agentPipeline = rules && agentRules;
  const options = (scope: PipelineScope) => ({
    budget: (newBudget ?? newEvaluationBudget)(),
    after: last?.scope === scope ? last : undefined,
  });
  const organization =
    last?.scope === 'agent'
      ? undefined
      : evaluatePipeline(organizationPipeline, facts, options('organization'));
  if (organization && 'ask' in organization)
    return { scope: 'organization', ask: organization.ask };
  if (organization && (organization.outcome !== 'next' || !agentPipeline))
    return { ...verdictOf(organization), scope: 'organization', organization };
  const agent = evaluatePipeline(agentPipeline ?? NO_BLOCKS, facts, options('agent'));
  if ('ask' in agent) return { scope: 'agent', ask: agent.ask };
  const verdict = verdictOf(agent);
  const pathless = verdict.outcome === 'human' && verdict.escalation_path === undefined;
  const fallback = pathless
    ? escalation(undefined, organizationPipeline.defaultEscalationPath)
    : {};
  return { ...verdict, ...fallback, scope: 'agent', ...(organization && { organization }), agent };
}

const NO_BLOCKS = compilePipeline([]);

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
