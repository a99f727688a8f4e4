/** Approval pipelines: ordered blocks that approve, deny, ask a person, or pass a request on. */
import type { Condition } from '../conditions/types.ts';

export const BLOCK_TYPES = ['always', 'cel'] as const;
export const ALWAYS_OUTCOMES = ['approve', 'deny', 'human'] as const;
export const BLOCK_OUTCOMES = ['approve', 'deny', 'human', 'next'] as const;

export type AlwaysOutcome = (typeof ALWAYS_OUTCOMES)[number];
export type BlockOutcome = (typeof BLOCK_OUTCOMES)[number];

export const PIPELINE_LIMITS = {
  blocks: 1_000,
  /** Characters of a block's name. */
  nameLength: 200,
  /** Characters of a block's reason. */
  reasonLength: 2_000,
  maxAttempts: 5,
  /** Of a block that asks somebody. */
  timeout: { min: '1s', max: '30s' },
} as const;

export interface AlwaysConfig {
  readonly outcome: AlwaysOutcome;
  readonly reason: string;
  /** Only with `human`. */
  readonly escalation_path?: string;
}

export interface CelConfig {
  readonly when: Condition;
  readonly on_match: BlockOutcome;
  readonly reason: string;
  /** Only with `human`. */
  readonly escalation_path?: string;
}

interface BlockEnvelope {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** A duration such as `5s`. Stored on every type; no block of today waits for anything. */
  readonly timeout: string;
  readonly max_attempts: number;
}

export type Block = BlockEnvelope &
  (
    | { readonly type: 'always'; readonly config: AlwaysConfig }
    | { readonly type: 'cel'; readonly config: CelConfig }
  );

export interface PipelineDocument {
  readonly blocks: readonly Block[];
  readonly default_escalation_path?: string;
}

/** A block as a revision keeps it. */
export type StoredBlock = Block & {
  /** Stays the same from revision to revision while the block does. */
  readonly snapshot_id: string;
  readonly config_version: 1;
  /** SHA-256, hex, over the canonical JSON of type and config. */
  readonly content_hash: string;
};
