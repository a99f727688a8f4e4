/** Membership statuses. */

/** In list order. A removed member is `deprovisioned`; the record stays. */
export const MEMBERSHIP_STATUSES = ['active', 'suspended', 'deprovisioned'] as const;

export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];
