/** Claims: somebody says he looks after a request. At most one is live; a decided request has none. */
import type { Db } from '../../platform/postgres.ts';

export async function endClaim(db: Db, id: string, now: Date): Promise<void> {
  await db('claims').where({ id }).whereNull('ended_at').update({ ended_at: now });
}

/** A reviewer should notice something about the request. */
export async function touchRequest(db: Db, id: string, now: Date): Promise<void> {
  await db('approval_requests').where({ id }).update({ updated_at: now, last_at: now });
}
