/**
 * What the reconciler tells workflows, and what it has learned of them. Calls to Temporal may wait
 * behind others for long.
 */
import {
  clearTries,
  clearWakes,
  findFinalStates,
  putOffWakes,
  type DueWake,
} from '../../data/requests/wake.ts';
import type { TerminalState } from '../../domain/requests/approval-requests.ts';
import type { RequestStep } from '../../domain/requests/engine/step.ts';
import { wakeOfTimer } from '../../domain/requests/engine/walk.ts';
import type { Runtime, ServiceContext } from '../context.ts';

/** From the third try on, a workflow that stays silent is terminated and started again. */
const REPLACE_FROM_ATTEMPT = 2;

/** The id of a request whose new workflow may begin by waiting. */
export type Restarted = string | undefined;

export async function settleCalls(
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
export async function restart(
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
export async function passOn(
  runtime: Runtime,
  id: string,
  status: TerminalState,
): Promise<undefined> {
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
export async function clearFinished({
  db,
  workflowSync: { finished },
}: ServiceContext): Promise<void> {
  const ids = [...finished];
  finished.clear();
  if (ids.length > 0) await clearWakes(db, ids);
}

/**
 * In one statement for all whose workflows have begun with a wait since the last round. Returns those
 * that began late: their decision may have come before there was a workflow to pass it on to.
 */
export async function putOffStarted({
  db,
  workflowSync: { started },
}: ServiceContext): Promise<string[]> {
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
export async function clearTriesOfResumed({
  db,
  workflowSync: { resumed },
}: ServiceContext): Promise<void> {
  const wakes = [...resumed].map(([id, from]) => ({ id, from }));
  resumed.clear();
  if (wakes.length > 0) await clearTries(db, wakes);
}
