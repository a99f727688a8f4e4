/**
 * The pipeline hands a request to people: the pending cap, the escalation path, and the record of
 * both.
 */
import {
  countPending,
  lockPendingCount,
  markRouted,
  removeRequest,
} from '../../data/requests/escalate.ts';
import type { LockedRequest } from '../../data/requests/lock.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import { resolveActivePath } from '../../data/escalation/escalation-paths.ts';
import {
  buildRequest,
  type ApprovalRequest,
  type Route,
} from '../../domain/requests/approval-requests.ts';
import { requestEvent } from '../../domain/audit.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import type { Evaluated } from './evaluation/evaluate.ts';

interface HandOver {
  readonly locked: LockedRequest;
  readonly evaluated: Evaluated;
}

/**
 * Inside the locking transaction: the request after the hand-over; undefined when the pending cap
 * refused and removed it.
 */
export async function handOver(
  db: Db,
  runtime: Runtime,
  { locked, evaluated }: HandOver,
): Promise<ApprovalRequest | undefined> {
  const { request, now } = locked;
  const { verdict } = evaluated;
  if (!locked.admitted && (await isOverCap(db, runtime, request.organizationId))) {
    await removeRequest(db, request.id);
    const refused = requestEvent(request.id, 'refused', { code: 'quota_exceeded' });
    await insertAuditEvents(db, request.organizationId, { events: [refused], occurredAt: now });
    return undefined;
  }
  const path = await firstActivePath(db, request.organizationId, evaluated.pathKeys);
  const route: Route = {
    routedAt: now,
    source: path
      ? path.key === verdict.escalation_path
        ? verdict.escalation_path_source
        : 'pipeline_default'
      : 'no_escalation',
    scope: verdict.scope,
    ...(verdict.block_id !== undefined && { blockId: verdict.block_id }),
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(path && { pathRevisionId: path.revisionId }),
  };
  await markRouted(db, request.id, route);
  const data = {
    source: route.source,
    scope: route.scope,
    block_id: route.blockId,
    reason_code: verdict.reason_code,
    path_key: path?.key,
  };
  await insertAuditEvents(db, request.organizationId, {
    events: [
      requestEvent(request.id, 'pipeline_concluded', data),
      requestEvent(request.id, 'routed', data),
    ],
    occurredAt: now,
  });
  return buildRequest({ ...request, state: 'pending', route });
}

/** A path archived since falls back to the defaults, then to no path. */
async function firstActivePath(
  db: Db,
  organizationId: string,
  keys: readonly string[],
): Promise<{ key: string; revisionId: string } | undefined> {
  for (const key of keys) {
    const revisionId = await resolveActivePath(db, organizationId, key);
    if (revisionId !== undefined) return { key, revisionId };
  }
  return undefined;
}

/**
 * Concurrent hand-overs allowed for. This close to the cap they run one at a time, so that the
 * count is exact.
 */
const UNCOUNTED_MARGIN = 256;

async function isOverCap(db: Db, runtime: Runtime, organizationId: string): Promise<boolean> {
  const cap = runtime.limits.pendingRequests;
  if (
    cap > UNCOUNTED_MARGIN &&
    (await countPending(db, organizationId, cap - UNCOUNTED_MARGIN)) < cap - UNCOUNTED_MARGIN
  )
    return false;
  await lockPendingCount(db, organizationId);
  return (await countPending(db, organizationId, cap)) >= cap;
}
