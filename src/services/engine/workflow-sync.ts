/** What this process has learned of workflows since the reconciler's last round. The reconciler tells the rows, in sets. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';

export interface WorkflowSync {
  /** Requests whose workflows have been passed the decision. No one need look at them again. */
  readonly finished: Set<string>;
  /** Requests whose workflows have begun with a wait. */
  readonly started: Map<string, StartedWait>;
  /** Requests whose workflows came after the reconciler, and when that looks next: its tries count from 0 again. */
  readonly resumed: Map<string, Date>;
  /** Requests whose creating calls wait for the first step. It evaluates the rules before it views the request, so it views it once. */
  readonly created: Map<string, ApprovalRequest>;
}

export interface StartedWait {
  /** The wake-up that was meant for a workflow that does not start. */
  readonly wakeAt: Date;
  /** The end of the workflow's timer. */
  readonly until: Date;
  /** The start took so long that the decision may have come before. */
  readonly isLate: boolean;
}

export function newWorkflowSync(): WorkflowSync {
  return { finished: new Set(), started: new Map(), resumed: new Map(), created: new Map() };
}
