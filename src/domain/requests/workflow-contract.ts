/**
 * The contract between the workflow and its surroundings: names, its input, what signals carry, what a
 * step returns, search attributes. Its code runs in the sandbox of workflows too, so it imports types only.
 */
import type { TerminalState } from './approval-requests.ts';

export const WORKFLOW_TYPE = 'approvalRequest';

export const SIGNALS = ['decision', 'claim', 'cancel', 'changed'] as const;

/**
 * What any of the signals may carry. Without it, a signal only means "look again".
 */
export interface FinalDecision {
  /** Of the committed row. It never changes, so the workflow needs no look at the row. */
  readonly status: TerminalState;
}

export const FINAL_STATUSES: readonly string[] = [
  'approved',
  'denied',
  'expired',
  'cancelled',
] satisfies readonly TerminalState[];

/** Search attributes, all keywords (registered by temporal/setup.ts). */
export const ATTRIBUTE = {
  organization: 'CountersignOrganization',
  agent: 'CountersignAgent',
  tool: 'CountersignTool',
  status: 'CountersignStatus',
  path: 'CountersignPath',
} as const;

/**
 * Values of the status attribute. Both stay true to the end, so that the end needs no further
 * event: the outcome is the workflow's result.
 */
export const STATUS = {
  /** Until the request reaches people. The pipeline's requests keep it. */
  automatic: 'automatic',
  /** The request has reached people. */
  asked: 'asked',
} as const;
/** The path attribute of a request without an escalation path. */
export const NO_PATH = 'none';

/** What a request waits for. */
export interface Wait {
  /** Epoch milliseconds of the next step. */
  readonly until: number;
  /** Why the timer runs, in one line. */
  readonly summary: string;
  /** For the operator: level, who is asked, deadline. Markdown. */
  readonly details: string;
  readonly path: string;
}

/** The workflow's second argument. */
export interface Beginning {
  /** What the request waits for already. Without it, the run begins with a step. */
  readonly wait?: Wait;
  /** Search attributes that the server has no room for. A task that sets one would fail again and again. */
  readonly lacking?: readonly string[];
}

/** The attributes that the server knows. */
export function withoutLacking<Value>(
  attributes: Readonly<Record<string, Value>>,
  lacking: readonly string[] = [],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !lacking.includes(name)));
}

/** The result of one step. Small and without arguments, since the workflow's history stores it. */
export type StepResult = StepDone | StepRemote | ({ readonly kind: 'wait' } & Wait);

export interface StepDone {
  readonly kind: 'done';
  /** The final status; absent when the request is gone. */
  readonly status?: string;
  /** Decided by the pipeline. */
  readonly automatic: boolean;
}

/** A block of the rules needs the result of another system. */
export interface StepRemote {
  readonly kind: 'remote';
  readonly scope: 'organization' | 'agent';
  readonly block: string;
  /** The block's type and name. */
  readonly summary: string;
  /** Milliseconds that one attempt may take. */
  readonly attemptMs: number;
  readonly maxAttempts: number;
  /** Milliseconds between attempts: first, then doubled up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Epoch milliseconds by which all attempts must be over. */
  readonly until: number;
}
