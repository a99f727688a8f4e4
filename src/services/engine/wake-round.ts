/**
 * One round of the reconciler: requests whose wake-up has passed are stepped, and their workflows
 * started again.
 */
import { leaseDueWakes, type DueWake } from '../../data/requests/wake.ts';
import { isTerminal } from '../../domain/requests/approval-requests.ts';
import type { RequestStep } from '../../domain/requests/engine/step.ts';
import type { StepWait } from '../../domain/requests/engine/walk.ts';
import type { ServiceContext } from '../context.ts';
import { stepLateLevels } from './late-levels.ts';
import { stepRequest } from './step.ts';
import {
  clearFinished,
  clearTriesOfResumed,
  passOn,
  putOffStarted,
  restart,
  settleCalls,
  type Restarted,
} from './workflow-calls.ts';

/** Most wake-ups per lease, and late levels per set. */
const BATCH = 200;
/** Most sets of late levels per round, so that other wake-ups have their turn. */
const SETS_PER_ROUND = 20;
/** How long a leased request is left to this process. Longer than a round of the loop on a slow database. */
const LEASE = { leaseMs: 15_000, longestLeaseMs: 600_000, longDueMs: 5_000 } as const;
/** The same for a set of due levels, which is one statement. When this process dies, they are as late as that. */
const SET_LEASE_MS = 4_000;
/** Below the size of the worker's pool, which steps of workflows share. */
const STEPS_AT_ONCE = 4;

/** Resolves after its steps; `called` resolves after its calls to Temporal. */
export async function wakeDue(
  context: ServiceContext,
): Promise<{ readonly called: Promise<void> }> {
  const [startedLate] = await Promise.all([
    putOffStarted(context),
    clearFinished(context),
    clearTriesOfResumed(context),
  ]);
  const round: Round = { context, calls: [] };
  await stepLate(round);
  const neglected: DueWake[] = [];
  for (const request of await lease(context, { onlyLate: false })) {
    const { state } = request;
    if (isTerminal(state)) begin(round, passOn(context, request.id, state));
    else if (request.late || request.longDue || request.attempts > 0) neglected.push(request);
    else begin(round, restart(context, request));
  }
  await stepOneByOne(round, neglected);
  return { called: settleCalls(context, round.calls, startedLate) };
}

interface Round {
  readonly context: ServiceContext;
  /** Calls to Temporal. They are looked at after the steps. */
  readonly calls: Promise<Restarted>[];
}

function begin({ calls }: Round, call: Promise<Restarted>): void {
  call.catch(() => undefined);
  calls.push(call);
}

async function lease(
  { db }: ServiceContext,
  which: { readonly onlyLate: boolean },
): Promise<DueWake[]> {
  const leaseMs = which.onlyLate ? SET_LEASE_MS : LEASE.leaseMs;
  return await leaseDueWakes(db, { ...LEASE, ...which, leaseMs, limit: BATCH });
}

/** Levels that are due: in sets, and one by one what a set leaves out. */
async function stepLate(round: Round): Promise<void> {
  const { context } = round;
  let alone = 0;
  for (let set = 0; set < SETS_PER_ROUND && alone < BATCH; set += 1) {
    const late = await lease(context, { onlyLate: true });
    const stepped = await stepTogether(context, late);
    for (const request of late) {
      const wait = stepped.get(request.id);
      if (wait && needsWorkflow(request)) begin(round, restart(context, request, wait));
    }
    const left = late.filter(({ id }) => !stepped.has(id));
    alone += left.length;
    await stepOneByOne(round, left);
    if (late.length < BATCH) return;
  }
}

/** Independently, so that one failing request does not block the others. */
async function stepOneByOne(round: Round, requests: readonly DueWake[]): Promise<void> {
  const { context } = round;
  await inParallel(requests, STEPS_AT_ONCE, async (request) => {
    const stepped = await step(context, request);
    if (needsWorkflow(request)) begin(round, restart(context, request, stepped));
  });
}

/**
 * A workflow that is only late, as when thousands of levels fall due at once, needs no further call
 * to Temporal.
 */
function needsWorkflow({ late, attempts }: DueWake): boolean {
  return !late || attempts > 0;
}

/** Due levels in one statement. Those that it leaves out are to be stepped one by one. */
async function stepTogether(
  context: ServiceContext,
  late: readonly DueWake[],
): Promise<ReadonlyMap<string, StepWait>> {
  try {
    const stepped = await stepLateLevels(
      context,
      late.map(({ id }) => id),
    );
    context.metrics.reconcilerSteps.inc(stepped.size);
    return stepped;
  } catch (error) {
    context.logger.warn(
      { err: error, approvalRequests: late.length },
      'the reconciler could not step due levels together; it steps them one by one',
    );
    return new Map();
  }
}

async function step(context: ServiceContext, { id }: DueWake): Promise<RequestStep | undefined> {
  context.metrics.reconcilerSteps.inc();
  try {
    // The row's own clock decides what is due. The floor is an instant certainly in the past.
    return await stepRequest(context, id, { floor: new Date(0), by: 'reconciler' });
  } catch (error) {
    context.logger.warn(
      { err: error, approvalRequest: id },
      'the reconciler could not step a request',
    );
    return undefined;
  }
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
