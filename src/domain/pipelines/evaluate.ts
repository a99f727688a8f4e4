/**
 * Evaluates one pipeline. The evaluation is pure, ordered and fails closed: a block that fails hands
 * the request to a person. At a block that asks another system it stops, and continues after that
 * block once its result is known.
 */
import {
  newEvaluationBudget,
  type ConditionFacts,
  type EvaluationBudget,
} from '../conditions/types.ts';
import type { ErrorCause } from '../error-causes.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import {
  runBlock,
  type BlockVerdict,
  type BlockErrorCode,
  type BranchEnd,
  type CompiledBlock,
  type CompiledPipeline,
  type NeedsResult,
} from './compile.ts';
import type { Cost } from './judge/cost.ts';
import { remoteVerdict, type RemoteBlock, type RemoteResult } from './remote.ts';
import type { BlockOutcome, EscalationPathSource } from './types.ts';

/** The result of one block that was reached. */
export interface BlockReport {
  readonly block_id: string;
  readonly position: number;
  /** A branch returns `enter`, or `next` when the request does not meet its condition. */
  readonly outcome: BlockOutcome | 'enter';
  /** Absent when the block failed, or asks a person for no reason that anyone gave. */
  readonly reason?: string;
  readonly error_code?: BlockErrorCode;
  /** Where a connection to another system failed. */
  readonly error_cause?: ErrorCause;
  /** What another system returned, in a preview. */
  readonly metadata?: JsonText;
  /** What asking a language model took, in a preview. */
  readonly cost?: Cost;
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

/** The evaluation needs the result of a block before it can continue. */
export interface Asking {
  readonly ask: RemoteBlock;
  /** Those that were reached before. */
  readonly blocks: readonly BlockReport[];
}

/** A result, and the block that it belongs to. */
export interface After {
  readonly blockId: string;
  readonly result: RemoteResult;
}

type Ending = Pick<Evaluation, 'outcome' | 'reason_code' | 'reason' | 'escalation_path'> & {
  readonly terminal_block_id: string;
};

interface EvaluationOptions {
  readonly budget?: EvaluationBudget;
  /** The result of the block at which the evaluation stopped. It continues after that block. */
  readonly after?: After | undefined;
}

/**
 * Runs the enabled blocks in order until one decides, fails, or has to ask another system. Never
 * throws. The reports are those of this part of the evaluation.
 */
export function evaluatePipeline(
  pipeline: CompiledPipeline,
  facts: ConditionFacts,
  { budget = newEvaluationBudget(), after }: EvaluationOptions = {},
): Evaluation | Asking {
  const { blocks: compiled, defaultEscalationPath } = pipeline;
  const blocks: BlockReport[] = [];
  const run = { facts, budget, blocks };
  const ending = after ? goOn(pipeline, after, run) : runBlocks(compiled, run);
  if (!ending)
    return {
      outcome: 'next',
      reason_code: 'end_of_pipeline',
      ...escalation(undefined, defaultEscalationPath),
      blocks,
    };
  if ('block' in ending) return { ask: ending.block, blocks };
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
function runBlocks(blocks: readonly CompiledBlock[], run: Run): Ending | NeedsResult | undefined {
  for (const block of blocks) {
    const verdict = runBlock(block, run.facts, run.budget);
    if (verdict.outcome === 'ask') return verdict;
    const ending = settle(block, verdict, run);
    if (ending) return ending;
  }
  return undefined;
}

/** After a block whose result is known. */
function goOn(
  { remote }: CompiledPipeline,
  { blockId, result }: After,
  run: Run,
): Ending | NeedsResult | undefined {
  const place = remote.get(blockId);
  const block = place?.list[place.index];
  // A result of no block of this pipeline. Pinned revisions never change, so this is a defect of ours.
  if (!place || !block)
    return settle(
      { id: blockId, position: 0 },
      { outcome: 'human', error_code: 'block_failed' },
      run,
    );
  return (
    settle(block, remoteVerdict(place.block, result), run) ??
    runBlocks(place.list.slice(place.index + 1), run) ??
    (place.within && endOfBranch(place.within, run))
  );
}

/** Reports the verdict of a block. Undefined when it passes the request on. */
function settle(
  { id, position }: Pick<CompiledBlock, 'id' | 'position'>,
  verdict: BlockVerdict,
  run: Run,
): Ending | NeedsResult | undefined {
  if (verdict.outcome === 'enter') {
    run.blocks.push({ block_id: id, position, outcome: 'enter', reason: 'The condition holds.' });
    const { blocks, end } = verdict.branch;
    return runBlocks(blocks, run) ?? endOfBranch(end, run);
  }
  const { escalation_path: path, ...report } = verdict;
  run.blocks.push({ block_id: id, position, ...report });
  if (verdict.outcome === 'next') return undefined;
  return {
    outcome: verdict.outcome,
    reason_code: verdict.error_code === undefined ? 'block_outcome' : 'block_error',
    terminal_block_id: id,
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(path !== undefined && { escalation_path: path }),
  };
}

/** A request that enters a branch ends there. */
function endOfBranch({ id, position, ...end }: BranchEnd, run: Run): Ending {
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
