/** Instances that a person authorized, and whose machine did not come for its credential in time. */
import { SYSTEM } from '../../domain/audit/events.ts';
import { deleteUnclaimed } from '../../data/agents/agent-enrollments.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import type { Db, Trx } from '../../platform/postgres.ts';

/** Removes some, so that their names are free again. Returns their number. */
export async function removeUnclaimed(
  trx: Trx,
  which: Parameters<typeof deleteUnclaimed>[1],
): Promise<number> {
  const removed = await deleteUnclaimed(trx, which);
  for (const { id, organizationId, agentSlug, name } of removed) {
    const data = { agent_slug: agentSlug, agent_instance_name: name };
    const eventType = 'agent_instance.enrollment_expired' as const;
    const event = { eventType, actor: SYSTEM, subjectId: id, data };
    await insertAuditEvents(trx, organizationId, { events: [event] });
  }
  return removed.length;
}

/** One batch of the purge. */
export async function purgeUnclaimed(db: Db, limit: number): Promise<number> {
  return await db.transaction(async (trx) => await removeUnclaimed(trx, { limit }));
}
