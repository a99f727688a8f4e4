/**
 * The reconciler runs in every process, for when a workflow is lost or late or Temporal is down. It
 * expires requests past their deadline. It restarts or steps requests whose wake-up time has
 * passed.
 */
import { clearWake, leaseOverdue, wakeNow, type OverdueRequest } from '../../data/requests/wake.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { expirePastDeadline } from './settle.ts';
import { stepRequest } from './step.ts';

const WAKE_EVERY_MS = 1_000;
/** Expiry is promised within a second of the deadline, so several rounds fit into it. */
const EXPIRE_EVERY_MS = 250;
/** Most overdue requests per second and process, and per statement of the deadline sweep. */
const BATCH = 200;
/** Longer than a round on a slow database, so that the end of a round does not look neglected. */
const LEASE_MS = 15_000;
const LONGEST_LEASE_MS = 600_000;
const LONG_OVERDUE_MS = 5_000;
/** From the third try on, a workflow that does not answer is terminated and started again. */
const REPLACE_FROM_ATTEMPT = 2;
/** Below the size of the worker's pool, which steps of workflows share. */
const STEPS_AT_ONCE = 4;

export interface Reconciler {
  stop(): Promise<void>;
}

export function startReconciler(context: ServiceContext): Reconciler {
  const calling = new Set<Promise<void>>();
  const loops = [
    repeat(context, {
      what: 'wake-up sweep',
      everyMs: WAKE_EVERY_MS,
      work: async () => {
        // Calls may wait behind others for long. The steps of the next round must not.
        const { called } = await wakeOverdue(context);
        calling.add(called);
        void called.finally(() => calling.delete(called));
      },
    }),
    repeat(context, {
      what: 'deadline sweep',
      everyMs: EXPIRE_EVERY_MS,
      work: () => expirePastDeadline(context, { batch: BATCH }),
    }),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(calling);
    },
  };
}

/** One round at a time: a slow round delays the next, and rounds never pile up. */
function repeat(
  runtime: Runtime,
  {
    what,
    everyMs,
    work,
  }: { readonly what: string; readonly everyMs: number; readonly work: () => Promise<void> },
): Reconciler {
  const state = { running: undefined as Promise<void> | undefined };
  const round = async () => {
    try {
      await work();
    } catch (error) {
      runtime.logger.warn(
        { err: error, what },
        'the reconciler could not finish a round; the next one will',
      );
    } finally {
      state.running = undefined;
    }
  };
  const timer = setInterval(() => {
    state.running ??= round();
  }, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await state.running;
    },
  };
}

/**
 * After an outage of Temporal, repeats what failed meanwhile. `reset`: Temporal lost its database,
 * so every open request needs a new workflow.
 */
export async function catchUp(
  context: ServiceContext,
  { reset }: { readonly reset: boolean },
): Promise<void> {
  await wakeNow(context.db, reset ? 'open' : 'tried');
}

/**
 * Exported for tests: one round. Resolves after its steps; `called` resolves after its calls to
 * Temporal.
 */
export async function wakeOverdue(
  context: ServiceContext,
): Promise<{ readonly called: Promise<void> }> {
  const overdue = await leaseOverdue(context.db, {
    limit: BATCH,
    leaseMs: LEASE_MS,
    longestLeaseMs: LONGEST_LEASE_MS,
    longOverdueMs: LONG_OVERDUE_MS,
  });
  const neglected = overdue.filter(
    (request) => !request.settled && (request.late || request.longOverdue || request.attempts > 0),
  );
  // A workflow that is only late, as when thousands of levels fall due at once, needs no further call to Temporal.
  const silent = overdue.filter((request) => !request.late || request.attempts > 0);
  const called = callWorkflows(context, silent);
  // Independently, so that one failing request does not block the others.
  await inParallel(neglected, STEPS_AT_ONCE, async (request) => {
    await step(context, request).catch((error: unknown) => {
      context.logger.warn(
        { err: error, approvalRequest: request.id },
        'the reconciler could not step a request',
      );
    });
  });
  return { called };
}

async function callWorkflows(
  context: ServiceContext,
  requests: readonly OverdueRequest[],
): Promise<void> {
  const outcomes = await Promise.allSettled(
    requests.map((request) =>
      request.settled ? notifySettled(context, request) : restart(context, request),
    ),
  );
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failed[0] && !context.stopping.aborted)
    context.logger.warn(
      {
        err: failed[0].reason as unknown,
        failed: failed.length,
        approvalRequests: requests.length,
      },
      'the reconciler could not reach workflows; it will try again',
    );
}

async function restart(runtime: Runtime, request: OverdueRequest): Promise<void> {
  runtime.metrics.reconcilerStarts.inc();
  await runtime.workflows.ensure(request, { replace: request.attempts >= REPLACE_FROM_ATTEMPT });
}

/** A running workflow looks and ends. Without one, there is nothing to do. */
async function notifySettled(context: ServiceContext, { id }: OverdueRequest): Promise<void> {
  context.metrics.reconcilerStarts.inc();
  await context.workflows.signal(id, 'changed');
  await clearWake(context.db, id);
}

async function step(context: ServiceContext, { id }: OverdueRequest): Promise<void> {
  context.metrics.reconcilerSteps.inc();
  // The row's own clock decides what is due. The floor is an instant certainly in the past.
  await stepRequest(context, id, { floor: new Date(0), by: 'reconciler' });
}

async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
}
