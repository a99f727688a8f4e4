/**
 * What the services need from outside their layers. `temporal/` implements Workflows; `bin/`
 * assembles the parts.
 */
import type { SIGNALS } from '../../workflows/approval-request/contract.ts';

/** Enough of a request to start its workflow and to find it in the Temporal UI. Never arguments. */
export interface WorkflowSubject {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly tool: string;
}

/** A signal only means "look again". Its name is the reason, for operators. */
export type WorkflowSignal = (typeof SIGNALS)[number];

export interface StartOptions {
  /** Aborted when the request has its final answer: a start that still waits is then given up. */
  readonly over?: AbortSignal;
}

/**
 * The clock of requests. Every method rejects soon and without harm when Temporal cannot be
 * reached: the request's row has the same facts, and the reconciler repeats the call.
 */
export interface Workflows {
  /** Starts the request's workflow, or finds it running. */
  start(subject: WorkflowSubject, options?: StartOptions): Promise<void>;
  /** Notifies a running workflow to look again. A workflow that has ended is not an error. */
  signal(requestId: string, signal: WorkflowSignal): Promise<void>;
  /** Starts the workflow or signals it. `replace` ends an unresponsive run and starts a new one. */
  ensure(subject: WorkflowSubject, options: { readonly replace: boolean }): Promise<void>;
}

/** The kinds of calls to Temporal. */
export type CallKind = keyof Workflows;

/**
 * What became of a call in the lane. `begun`: its turn came. `joined`: another one that waited has
 * the same effect. `over`: its purpose had ended. `away`: Temporal does not answer. `full`: too many
 * waited. `stopped`: this process is stopping.
 */
export type CallOutcome = 'begun' | 'joined' | 'over' | 'away' | 'full' | 'stopped';

/** Observes a call that enters the lane. The result is called once, when it leaves. */
export type CallObserver = (kind: CallKind) => (outcome: CallOutcome) => void;
