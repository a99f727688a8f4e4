/**
 * What the services need from outside their layers. `temporal/` implements Workflows; `bin/`
 * assembles the parts.
 */
import type { SIGNALS } from '../domain/requests/workflow-contract.ts';
import type { TerminalState } from '../domain/requests/approval-requests.ts';

/** Enough of a request to start its workflow and to find it in the Temporal UI. Never arguments. */
export interface WorkflowSubject {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly tool: string;
}

/** The name of a signal: its reason, for operators. */
export type WorkflowSignal = (typeof SIGNALS)[number];

/** What a request waits for after a step. */
export interface PlannedWait {
  /** When the next step is due. */
  readonly until: Date;
  /** Why, in one line. */
  readonly summary: string;
  /** For operators: level, who is asked, deadline. Markdown. */
  readonly details: string;
  /** The key of its escalation path. */
  readonly path?: string;
}

export interface StartOptions {
  /** Aborted when the request has its decision: a start that still waits is then given up. */
  readonly over?: AbortSignal;
  /** What the request waits for: the workflow then begins by waiting. Without it, with a step. */
  readonly wait?: PlannedWait;
}

/**
 * The clock of requests. Every method rejects soon and without harm when Temporal cannot be
 * reached: the request's row has the same facts, and the reconciler repeats the call.
 */
export interface Workflows {
  /** Starts the request's workflow, or finds it running. */
  start(subject: WorkflowSubject, options?: StartOptions): Promise<void>;
  /**
   * Notifies a running workflow to look again. With `status`, the committed decision, the
   * workflow ends without a look. True when a workflow is running and has it. That none is running
   * is not an error: it has ended, or its start comes later.
   */
  signal(requestId: string, signal: WorkflowSignal, status?: TerminalState): Promise<boolean>;
  /** Starts the workflow or signals it. */
  ensure(subject: WorkflowSubject, options: EnsureOptions): Promise<void>;
  /** The ids of requests that have a running workflow, many at a time. */
  running(): AsyncIterable<readonly string[]>;
}

export interface EnsureOptions {
  /** Ends an unresponsive run and starts a new one. */
  readonly replace: boolean;
  /** What the request waits for: a new run then begins by waiting. Without it, with a step. */
  readonly wait?: PlannedWait | undefined;
}

/** What is wrong with a part. A part that is degraded works, but not in everything. */
export type Problem = string | { readonly degraded: string };
/** One named part: undefined when well, else its problem. */
export type Probe = () => Promise<Problem | undefined>;
export type Probes = Readonly<Record<string, Probe>>;

/** What the Temporal server says of itself. Members are absent while it does not respond. */
export interface TemporalFacts {
  readonly version?: string;
  /** When a worker last asked for something to do. */
  readonly workerSeenAt?: Date;
}

/** The deployment itself, next to its organizations. */
export interface Deployment {
  readonly version: string;
  /** As /health/ready asks. */
  readonly probes: () => Probes;
  /** Never rejects. */
  readonly temporal: () => Promise<TemporalFacts>;
  /** Where the Temporal UI shows a workflow, up to its id. */
  readonly workflowsUrl: string | undefined;
}

/** The kinds of calls to Temporal. */
export type CallKind = Exclude<keyof Workflows, 'running'>;

/**
 * What became of a call in the lane. `begun`: its turn came. `joined`: another one that waited has
 * the same effect. `over`: its purpose had ended. `away`: Temporal does not respond. `full`: too many
 * waited. `stopped`: this process is stopping.
 */
export type CallOutcome = 'begun' | 'joined' | 'over' | 'away' | 'full' | 'stopped';

/** Observes a call that enters the lane. The result is called once, when it leaves. */
export type CallObserver = (kind: CallKind) => (outcome: CallOutcome) => void;
