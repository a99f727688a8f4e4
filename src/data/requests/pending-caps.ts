/**
 * The caps on requests that wait for people: of an organization, and the share of it that one agent
 * may take.
 */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import {
  AGENT_CAP_MARGIN,
  CAP_MARGIN,
  roomFor,
  type ReachedCap,
} from '../../domain/requests/engine/pending-cap.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';

const waiting = (whose: string, atMost: string): string => `(
  select count(*) from (
    select from approval_requests w where ${whose} and w.state = 'pending' and w.routed_at is not null limit ${atMost}) as waiting)`;
const OF_ORGANIZATION = 'w.organization_id = o.id';
const ofAgent = (slug: string): string => `${OF_ORGANIZATION} and w.agent_slug = ${slug}`;
const CAP = 'cast(:cap as integer)';

/** SQL over a row `o`: the organization's requests that wait for people, counted up to the cap. Binding: cap. */
export const WAITING = waiting(OF_ORGANIZATION, CAP);

/** SQL over the same row: the share of one agent, as `agentShare` computes it. Binding: cap. */
export const AGENT_LIMIT = `greatest(1, ${CAP} * o.agent_pending_percent / 100)`;

/** SQL over the same row: requests of the agent that wait, counted up to its share. `slug` is an SQL expression. */
export const agentWaiting = (slug: string): string => waiting(ofAgent(slug), AGENT_LIMIT);

/**
 * SQL over the same row: so few wait that the hand-overs under way do not matter. Exact enough without
 * a lock. `slug` is an SQL expression.
 */
export const isFarFromCaps = (slug: string): string => `
  ${waiting(OF_ORGANIZATION, `greatest(0, ${CAP} - ${CAP_MARGIN})`)} < ${CAP} - ${CAP_MARGIN}
  and ${agentWaiting(slug)} < ${AGENT_LIMIT} - ${AGENT_CAP_MARGIN}`;

type Asker = Pick<ApprovalRequest, 'organizationId' | 'agentSlug'>;

/** The cap that another request would pass. Exact only under `lockPendingCount`. */
export async function findReachedCap(
  db: Db,
  { organizationId, agentSlug }: Asker,
  cap: number,
): Promise<ReachedCap | undefined> {
  const count = await queryOne<{ waiting: number; agentWaiting: number; agentLimit: number }>(
    db,
    `select ${WAITING} as waiting, ${agentWaiting('cast(:agentSlug as text)')} as agent_waiting, ${AGENT_LIMIT} as agent_limit
       from organizations o where o.id = :organizationId`,
    { organizationId, agentSlug, cap },
  );
  const room = roomFor({ isAdmitted: false, pending: { ...count, limit: cap } });
  return typeof room === 'string' ? undefined : room;
}

/** Makes hand-overs of one organization take turns until the transaction ends. */
export async function lockPendingCount(trx: Trx, organizationId: string): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(hashtextextended('countersign.pending:' || cast(:organizationId as text), 0))`,
    { organizationId },
  );
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
