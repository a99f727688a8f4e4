/**
 * The pipeline hands a request to people: the pending cap, the escalation path, and the record of
 * both.
 */
import { markRouted } from '../../data/requests/escalate.ts';
import type { LockedRequest } from '../../data/requests/lock.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import { resolveActivePath } from '../../data/escalation/escalation-paths.ts';
import {
  buildRequest,
  type ApprovalRequest,
  type Route,
} from '../../domain/requests/approval-requests.ts';
import { requestEvent, type NewAuditEvent } from '../../domain/audit.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import type { Evaluated } from './evaluation/evaluate.ts';
import { refuseAtCap } from './pending-caps.ts';

interface HandOver {
  readonly locked: LockedRequest;
  readonly evaluated: Evaluated;
}

/**
 * Inside the locking transaction: the request after the hand-over; undefined when the pending cap
 * refused and removed it.
 */
export async function handOver(
  trx: Trx,
  runtime: Runtime,
  { locked, evaluated }: HandOver,
): Promise<ApprovalRequest | undefined> {
  const { request, now } = locked;
  if (await refuseAtCap(trx, runtime, locked)) return undefined;
  const path = await firstActivePath(
    trx,
    request.organizationId,
    evaluated.paths.map(({ key }) => key),
  );
  const { route, events } = routing(request, { evaluated, path, now });
  await markRouted(trx, request.id, route);
  await insertAuditEvents(trx, request.organizationId, { events, occurredAt: now });
  return buildRequest({ ...request, state: 'pending', route });
}

/** How the verdict hands a request over at `now`, with the timeline's entries. */
export function routing(
  { id }: ApprovalRequest,
  {
    evaluated: { verdict, paths },
    path,
    now,
  }: {
    readonly evaluated: Evaluated;
    readonly path: { readonly key: string; readonly revisionId: string } | undefined;
    readonly now: Date;
  },
): { readonly route: Route; readonly events: readonly NewAuditEvent[] } {
  const route: Route = {
    routedAt: now,
    source: paths.find(({ key }) => key === path?.key)?.source ?? 'no_escalation',
    scope: verdict.scope,
    ...(verdict.block_id !== undefined && { blockId: verdict.block_id }),
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(path && { pathRevisionId: path.revisionId }),
  };
  const data = {
    source: route.source,
    scope: route.scope,
    block_id: route.blockId,
    reason_code: verdict.reason_code,
    path_key: path?.key,
  };
  return {
    route,
    events: [requestEvent(id, 'pipeline_concluded', data), requestEvent(id, 'routed', data)],
  };
}

/** A path archived since falls back to the defaults, then to no path. */
async function firstActivePath(
  trx: Trx,
  organizationId: string,
  keys: readonly string[],
): Promise<{ key: string; revisionId: string } | undefined> {
  for (const key of keys) {
    const revisionId = await resolveActivePath(trx, organizationId, key);
    if (revisionId !== undefined) return { key, revisionId };
  }
  return undefined;
}
