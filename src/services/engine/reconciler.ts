/**
 * The reconciler runs in every process, for when a workflow is lost or late or Temporal is down. It
 * expires requests past their deadline. It restarts or steps requests whose wake-up time has
 * passed. It also counts the requests of agents by day.
 */
import { addToRequestCounts } from '../../data/agents/request-counts.ts';
import {
  clearTries,
  clearWakes,
  findFinalStates,
  leaseDueWakes,
  putOffWakes,
  wakeNow,
  type DueWake,
} from '../../data/requests/wake.ts';
import { isTerminal, type TerminalState } from '../../domain/requests/approval-requests.ts';
import type { RequestStep } from '../../domain/requests/engine/step.ts';
import { wakeOfTimer, type StepWait } from '../../domain/requests/engine/walk.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { stepLateLevels } from './late-levels.ts';
import { expirePastDeadline } from './settle.ts';
import { stepRequest } from './step.ts';

const WAKE_EVERY_MS = 1_000;
/** Expiry is promised within a second of the deadline, so several rounds fit into it. */
const EXPIRE_EVERY_MS = 250;
/** What was created since the last count is counted again by each list of agents. */
const COUNT_EVERY_MS = 30_000;
/** Most wake-ups per lease, late levels per set, and requests per statement of the deadline sweep. */
const BATCH = 200;
/** Most sets of late levels per round, so that other wake-ups have their turn. */
const SETS_PER_ROUND = 20;
/** How long a leased request is left to this process. Longer than a round of the loop on a slow database. */
const LEASE = { leaseMs: 15_000, longestLeaseMs: 600_000, longDueMs: 5_000 } as const;
/** From the third try on, a workflow that stays silent is terminated and started again. */
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
        const { called } = await wakeDue(context);
        calling.add(called);
        void called.finally(() => calling.delete(called));
      },
    }),
    repeat(context, {
      what: 'deadline sweep',
      everyMs: EXPIRE_EVERY_MS,
      work: () => expirePastDeadline(context, { batch: BATCH }),
    }),
    repeat(context, {
      what: 'count of requests',
      everyMs: COUNT_EVERY_MS,
      work: () => addToRequestCounts(context.db, { everyMs: COUNT_EVERY_MS / 2 }),
    }),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(calling);
      // The reconciler of another process makes up for it.
      await clearFinished(context).catch(() => undefined);
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
  return await leaseDueWakes(db, { ...LEASE, ...which, limit: BATCH });
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

/** The id of a request whose new workflow may begin by waiting. */
type Restarted = string | undefined;

async function settleCalls(
  context: ServiceContext,
  calls: readonly Promise<Restarted>[],
  startedLate: readonly string[],
): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  const restarted = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value !== undefined ? [outcome.value] : [],
  );
  const late = await Promise.allSettled([passOnTo(context, [...restarted, ...startedLate])]);
  const failed = [...outcomes, ...late].filter((outcome) => outcome.status === 'rejected');
  if (failed[0] && !context.stopping.aborted)
    context.logger.warn(
      {
        err: failed[0].reason as unknown,
        failed: failed.length,
        approvalRequests: calls.length,
      },
      'the reconciler could not reach workflows; it will try again',
    );
}

/** A new workflow begins where the step that was just made has left the request. */
async function restart(
  runtime: Runtime,
  request: DueWake,
  stepped?: RequestStep,
): Promise<Restarted> {
  if (stepped?.kind === 'done')
    return stepped.status === undefined
      ? undefined
      : await passOn(runtime, request.id, stepped.status);
  runtime.metrics.reconcilerStarts.inc();
  const replace = request.attempts >= REPLACE_FROM_ATTEMPT;
  const wait = stepped?.kind === 'wait' ? stepped : undefined;
  await runtime.workflows.ensure(request, { replace, wait });
  return wait && request.id;
}

/** A running workflow ends with the decision. Without one, there is nothing to do. */
async function passOn(runtime: Runtime, id: string, status: TerminalState): Promise<undefined> {
  runtime.metrics.reconcilerStarts.inc();
  await runtime.workflows.signal(id, 'changed', status);
  runtime.workflowSync.finished.add(id);
}

/**
 * A request may be decided after a step, before the workflow that begins there is running.
 * No signal has reached that workflow.
 */
async function passOnTo(context: ServiceContext, restarted: readonly string[]): Promise<void> {
  if (restarted.length === 0) return;
  const decided = await findFinalStates(context.db, restarted);
  await Promise.all(decided.map(({ id, state }) => passOn(context, id, state)));
}

/** In one statement for all whose workflows have been passed the decision since the last round. */
async function clearFinished({ db, workflowSync: { finished } }: ServiceContext): Promise<void> {
  const ids = [...finished];
  finished.clear();
  if (ids.length > 0) await clearWakes(db, ids);
}

/**
 * In one statement for all whose workflows have begun with a wait since the last round. Returns those
 * that began late: their decision may have come before there was a workflow to pass it on to.
 */
async function putOffStarted({ db, workflowSync: { started } }: ServiceContext): Promise<string[]> {
  const wakes = [...started].map(([id, { wakeAt, until }]) => ({
    id,
    from: wakeAt,
    to: wakeOfTimer(until),
  }));
  const late = [...started].flatMap(([id, { isLate }]) => (isLate ? [id] : []));
  started.clear();
  if (wakes.length > 0) await putOffWakes(db, wakes);
  return late;
}

/** In one statement for all whose workflows have come after the reconciler since the last round. */
async function clearTriesOfResumed({
  db,
  workflowSync: { resumed },
}: ServiceContext): Promise<void> {
  const wakes = [...resumed].map(([id, from]) => ({ id, from }));
  resumed.clear();
  if (wakes.length > 0) await clearTries(db, wakes);
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
