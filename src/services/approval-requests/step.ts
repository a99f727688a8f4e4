/**
 * The one function that moves a request forward: settle, evaluate, hand to people, notify the next level, plan. Its
 * usual caller is the request's workflow; the backstop calls it when that is not there. Idempotent.
 */
import { insertAuditEvents } from '../../data/audit-events.ts';
import { recordDecision, recordVerdict, type NewDecision } from '../../data/approval-requests/decide.ts';
import { countPending, lockPendingCount, markRouted, removeRequest } from '../../data/approval-requests/escalate.ts';
import { lockRequest, type LockedRequest } from '../../data/approval-requests/lock.ts';
import { findRequest } from '../../data/approval-requests/read.ts';
import { clearWake } from '../../data/approval-requests/wake.ts';
import { EXECUTION_WINDOW_MS, isTerminal, type ApprovalRequest, type Decision, type Route } from '../../domain/approval-requests.ts';
import { SYSTEM } from '../../domain/audit.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { resolveActivePath } from '../../data/escalation-paths.ts';
import { loadEscalationPathRevision } from '../escalation-paths.ts';
import { evaluatePinned, type Evaluated } from './evaluate.ts';
import { walkOn } from './notify.ts';
import { expireIfDue } from './settle.ts';

export type RequestStep =
  | { readonly kind: 'done'; readonly status?: string; readonly automatic: boolean }
  | { readonly kind: 'wait'; readonly until: Date; readonly summary: string; readonly details: string; readonly path?: string };

export interface StepOptions {
  /** An instant known to have come: the row's clock is never behind it. */
  readonly floor: Date;
  readonly by: 'workflow' | 'backstop';
}

const GONE: RequestStep = { kind: 'done', automatic: false };

export async function stepRequest(context: ServiceContext, id: string, options: StepOptions): Promise<RequestStep> {
  const fresh = context.fresh.get(id);
  context.fresh.delete(id);
  const request = fresh ?? (await findRequest(context.db, id))?.request;
  if (!request) return GONE;
  const evaluated = request.state === 'evaluating' ? await evaluatePinned(context, request) : undefined;
  if (evaluated && evaluated.verdict.outcome !== 'human') {
    const decision = toDecision(request, evaluated);
    const recorded = await recordVerdict(context.db, { id, floor: options.floor }, decision);
    if (recorded) return announceVerdict(context, request, { decision, recorded });
  }
  return await stepLocked(context, id, { ...options, evaluated });
}

function toDecision(request: ApprovalRequest, { verdict }: Evaluated): NewDecision {
  return {
    status: verdict.outcome === 'approve' ? 'approved' : 'denied',
    channel: 'pipeline',
    ...(verdict.reason !== undefined && { note: verdict.reason }),
    authentication: { method: 'system', assurance: 'strong' },
    idempotencyKey: `pipeline:${request.id}`,
    actor: SYSTEM,
    auditData: { scope: verdict.scope, block_id: verdict.block_id, reason_code: verdict.reason_code },
    from: ['evaluating'],
    wake: false,
  };
}

/** Hands the decided request to those who wait in this process, so that none of them reads it again. */
function announceVerdict(
  context: ServiceContext,
  request: ApprovalRequest,
  { decision, recorded }: { decision: NewDecision; recorded: { id: string; decidedAt: Date } },
): RequestStep {
  const { decidedAt } = recorded;
  const shown: Decision = {
    id: recorded.id,
    requestId: request.id,
    organizationId: request.organizationId,
    status: decision.status,
    ...(decision.note !== undefined && { note: decision.note }),
    channel: decision.channel,
    authentication: { method: 'system', assurance: 'strong', authenticated_at: decidedAt },
    idempotencyKey: decision.idempotencyKey,
    decidedAt,
    ...(decision.status === 'approved' && { expiresAt: new Date(decidedAt.getTime() + EXECUTION_WINDOW_MS) }),
  };
  context.metrics.requestsDecided.inc({ status: decision.status, channel: decision.channel });
  context.changes.publish(request.id, { ...request, state: decision.status, updatedAt: decidedAt, decision: shown });
  return { kind: 'done', status: decision.status, automatic: true };
}

interface LockedStep extends StepOptions {
  readonly evaluated: Evaluated | undefined;
}

