/** People that a reviewer asked for help with a request, and all who were notified about it. */
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

/** When each member was first notified about the request, by any level or by a reviewer. */
export async function findNotified(db: Db, requestId: string): Promise<ReadonlyMap<string, Date>> {
  const rows = await queryRows<{ membershipId: string; at: Date }>(
    db,
    `select membership_id, min(created_at) as at from notifications where request_id = :requestId group by membership_id`,
    { requestId },
  );
  return new Map(rows.map(({ membershipId, at }) => [membershipId, at]));
}
