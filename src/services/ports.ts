/** What the services need from outside their layers. `temporal/` implements Workflows; `bin/` puts the parts together. */

/** Enough of a request to start its workflow and find it again in the Temporal UI. Never arguments. */
export interface WorkflowSubject {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly tool: string;
}

/** A signal only says "look again"; its name tells an operator why. */
export type WorkflowSignal = 'decision' | 'claim' | 'cancel' | 'changed';

/**
 * The clock of requests. Every method rejects when Temporal cannot be reached, soon and without harm: what was to be
 * said stands in the request's row, and the reconciler says it again.
 */
export interface Workflows {
  /** Starts the request's workflow, or finds it running. */
  start(subject: WorkflowSubject): Promise<void>;
  /** Tells a running workflow to look again. A workflow that has ended is not an error. */
  signal(requestId: string, signal: WorkflowSignal): Promise<void>;
  /** Starts the workflow or signals it; `replace` ends a run that does not answer and starts a new one. */
  ensure(subject: WorkflowSubject, options: { readonly replace: boolean }): Promise<void>;
}
