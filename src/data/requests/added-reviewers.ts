/** People that a reviewer asked for help with a request. */
import type { AddedReviewer } from '../../domain/requests/added-reviewers.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
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

/** Call it inside the transaction that locked the request. Returns the people who are new to it. */
export async function insertAddedReviewers(
  trx: Trx,
  {
    requestId,
    membershipIds,
    addedBy,
    at,
  }: { requestId: string; membershipIds: readonly string[]; addedBy: string; at: Date },
): Promise<string[]> {
  const rows = await queryRows<{ membershipId: string }>(
    trx,
    `insert into added_reviewers (request_id, membership_id, added_by_membership_id, added_at)
     select cast(:requestId as uuid), member, cast(:addedBy as uuid), :at from unnest(cast(:membershipIds as uuid[])) as member
     on conflict on constraint added_reviewers_pkey do nothing
     returning membership_id`,
    { requestId, membershipIds: [...membershipIds], addedBy, at },
  );
  return rows.map((row) => row.membershipId);
}
