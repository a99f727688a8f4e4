/** What a membership can be. */

/** In the order in which members are listed. A removed member is `deprovisioned`: his record is kept. */
export const MEMBERSHIP_STATUSES = ['active', 'suspended', 'deprovisioned'] as const;

export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];
