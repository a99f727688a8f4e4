/**
 * Evaluates one pipeline. The evaluation is pure, ordered and fails closed: a block that fails hands
 * the request to a person.
 */
import {
  newEvaluationBudget,
  type ConditionFacts,
  type EvaluationBudget,
} from '../conditions/types.ts';
import {
  runBlock,
  type BlockAnswer,
  type BlockErrorCode,
  type CompiledBlock,
  type CompiledPipeline,
} from './compile.ts';
import type { BlockOutcome } from './types.ts';

export type EscalationPathSource = 'block_escalation' | 'pipeline_default' | 'no_escalation';

/** The result of one block that was reached. */
export interface BlockReport {
  readonly block_id: string;
  readonly position: number;
  /** A branch answers `enter`, or `next` when the request does not meet its condition. */
  readonly outcome: BlockOutcome | 'enter';
  /** Absent when the block passed the request on without matching, was entered, or failed. */
  readonly reason?: string;
  readonly error_code?: BlockErrorCode;
  /** Of the second report of a branch: none of its blocks decided. */
  readonly end_of_branch?: true;
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
  readonly reason_code: 'block_outcome' | 'block_error' | 'end_of_branch' | 'end_of_pipeline';
  readonly terminal_block_id?: string;
  readonly reason?: string;
  readonly escalation_path?: string;
  /** `no_escalation` also for `approve` and `deny`. */
  readonly escalation_path_source: EscalationPathSource;
  readonly blocks: readonly BlockReport[];
}

type Ending = Pick<Evaluation, 'outcome' | 'reason_code' | 'reason' | 'escalation_path'> & {
  readonly terminal_block_id: string;
};

/** Runs the enabled blocks in order until one decides or fails. Never throws. */
export function evaluatePipeline(
  { blocks: compiled, defaultEscalationPath }: CompiledPipeline,
  facts: ConditionFacts,
  budget: EvaluationBudget = newEvaluationBudget(),
): Evaluation {
  const blocks: BlockReport[] = [];
  const ending = runBlocks(compiled, { facts, budget, blocks });
  if (!ending)
    return {
      outcome: 'next',
      reason_code: 'end_of_pipeline',
      ...escalation(undefined, defaultEscalationPath),
      blocks,
    };
  const { escalation_path: path, ...rest } = ending;
  const route = ending.outcome === 'human' ? escalation(path, defaultEscalationPath) : escalation();
  return { ...rest, ...route, blocks };
}

interface Run {
  readonly facts: ConditionFacts;
  readonly budget: EvaluationBudget;
  /** Reports so far. */
  readonly blocks: BlockReport[];
}

/** Undefined when every block passed the request on. */
function runBlocks(blocks: readonly CompiledBlock[], run: Run): Ending | undefined {
  for (const block of blocks) {
    const answer = runBlock(block, run.facts, run.budget);
    const { id, position } = block;
    if (answer.outcome === 'enter') {
      run.blocks.push({ block_id: id, position, outcome: 'enter' });
      return runBlocks(answer.branch.blocks, run) ?? endOfBranch(block, answer, run);
    }
    const { escalation_path: path, ...report } = answer;
    run.blocks.push({ block_id: id, position, ...report });
    if (answer.outcome === 'next') continue;
    return {
      outcome: answer.outcome,
      reason_code: answer.error_code === undefined ? 'block_outcome' : 'block_error',
      terminal_block_id: id,
      ...(answer.reason !== undefined && { reason: answer.reason }),
      ...(path !== undefined && { escalation_path: path }),
    };
  }
  return undefined;
}

/** A request that enters a branch ends there. */
function endOfBranch(
  { id, position }: CompiledBlock,
  { branch: { end } }: Extract<BlockAnswer, { outcome: 'enter' }>,
  run: Run,
): Ending {
  const { reason } = end;
  run.blocks.push({ block_id: id, position, outcome: 'human', reason, end_of_branch: true });
  return { outcome: 'human', reason_code: 'end_of_branch', terminal_block_id: id, ...end };
}

export function escalation(
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
export function reportedOutcome({
  outcome,
}: Pick<Evaluation, 'outcome'>): Exclude<BlockOutcome, 'next'> {
  return outcome === 'next' ? 'human' : outcome;
}

/** True when a block did not fit into the budget. */
export function wasTooCostly({ blocks }: Pick<Evaluation, 'blocks'>): boolean {
  return blocks.at(-1)?.error_code === 'condition_too_costly';
}
