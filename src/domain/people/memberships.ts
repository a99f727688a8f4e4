/** Members of an organization, and the states of their membership. */

/** A member as other members see them. */
export interface MemberSummary {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  readonly status: MembershipStatus;
  readonly admissionSource: 'manual' | 'invite' | 'sso_jit' | 'directory';
  readonly directoryManaged: boolean;
  /** Owns the organization, regardless of the status. */
  readonly isOwner: boolean;
  /** Teams that are not archived. */
  readonly teamIds: readonly string[];
  readonly hasSecondFactor: boolean;
  /** When they last used a session of the last 90 days. */
  readonly lastSeenAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where a page of members ended: its last member, with their status at the time. */
export interface MemberPosition {
  readonly status: MembershipStatus;
  readonly id: string;
}

/** In list order. A removed member is `deprovisioned`; the record stays. */
export const MEMBERSHIP_STATUSES = ['active', 'suspended', 'deprovisioned'] as const;

export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];
