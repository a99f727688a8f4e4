/** Teams and their members. */
import type { MembershipStatus } from './memberships.ts';

export interface TeamSummary {
  readonly id: string;
  readonly name: string;
  readonly organizationName: string;
  readonly directoryManaged: boolean;
  /** Members from all sources, each counted once, without removed members. */
  readonly memberCount: number;
  readonly createdAt: Date;
  /** Null while the team is not archived. */
  readonly archivedAt: Date | null;
  /** Revisions of its escalation policy: the active one and the newest. Null when it has none. */
  readonly activePolicyRevision: number | null;
  readonly latestPolicyRevision: number | null;
}

export type TeamStatus = 'live' | 'archived' | 'all';

export interface TeamMember {
  readonly membershipId: string;
  readonly displayName: string;
  readonly email: string;
  readonly status: Exclude<MembershipStatus, 'deprovisioned'>;
  readonly sources: readonly ('manual' | 'directory')[];
}
