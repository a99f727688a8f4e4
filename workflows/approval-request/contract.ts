/**
 * The contract between the workflow and its surroundings: names, the step's answer, search
 * attributes.
 */

export const WORKFLOW_TYPE = 'approvalRequest';

export const SIGNALS = ['decision', 'claim', 'cancel', 'changed'] as const;

/** Search attributes, all keywords (registered by temporal/setup.ts). */
export const ATTRIBUTE = {
  organization: 'CountersignOrganization',
  agent: 'CountersignAgent',
  tool: 'CountersignTool',
  status: 'CountersignStatus',
  path: 'CountersignPath',
} as const;

/**
 * The status until a request reaches people. A request that the pipeline decides keeps it, and
 * costs no further event.
 */
export const AUTOMATIC_STATUS = 'automatic';
/** The path attribute of a request without an escalation path. */
export const NO_PATH = 'none';

/** The result of one step. Small and without arguments, since the workflow's history stores it. */
export type StepResult =
  | {
      readonly kind: 'done';
      /** The final status; absent when the request is gone. */
      readonly status?: string;
      /** Decided by the pipeline. */
      readonly automatic: boolean;
    }
  | {
      readonly kind: 'wait';
      /** Epoch milliseconds of the next step. */
      readonly until: number;
      /** Why the timer runs, in one line. */
      readonly summary: string;
      /** For the operator: level, who is asked, deadline. Markdown. */
      readonly details: string;
      readonly path: string;
    };
