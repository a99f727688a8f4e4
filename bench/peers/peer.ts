/** What each peer implements, in a process of its own (`peer-process.ts`). */
import type { JobName } from '../compare/system.ts';
import type { TOOL_ARGUMENTS } from '../frame/service.ts';

export type ToolArguments = typeof TOOL_ARGUMENTS;

export interface PeerOptions {
  /** Loads packages of the scratch folder. */
  readonly load: NodeJS.Require;
  /** Of an empty database on the Postgres that Countersign uses, too. */
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** For files of its own; exists and is empty. */
  readonly directory: string;
}

export interface Peer {
  /** Does the job of this peer once, under this id, and returns the decision it reads. */
  approve(id: string, call: ToolArguments): Promise<unknown>;
  /** The pids of servers that it started, by what they do. */
  readonly servers: Readonly<Record<string, number>>;
}

export interface PeerSpec {
  readonly job: JobName;
  readonly usesPostgres: boolean;
}

export type StartPeer = (options: PeerOptions) => Promise<Peer>;

/** What each peer decides. */
export const DECISION = 'approved';
/** How long an approval may wait where a wait has an end, in seconds: as long as ours. */
export const TIMEOUT_SECONDS = 24 * 60 * 60;
