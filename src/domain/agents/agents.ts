/** An agent: a program that asks for approvals. */

export type AgentStatus = 'active' | 'disabled' | 'archived';

/** Which instances may read, wait for, start and withdraw a request: the one that made it, or all of the agent. */
export const RESUME_MODES = ['instance', 'agent'] as const;
export type ResumeMode = (typeof RESUME_MODES)[number];

/** Of the setting that says for how long an approved call may start. */
export const APPROVAL_WINDOW = { min: '1m', max: '24h' } as const;

export interface Agent {
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly status: AgentStatus;
  readonly resume: ResumeMode;
  /** For how long an approved call may start after its decision, in seconds. */
  readonly approvalWindow: number;
  readonly createdByActorId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt?: Date;
  /** The service made it to show how a request is decided. It can be removed with all its traces. */
  readonly demo?: true;
}

/** Requests by UTC day, the last of which is today. */
export type RequestTrend = readonly number[];

export const recentOf = (trend: RequestTrend): number =>
  trend.reduce((sum, requests) => sum + requests, 0);

/** What an agent and its instances do. */
export interface AgentActivity {
  readonly instanceCount: number;
  /** Active instances with a credential that is neither expired nor revoked. */
  readonly liveInstanceCount: number;
  /** When the first live instance has no credential left that works. Absent while none is live. */
  readonly accessEndsAt?: Date;
  /** The newest call of an instance. Absent before the first. */
  readonly lastSeenAt?: Date;
  readonly requestTrend: RequestTrend;
  /** The sum of the trend. */
  readonly recentRequestCount: number;
  readonly pendingRequestCount: number;
}

export interface AgentCreator {
  readonly createdByActorType: 'human' | 'api_key';
  readonly createdByDisplayName: string;
}
