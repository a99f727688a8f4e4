/** Requests past their deadline: each reader and writer that meets one records that it has expired, with or without Temporal. */
import { findRequest } from '../../data/requests/read.ts';
import { findPastDeadline } from '../../data/requests/wake.ts';
import { AppError } from '../../domain/errors.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Effects, Plan } from '../../domain/requests/engine/effects.ts';
import { settled } from '../../domain/requests/engine/settle.ts';
import { isDatabaseUnavailable } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from './announce.ts';
import { changeRequest } from './change.ts';
import { committedOf, drive, outcomeOf, type Basis, type Changed } from './drive.ts';

/** The current request, expired first if it is due. */
export async function readSettled(
  context: ServiceContext,
  id: string,
): Promise<ApprovalRequest | undefined> {
  const read = await findRequest(context.db, id);
  if (!read?.isPastDeadline) return read?.request;
  const expired = changeRequest(context, {
    id,
    caller: undefined,
    need: { texts: true },
    plan: planSettled,
  });
  let changed: Changed<ApprovalRequest>;
  try {
    changed = await expired;
  } catch (error) {
    // A cap has removed it since the first read.
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    if (error instanceof AppError || isDatabaseUnavailable(error)) throw error;
    // The sweep reports it. A reader sees the request as it is.
    return read.request;
  }
  const request = outcomeOf(changed);
  if (changed.effects?.request.decision) announceDecided(context, request);
  return request;
}

function planSettled({
  view,
  decisionId,
}: Pick<Basis<undefined, unknown>, 'view' | 'decisionId'>): Plan<ApprovalRequest> {
  const effects = settled(view, { decisionId, wakes: true });
  return { effects, outcome: effects.request };
}

/** For how long the sweep leaves out a request that it could not expire. */
const LEFT_OUT_MS = 60_000;
/** Deadlines that follow each other are one sweep. */
const SOONEST_MS = 200;

/**
 * Expires everything that is due. Requests that others are changing are left to them, and to the next round. A request that
 * cannot be expired is left out for a minute, so that it does not hold up the others. Returns in how many milliseconds the next
 * deadline follows, if that is before the next sweep.
 */
export function createDeadlineSweep(
  context: ServiceContext,
  { batch, everyMs }: { readonly batch: number; readonly everyMs: number },
): () => Promise<number | undefined> {
  const leftOut = new Map<string, number>();
  return async () => {
    for (const [id, until] of leftOut) if (until <= Date.now()) leftOut.delete(id);
    for (;;) {
      const without = [...leftOut.keys()];
      const { due, nextInMs } = await findPastDeadline(context.db, {
        ...{ atMost: batch, without },
        withinMs: everyMs,
      });
      const { expired, failed } = await expireAll(context, due);
      for (const id of failed) leftOut.set(id, Date.now() + LEFT_OUT_MS);
      context.metrics.requestsNotExpired.set(leftOut.size);
      context.metrics.requestsDecided.inc({ status: 'expired', channel: 'system' }, expired.length);
      for (const { request } of expired) context.changes.publish(request.id);
      if (expired.length === batch) continue;
      const isLeft = expired.length + failed.length < due.length;
      return isLeft ? SOONEST_MS : nextInMs && Math.max(nextInMs, SOONEST_MS);
    }
  };
}

interface Expired {
  readonly expired: readonly Effects[];
  /** The ids of those whose expiry Postgres refuses. */
  readonly failed: readonly string[];
}

/** Together, and one by one when that fails. */
async function expireAll(context: ServiceContext, ids: readonly string[]): Promise<Expired> {
  try {
    const driven = await drive(context, {
      ids,
      caller: undefined,
      need: () => ({ texts: false }),
      load: () => Promise.resolve(undefined),
      plan: planSettled,
    });
    return { expired: committedOf(driven), failed: [] };
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const [only] = ids;
    if (only !== undefined && ids.length === 1) {
      context.logger.error({ err: error, approvalRequest: only }, 'a request could not be expired');
      return { expired: [], failed: [only] };
    }
  }
  const each: Expired[] = [];
  for (const id of ids) each.push(await expireAll(context, [id]));
  return {
    expired: each.flatMap(({ expired }) => expired),
    failed: each.flatMap(({ failed }) => failed),
  };
}
