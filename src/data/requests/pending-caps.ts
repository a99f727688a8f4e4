/**
 * The caps on requests that wait for people: of an organization, and the share of it that one agent
 * may take.
 */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';

/** Whose cap it is. The API names it so. */
export type CapDimension = 'pending_requests' | 'agent_pending_requests';

/** A cap that is reached. */
export interface ReachedCap {
  readonly dimension: CapDimension;
  readonly limit: number;
}

/** Hand-overs under way that are allowed for: so close to a cap they take turns, so that the count is exact. */
const MARGIN = 256;
const AGENT_MARGIN = 128;

/** While fewer requests of the organization wait for people, a hand-over needs no exact count. */
export function uncountedBelow(cap: number): number {
  return Math.max(0, cap - MARGIN);
}

const waiting = (whose: string, atMost: string): string => `(
  select count(*) from (
    select from approval_requests w where ${whose} and w.state = 'pending' and w.routed_at is not null limit ${atMost}) as waiting)`;
const OF_ORGANIZATION = 'w.organization_id = o.id';
const OF_AGENT = `${OF_ORGANIZATION} and w.agent_slug = cast(:agent_slug as text)`;

/** SQL over a row `o` with the organization's `agent_pending_percent`. Binding: cap. */
const AGENT_CAP = 'greatest(1, cast(:cap as integer) * o.agent_pending_percent / 100)';

/** SQL over the same row: another request may wait for people. Bindings: cap, agent_slug. */
export const HAS_ROOM = `${waiting(OF_ORGANIZATION, ':cap')} < :cap and ${waiting(OF_AGENT, AGENT_CAP)} < ${AGENT_CAP}`;

/** The same, and so far from both caps that the hand-overs under way do not matter. Binding besides: uncounted. */
export const HAS_ROOM_UNCOUNTED = `${waiting(OF_ORGANIZATION, ':uncounted')} < :uncounted
  and ${waiting(OF_AGENT, AGENT_CAP)} < ${AGENT_CAP} - ${AGENT_MARGIN}`;

type Asker = Pick<ApprovalRequest, 'organizationId' | 'agentSlug'>;

/** The cap that another request would pass. Exact only under `lockPendingCount`. */
export async function findReachedCap(
  db: Db,
  asker: Asker,
  cap: number,
): Promise<ReachedCap | undefined> {
  const { waiting: all, agentWaiting, agentCap } = await countWaiting(db, asker, cap);
  if (all >= cap) return { dimension: 'pending_requests', limit: cap };
  return agentWaiting >= agentCap
    ? { dimension: 'agent_pending_requests', limit: agentCap }
    : undefined;
}

/** Whether no cap is so near that the count has to be exact. */
export async function isFarFromCaps(db: Db, asker: Asker, cap: number): Promise<boolean> {
  const { waiting: all, agentWaiting, agentCap } = await countWaiting(db, asker, cap);
  return all < uncountedBelow(cap) && agentWaiting < agentCap - AGENT_MARGIN;
}

interface Counted {
  readonly waiting: number;
  readonly agentWaiting: number;
  readonly agentCap: number;
}

async function countWaiting(
  db: Db,
  { organizationId, agentSlug }: Asker,
  cap: number,
): Promise<Counted> {
  return await queryOne<Counted>(
    db,
    `select ${waiting(OF_ORGANIZATION, ':cap')} as waiting, ${waiting(OF_AGENT, AGENT_CAP)} as agent_waiting,
            ${AGENT_CAP} as agent_cap
       from organizations o where o.id = :organizationId`,
    { organizationId, agent_slug: agentSlug, cap },
  );
}

/** Makes hand-overs of one organization take turns until the transaction ends. */
export async function lockPendingCount(trx: Trx, organizationId: string): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(hashtextextended('countersign.pending:' || cast(:organizationId as text), 0))`,
    { organizationId },
  );
}

/** Removes a request that a cap refused, its idempotency key, and what came of its blocks. */
export async function removeRequest(trx: Trx, id: string): Promise<void> {
  await trx('approval_requests').where({ id, state: 'evaluating' }).delete();
}

/** Which cap refused this request, as the audit log has it. */
export async function findRefusal(
  db: Db,
  organizationId: string,
  requestId: string,
): Promise<ReachedCap | undefined> {
  return await queryRow<ReachedCap>(
    db,
    `select coalesce(data ->> 'dimension', 'pending_requests') as dimension, cast(data ->> 'limit' as integer) as "limit"
       from audit_events
      where organization_id = :organizationId and subject_type = 'approval_request' and subject_id = :requestId
        and event_type = 'approval_request.refused'
      order by sequence desc limit 1`,
    { organizationId, requestId },
  );
}
