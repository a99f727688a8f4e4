/** People that a reviewer asked for help with a request. */
import type { AddedReviewer } from '../../domain/requests/added-reviewers.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** In the order in which they were added. */
export async function findAddedReviewers(db: Db, requestId: string): Promise<AddedReviewer[]> {
  return await queryRows<AddedReviewer>(
    db,
    `select a.membership_id, u.display_name, a.added_by_membership_id as added_by, a.added_at
       from added_reviewers a
       join memberships m on m.id = a.membership_id
       join users u on u.id = m.user_id
      where a.request_id = :requestId
      order by a.added_at, a.membership_id`,
    { requestId },
  );
}