async function stepLocked(context: ServiceContext, id: string, options: LockedStep): Promise<RequestStep> {
  const done = { changed: true, final: undefined as Pick<NewDecision, 'status' | 'channel'> | undefined };
  const step = await context.db.transaction(async (trx): Promise<RequestStep | 'again'> => {
    const locked = await lockRequest(trx, id, options.floor);
    if (!locked) return GONE;
    const { request } = locked;
    if (isTerminal(request.state)) {
      await clearWake(trx, id);
      done.changed = false;
      return { kind: 'done', status: request.state, automatic: request.decision?.channel === 'pipeline' };
    }
    if (await expireIfDue(trx, locked, { wake: false })) {
      done.final = { status: 'expired', channel: 'system' };
      return { kind: 'done', status: 'expired', automatic: false };
    }
    if (request.state === 'pending') return await walk(context, trx, { locked, by: options.by });
    // Written by somebody else between our first look and the lock.
    if (!options.evaluated) return 'again';
    if (options.evaluated.verdict.outcome !== 'human') {
      const decision = toDecision(request, options.evaluated);
      await recordDecision(trx, { id, now: locked.now }, decision);
      done.final = decision;
      return { kind: 'done', status: decision.status, automatic: true };
    }
    return await handToPeople(context, trx, { locked, evaluated: options.evaluated, by: options.by });
  });
  if (step === 'again') return await stepRequest(context, id, options);
  if (done.final) context.metrics.requestsDecided.inc({ status: done.final.status, channel: done.final.channel });
  if (done.changed) context.changes.publish(id);
  return step;
}

interface HandOver {
  readonly locked: LockedRequest;
  readonly evaluated: Evaluated;
  readonly by: StepOptions['by'];
}

async function handToPeople(context: ServiceContext, db: Db, { locked, evaluated, by }: HandOver): Promise<RequestStep> {
  const { request, now } = locked;
  const { verdict } = evaluated;
  if (!locked.admitted && (await isOverCap(context, db, request.organizationId))) {
    await removeRequest(db, request.id);
    const refused = { eventType: 'approval_request.refused', actor: SYSTEM, subjectId: request.id, data: { code: 'quota_exceeded' } };
    await insertAuditEvents(db, request.organizationId, { events: [refused], occurredAt: now });
    return GONE;
  }
  const path = await firstActivePath(db, request.organizationId, evaluated.pathKeys);
  const route: Route = {
    routedAt: now,
    source: path ? (path.key === verdict.escalation_path ? verdict.escalation_path_source : 'pipeline_default') : 'no_escalation',
    scope: verdict.scope,
    ...(verdict.block_id !== undefined && { blockId: verdict.block_id }),
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(path && { pathRevisionId: path.revisionId }),
  };
  await markRouted(db, request.id, route);
  const data = { source: route.source, scope: route.scope, block_id: route.blockId, reason_code: verdict.reason_code, path_key: path?.key };
  const event = (verb: string) => ({ eventType: `approval_request.${verb}`, actor: SYSTEM, subjectId: request.id, data });
  await insertAuditEvents(db, request.organizationId, { events: [event('pipeline_concluded'), event('routed')], occurredAt: now });
  return await walk(context, db, { locked: { ...locked, request: { ...request, state: 'pending', route } }, by });
}

/** A path archived since the pipeline was written falls back to the defaults, then to no path. */
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

/** Hand-overs that may be under way in other transactions: this near the cap they take turns, so that the count is exact. */
const UNCOUNTED_MARGIN = 256;

async function isOverCap(context: ServiceContext, db: Db, organizationId: string): Promise<boolean> {
  const cap = context.limits.pendingRequests;
  if (cap > UNCOUNTED_MARGIN && (await countPending(db, organizationId, cap - UNCOUNTED_MARGIN)) < cap - UNCOUNTED_MARGIN) return false;
  await lockPendingCount(db, organizationId);
  return (await countPending(db, organizationId, cap)) >= cap;
}

async function walk(
  context: ServiceContext,
  db: Db,
  { locked, by }: { locked: LockedRequest; by: StepOptions['by'] },
): Promise<RequestStep> {
  const { request, now } = locked;
  const revisionId = request.route?.pathRevisionId;
  // Read over the connection we hold: waiting for a second one while holding the first can use up the pool for good.
  const path = revisionId === undefined ? undefined : await loadEscalationPathRevision({ ...context, db }, revisionId);
  const walked = await walkOn(db, { request, now, by, path: path && { key: path.pathKey, document: path.document } });
  return { kind: 'wait', ...walked, ...(path && { path: path.pathKey }) };
}
