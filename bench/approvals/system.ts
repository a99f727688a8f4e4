/** A system that is measured, Countersign in one of its modes or a peer, and its figures. */
import type { Measured, TimedLoad } from '../frame/load.ts';

export interface System {
  readonly name: string;
  /**
   * Creates approvals, decides each and reads it back. Resolves when all work that they caused has
   * ended, with figures of whole approvals.
   */
  run(load: TimedLoad): Promise<Measured>;
  /** The pids of its processes, by what they do. Postgres is not among them. */
  readonly processes: Readonly<Record<string, number>>;
  /** Undefined where Postgres is not used. */
  readonly databaseUrl: string | undefined;
  stop(): Promise<void>;
}

/** Who decides: a person, with a call for the decision and one that reads it back, or a rule at once. */
export type Work = 'person' | 'rule';

export interface Extent {
  readonly rounds: number;
  /** How long the callers of one system work in one round. */
  readonly seconds: number;
}

/** One system in one round. */
export interface Sample {
  readonly system: string;
  readonly callers: number;
  /** Milliseconds of a whole approval. */
  readonly p50: number;
  readonly perSecond: number;
  /** Milliseconds of processor time per whole approval, by process. */
  readonly cpu: Readonly<Record<string, number>>;
}
