/** Parked waits: register, read, then park until the request is decided. A parked wait holds no database connection. */
import { isTerminal, type ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import type { Principal } from '../../../domain/people/authorization.ts';
import type { ServiceContext } from '../../context.ts';
import { readSettled } from '../../engine/settle.ts';

export interface WaitOptions {
  /** Milliseconds at most. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** The waiting caller: the wait ends soon after their credential does. */
  readonly caller?: Principal;
  /** The `updatedAt` of the request as the caller knows it: any change since then ends the wait. */
  readonly since?: Date | undefined;
  /** Ends the wait early; by default when the request is decided. */
  readonly until?: (request: ApprovalRequest) => boolean;
}

/**
 * The request that satisfied `until`; undefined when it is gone; `'no_answer'` on timeout, hang-up,
 * shutdown, or when the credential ended.
 */
export type WaitOutcome = ApprovalRequest | undefined | 'no_answer';

/** A registered wait; `outcome` resolves once. Always call `leave`. */
export interface ParkedWait {
  readonly outcome: Promise<WaitOutcome>;
  /** Reads the row now. Call it once after registering, unless the row is known to be open. */
  look(): void;
  leave(): void;
}

export function parkWait(
  context: ServiceContext,
  id: string,
  { ms, signal, caller, since, until = isSettled(since) }: WaitOptions,
): ParkedWait {
  let finish: (outcome: WaitOutcome) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const outcome = new Promise<WaitOutcome>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const consider = (request: ApprovalRequest | undefined) => {
    if (!request || until(request)) finish(request);
  };
  const look = () => {
    readSettled(context, id).then(consider, fail);
  };
  const listener = (snapshot: ApprovalRequest | undefined) => {
    if (snapshot) consider(snapshot);
    else look();
  };
  const unsubscribe = context.changes.subscribe(id, listener, since);
  const timer = setTimeout(() => {
    finish('no_answer');
  }, ms);
  const hangUp = () => {
    finish('no_answer');
  };
  signal.addEventListener('abort', hangUp, { once: true });
  context.stopping.addEventListener('abort', hangUp, { once: true });
  const release = caller && context.heldCredentials.watch(caller, hangUp);
  if (signal.aborted || context.stopping.aborted) hangUp();
  context.metrics.parkedWaits.inc();
  return {
    outcome,
    look,
    leave: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', hangUp);
      context.stopping.removeEventListener('abort', hangUp);
      release?.();
      unsubscribe();
      context.metrics.parkedWaits.dec();
    },
  };
}

const isSettled =
  (since: Date | undefined) =>
  ({ state, updatedAt }: ApprovalRequest): boolean =>
    isTerminal(state) || (since !== undefined && updatedAt.getTime() !== since.getTime());

/** The decided request, or its current state when the time runs out; undefined when there is none. */
export async function waitForRequest(
  context: ServiceContext,
  id: string,
  options: WaitOptions,
): Promise<ApprovalRequest | undefined> {
  const wait = parkWait(context, id, options);
  try {
    wait.look();
    const outcome = await wait.outcome;
    return outcome === 'no_answer' ? await readSettled(context, id) : outcome;
  } finally {
    wait.leave();
  }
}
