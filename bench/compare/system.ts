/** What is compared: Countersign in one of its variants, a peer, or Temporal alone. */
import type { Measured } from '../frame/load.ts';

/**
 * - `rule`: a create that a rule approves.
 * - `approval`: a whole approval by a person: create, level, decision, and the parked wait returns.
 * - `levels`: many levels with one due instant, until everyone is notified.
 */
export const JOBS = ['rule', 'approval', 'levels'] as const;
export type JobName = (typeof JOBS)[number];

export interface JobLoad {
  readonly callers: number;
  readonly seconds: number;
  /** Of `levels`. */
  readonly count: number;
}

export interface Turn {
  /** This alone is measured. It ends when all work that it caused has ended. */
  run(): Promise<Measured>;
  /** Puts the system back. */
  clear?(): Promise<void>;
}

export type Job = (load: JobLoad) => Promise<Turn>;

export interface System {
  readonly name: string;
  /** Prepares one turn of each job that the system has. */
  readonly jobs: Partial<Readonly<Record<JobName, Job>>>;
  /** The pids of its processes, by what they do. Postgres is not among them. */
  readonly processes: Readonly<Record<string, number>>;
  /** Undefined where Postgres is not used. */
  readonly databaseUrl?: string;
  stop(): Promise<void>;
}

/** One system in one turn. */
export interface Sample {
  readonly job: string;
  readonly system: string;
  /** Milliseconds: of a call; of `levels`, between the due instant and the notification. */
  readonly p50: number;
  readonly perSecond: number;
  /** Milliseconds of processor time for each call or level, by process. */
  readonly cpu: Readonly<Record<string, number>>;
}
