/** An agent: a program that asks for approvals. */

export type AgentStatus = 'active' | 'disabled' | 'archived';

export interface Agent {
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly status: AgentStatus;
  readonly createdByActorId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt?: Date;
}
