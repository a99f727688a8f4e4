/**
 * What keeps the promises when a workflow is lost, late or Temporal is away: in every process, once a second, requests
 * past their deadline are expired and requests whose wake-up has passed get their workflow back, or a step of ours.
 */
import { findPastDeadline, leaseOverdue, type OverdueRequest } from '../../data/approval-requests/wake.ts';
import type { ServiceContext } from '../context.ts';
import { expireRequest } from './settle.ts';
import { stepRequest } from './step.ts';

const TICK_MS = 1_000;
/** At most this many requests a second and process; also what one deadline sweep takes. */
const BATCH = 200;
const LEASE_MS = 5_000;
const LONG_OVERDUE_MS = 5_000;
/** From the third try on a workflow that does not answer is ended and started anew. */
const REPLACE_FROM_ATTEMPT = 2;

export interface Backstop {
  stop(): Promise<void>;
}

export function startBackstop(context: ServiceContext): Backstop {
  const state = { stopped: false, running: Promise.resolve() };
  const tick = async () => {
    await guarded(context, 'deadline sweep', () => expirePastDeadline(context));
    await guarded(context, 'wake-up sweep', () => wakeOverdue(context));
  };
  const timer = setInterval(() => {
    if (!state.stopped) state.running = state.running.then(tick);
  }, TICK_MS);
  return {
    stop: async () => {
      state.stopped = true;
      clearInterval(timer);
      await state.running;
    },
  };
}

async function guarded(context: ServiceContext, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    context.logger.warn({ err: error, what }, 'the backstop could not finish a round; the next one will');
  }
}

export async function expirePastDeadline(context: ServiceContext): Promise<void> {
  for (const id of await findPastDeadline(context.db, BATCH)) await expireRequest(context, id);
}

/** Exported for tests: one round. */
export async function wakeOverdue(context: ServiceContext): Promise<void> {
  const overdue = await leaseOverdue(context.db, { limit: BATCH, leaseMs: LEASE_MS, longOverdueMs: LONG_OVERDUE_MS });
  for (const request of overdue) await wake(context, request);
}

async function wake(context: ServiceContext, request: OverdueRequest): Promise<void> {
  context.metrics.backstopStarts.inc();
  context.workflows.ensure(request, { replace: request.attempts >= REPLACE_FROM_ATTEMPT }).catch((error: unknown) => {
    context.logger.warn({ err: error, approvalRequest: request.id }, 'the backstop could not reach Temporal');
  });
  if (!request.longOverdue && request.attempts === 0) return;
  context.metrics.backstopSteps.inc();
  // The row's own clock decides what is due: the floor is only an instant that has surely come.
  await stepRequest(context, request.id, { floor: new Date(0), by: 'backstop' });
}
