/**
 * Evaluates pipelines. The evaluation is pure, ordered and fails closed: a block that fails hands
 * the request to a person.
 */
import {
  compileCondition,
  evaluateCondition,
  type CompiledCondition,
} from '../conditions/compile.ts';
import {
  ConditionError,
  type ConditionErrorCode,
  newEvaluationBudget,
  spend,
  type ConditionFacts,
  type EvaluationBudget,
} from '../conditions/types.ts';
import type { BlockOutcome, StoredBlock } from './types.ts';

export type EscalationPathSource = 'block_escalation' | 'pipeline_default' | 'no_escalation';
export type BlockErrorCode = ConditionErrorCode | 'unknown_block_type' | 'block_failed';

/** A pipeline, prepared once for any number of requests. */
export interface CompiledPipeline {
  /** The enabled blocks. */
  readonly blocks: readonly CompiledBlock[];
  readonly defaultEscalationPath?: string;
}

interface CompiledBlock {
  readonly id: string;
  /** Index in the document, including disabled blocks. */
  readonly position: number;
  readonly run: (facts: ConditionFacts, budget: EvaluationBudget) => BlockResult;
}

interface BlockResult {
  readonly outcome: BlockOutcome;
  readonly reason?: string;
  readonly escalation_path?: string;
  readonly error_code?: BlockErrorCode;
}

/** The result of one block that was reached. */
export interface BlockReport {
  readonly block_id: string;
  readonly position: number;
  readonly outcome: BlockOutcome;
  /** Absent when the block passed the request on without matching, or failed. */
  readonly reason?: string;
  readonly error_code?: BlockErrorCode;
}

/**
 * The result of one pipeline. The escalation path is this pipeline's own view, without another
 * pipeline's default.
 */
export interface Evaluation {
  /**
   * `next` when every block passed the request on. Alone, such a request goes to a person
   * (`reportedOutcome`).
   */
  readonly outcome: BlockOutcome;
  readonly reason_code: 'block_outcome' | 'block_error' | 'end_of_pipeline';
  readonly terminal_block_id?: string;
  readonly reason?: string;
  readonly escalation_path?: string;
  /** `no_escalation` also for `approve` and `deny`. */
  readonly escalation_path_source: EscalationPathSource;
  readonly blocks: readonly BlockReport[];
}

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
 * Prepares the blocks of a revision. Never throws: a block that cannot be compiled fails when it is
 * reached.
 */
export function compilePipeline(
  blocks: readonly StoredBlock[],
  defaultEscalationPath?: string,
): CompiledPipeline {
  const compiled = blocks.flatMap((block, position) => {
    if (!block.enabled) return [];
    return [{ id: block.id, position, run: compileBlock(block) }];
  });
  return defaultEscalationPath === undefined
    ? { blocks: compiled }
    : { blocks: compiled, defaultEscalationPath };
}

function compileBlock(block: StoredBlock): CompiledBlock['run'] {
  try {
    switch (block.type) {
      case 'cel':
        return compileCel(block.config.when, decided(block.config.on_match, block.config));
      case 'always': {
        const result = decided(block.config.outcome, block.config);
        return () => result;
      }
      default:
        // Only a later release knows it: this one can meet its documents during an upgrade.
        block satisfies never;
        return () => failed('unknown_block_type');
    }
  } catch (error) {
    const code = errorCode(error);
    return () => failed(code);
  }
}

function compileCel(
  when: Parameters<typeof compileCondition>[0],
  matched: BlockResult,
): CompiledBlock['run'] {
  let condition: CompiledCondition | undefined;
  return (facts, budget) => {
    // Only blocks that are reached are compiled. Each run pays for compiling, so that the verdict
    // is the same in every process.
    condition ??= compileCondition(when, budget);
    spend(budget, condition.tests.length);
    return evaluateCondition(condition, facts, budget) ? matched : { outcome: 'next' };
  };
}

function decided(
  outcome: BlockOutcome,
  config: { readonly reason: string; readonly escalation_path?: string },
): BlockResult {
  const { reason, escalation_path: path } = config;
  return path === undefined ? { outcome, reason } : { outcome, reason, escalation_path: path };
}

const failed = (code: BlockErrorCode): BlockResult => ({ outcome: 'human', error_code: code });

const errorCode = (error: unknown): BlockErrorCode =>
  error instanceof ConditionError ? error.code : 'block_failed';

/** Runs the enabled blocks in order until one decides or fails. Never throws. */
export function evaluatePipeline(
  pipeline: CompiledPipeline,
  facts: ConditionFacts,
  budget: EvaluationBudget = newEvaluationBudget(),
): Evaluation {
  const blocks: BlockReport[] = [];
  for (const block of pipeline.blocks) {
    const result = runBlock(block, facts, budget);
    const { escalation_path: path, ...report } = result;
    blocks.push({ block_id: block.id, position: block.position, ...report });
    if (result.outcome === 'next') continue;
    return {
      outcome: result.outcome,
      reason_code: result.error_code === undefined ? 'block_outcome' : 'block_error',
      terminal_block_id: block.id,
      ...(result.reason === undefined ? {} : { reason: result.reason }),
      ...(result.outcome === 'human'
        ? escalation(path, pipeline.defaultEscalationPath)
        : escalation()),
      blocks,
    };
  }
  return {
    outcome: 'next',
    reason_code: 'end_of_pipeline',
    ...escalation(undefined, pipeline.defaultEscalationPath),
    blocks,
  };
}

function runBlock(
  block: CompiledBlock,
  facts: ConditionFacts,
  budget: EvaluationBudget,
): BlockResult {
  try {
    return block.run(facts, budget);
  } catch (error) {
    return failed(errorCode(error));
  }
}

function escalation(
  own?: string,
  fallback?: string,
): Pick<Evaluation, 'escalation_path' | 'escalation_path_source'> {
  if (own !== undefined)
    return { escalation_path: own, escalation_path_source: 'block_escalation' };
  if (fallback !== undefined)
    return { escalation_path: fallback, escalation_path_source: 'pipeline_default' };
  return { escalation_path_source: 'no_escalation' };
}

/** The outcome of a pipeline on its own: a request that passes every block goes to a person. */
export function reportedOutcome({ outcome }: Pick<Evaluation, 'outcome'>): Verdict['outcome'] {
  return outcome === 'next' ? 'human' : outcome;
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

/** True when a block did not fit into the budget. */
export function wasTooCostly({ blocks }: Pick<Evaluation, 'blocks'>): boolean {
  return blocks.at(-1)?.error_code === 'condition_too_costly';
}
