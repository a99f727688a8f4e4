/** People a reviewer asked for his help with a request. */
import type { Db } from '../../platform/postgres.ts';

/** `addedBy` is a membership. */
export interface AddedReviewer {
  readonly membershipId: string;
  readonly addedBy: string;
  readonly addedAt: Date;
}

/** In the order in which they were added. */
export async function findAddedReviewers(db: Db, requestId: string): Promise<AddedReviewer[]> {
  return (await db('added_reviewers')
    .where({ request_id: requestId })
    .orderBy(['added_at', 'membership_id'])
    .select({ membershipId: 'membership_id', addedBy: 'added_by_membership_id', addedAt: 'added_at' })) as AddedReviewer[];
}
