/** The caps on requests that wait for people: of an organization, and the share of it that one agent may take. */
import { requestEvent } from '../../audit/events.ts';
import { decidedByService, recorded, type Effects } from './effects.ts';
import type { RequestView } from './view.ts';

/** Whose cap it is. The API names it so. */
type CapDimension = 'pending_requests' | 'agent_pending_requests';

/** A cap that is reached. */
export interface ReachedCap {
  readonly dimension: CapDimension;
  readonly limit: number;
}

/** Hand-overs under way that are allowed for. So close to a cap they take turns, so that the count is exact. */
export const CAP_MARGIN = 256;
export const AGENT_CAP_MARGIN = 128;

/** How many requests of one agent may wait, of a cap and its share. `AGENT_LIMIT` is the same in SQL. */
export const agentShare = (cap: number, share: number): number =>
  Math.max(1, Math.floor((cap * Math.round(share * 100)) / 100));

/** `near`: whether there is room depends on an exact count. */
export type Room = 'enough' | 'near' | ReachedCap;

/** Whether the request may wait for people, as of the count in its view. */
export function roomFor({
  isAdmitted,
  pending,
}: Pick<RequestView, 'isAdmitted' | 'pending'>): Room {
  if (isAdmitted) return 'enough';
  if (!pending) throw new Error('the view was read without the count of pending requests');
  const { waiting, limit, agentWaiting, agentLimit } = pending;
  if (waiting >= limit) return { dimension: 'pending_requests', limit };
  if (agentWaiting >= agentLimit) return { dimension: 'agent_pending_requests', limit: agentLimit };
  const isFar = waiting < limit - CAP_MARGIN && agentWaiting < agentLimit - AGENT_CAP_MARGIN;
  return isFar ? 'enough' : 'near';
}

/** The row is removed, and the call that creates it gets 429. */
export function refused(effects: Effects, reached: ReachedCap): Effects {
  const { id, agentSlug } = effects.request;
  const event = requestEvent(id, 'refused', {
    code: 'quota_exceeded',
    ...reached,
    agent_slug: agentSlug,
  });
  return { ...recorded(effects, event), isRemoved: true };
}

/** A refused request that cannot be removed is cancelled, so that it never becomes pending and no one is asked. */
export function refusedButKept(effects: Effects, decisionId: string): Effects {
  return decidedByService(
    { ...effects, isRemoved: false },
    { id: decisionId, status: 'cancelled', auditData: { reason: 'quota_exceeded' }, wakes: false },
  );
}
