/** Prepares the blocks of pipelines: what each concludes about a request. */
import {
  compileCondition,
  evaluateCondition,
  type CompiledCondition,
} from '../conditions/compile.ts';
import {
  ConditionError,
  type ConditionErrorCode,
  spend,
  type ConditionFacts,
  type EvaluationBudget,
} from '../conditions/types.ts';
import type { ErrorCause } from '../error-causes.ts';
import { placedBlocks } from './nesting.ts';
import { isRemote, type RemoteBlock, type RemoteErrorCode } from './remote.ts';
import type { BlockOutcome, StoredBlock } from './types.ts';

export type BlockErrorCode =
  ConditionErrorCode | RemoteErrorCode | 'unknown_block_type' | 'block_failed';

/** A pipeline, prepared once for any number of requests. */
export interface CompiledPipeline {
  /** The enabled blocks. */
  readonly blocks: readonly CompiledBlock[];
  /** The enabled blocks that ask another system, by their ids. */
  readonly remote: ReadonlyMap<string, RemotePlace>;
  readonly defaultEscalationPath?: string;
}

/** Where an evaluation stops to ask, and continues. */
export interface RemotePlace {
  readonly block: RemoteBlock;
  /** The enabled blocks of its list, and its index there. */
  readonly list: readonly CompiledBlock[];
  readonly index: number;
  /** The branch whose list it is. */
  readonly within?: BranchEnd;
}

interface Placed {
  readonly id: string;
  /** Index in the document in reading order, including disabled blocks and those in branches. */
  readonly position: number;
}

export interface CompiledBlock extends Placed {
  readonly run: (facts: ConditionFacts, budget: EvaluationBudget) => BlockVerdict | NeedsResult;
}

/** The result of another system is needed. */
export interface NeedsResult {
  readonly outcome: 'ask';
  readonly block: RemoteBlock;
}

/** `next` passes the request on to the block after this one. */
export type BlockVerdict =
  | {
      readonly outcome: BlockOutcome;
      readonly reason?: string;
      readonly escalation_path?: string;
      readonly error_code?: BlockErrorCode;
      readonly error_cause?: ErrorCause;
    }
  | { readonly outcome: 'enter'; readonly branch: CompiledBranch };

export interface CompiledBranch {
  readonly blocks: readonly CompiledBlock[];
  readonly end: BranchEnd;
}

/** How a request ends that runs out of a branch. */
export interface BranchEnd extends Placed {
  readonly reason: string;
  readonly escalation_path?: string;
}

/**
 * Prepares the blocks of a revision. Never throws: a block that cannot be compiled fails when it is
 * reached.
 */
export function compilePipeline(
  blocks: readonly StoredBlock[],
  defaultEscalationPath?: string,
): CompiledPipeline {
  const positions = new Map(placedBlocks(blocks).map(({ block }, index) => [block, index]));
  const remote = new Map<string, RemotePlace>();
  const compiled = compileBlocks(blocks, { positions, remote });
  return defaultEscalationPath === undefined
    ? { blocks: compiled, remote }
    : { blocks: compiled, remote, defaultEscalationPath };
}

interface Compiling {
  readonly positions: ReadonlyMap<StoredBlock, number>;
  /** Collects the remote blocks. */
  readonly remote: Map<string, RemotePlace>;
}

function compileBlocks(
  blocks: readonly StoredBlock[],
  compiling: Compiling,
  within?: BranchEnd,
): CompiledBlock[] {
  const enabled = blocks.filter((block) => block.enabled);
  const list = enabled.map((block) => {
    const placed = { id: block.id, position: compiling.positions.get(block) ?? 0 };
    return { ...placed, run: compileBlock(block, placed, compiling) };
  });
  for (const [index, block] of enabled.entries())
    if (isRemote(block))
      compiling.remote.set(block.id, { block, list, index, ...(within && { within }) });
  return list;
}

function compileBlock(
  block: StoredBlock,
  placed: Placed,
  compiling: Compiling,
): CompiledBlock['run'] {
  try {
    switch (block.type) {
      case 'cel':
        return underCondition(block.config.when, decided(block.config.on_match, block.config));
      case 'always': {
        const result = decided(block.config.outcome, block.config);
        return () => result;
      }
      case 'branch': {
        const { when, reason, escalation_path: path } = block.config;
        const end = { ...placed, reason, ...(path !== undefined && { escalation_path: path }) };
        const blocks = compileBlocks(block.config.blocks, compiling, end);
        return underCondition(when, { outcome: 'enter', branch: { blocks, end } });
      }
      case 'webhook':
      case 'llm_judge': {
        const question = { outcome: 'ask', block } as const;
        return () => question;
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

function underCondition(
  when: Parameters<typeof compileCondition>[0],
  matched: BlockVerdict,
): CompiledBlock['run'] {
  let condition: CompiledCondition | undefined;
  return (facts, budget) => {
    // Only blocks that are reached are compiled. Each run pays for compiling, so that the verdict
    // is the same in every process.
    condition ??= compileCondition(when, budget);
    spend(budget, condition.tests.length);
    return evaluateCondition(condition, facts, budget) ? matched : NOT_MET;
  };
}

const NOT_MET: BlockVerdict = { outcome: 'next', reason: 'The condition does not hold.' };

function decided(
  outcome: BlockOutcome,
  config: { readonly reason: string; readonly escalation_path?: string },
): BlockVerdict {
  const { reason, escalation_path: path } = config;
  return path === undefined ? { outcome, reason } : { outcome, reason, escalation_path: path };
}

const failed = (code: BlockErrorCode): BlockVerdict => ({ outcome: 'human', error_code: code });

const errorCode = (error: unknown): BlockErrorCode =>
  error instanceof ConditionError ? error.code : 'block_failed';

/** Never throws. */
export function runBlock(
  block: CompiledBlock,
  facts: ConditionFacts,
  budget: EvaluationBudget,
): BlockVerdict | NeedsResult {
  try {
    return block.run(facts, budget);
  } catch (error) {
    return failed(errorCode(error));
  }
}
