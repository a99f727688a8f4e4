/** Parked waits: register, read, then park until the request is decided. A parked wait holds no database connection. */
import { findFinalIds } from '../../../data/requests/read.ts';
import { isTerminal, type ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import type { Principal } from '../../../domain/people/authorization.ts';
import type { WaitingContext } from '../../context.ts';
import { readSettled } from '../../engine/settle.ts';

export interface WaitOptions {
  /** Milliseconds at most. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** The waiting caller: the wait ends soon after their credential does. */
  readonly caller?: Principal | undefined;
  /** The `updatedAt` of the request as the caller knows it: any change since then ends the wait. */
  readonly since?: Date | undefined;
  /** Ends the wait early; by default when the request is decided. */
  readonly until?: (request: ApprovalRequest) => boolean;
}

/**
 * The request that satisfied `until`; undefined when it is gone; `'undecided'` on timeout, hang-up,
 * shutdown, or when the credential ended.
 */
export type WaitOutcome = ApprovalRequest | undefined | 'undecided';

/** A registered wait; `outcome` resolves once. Always call `leave`. */
export interface ParkedWait {
  readonly outcome: Promise<WaitOutcome>;
  /** Reads the row now. Call it once after registering, unless the row is known to be open. */
  look(): void;
  leave(): void;
}

export function parkWait(
  context: WaitingContext,
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
  const release = endOn(context, { ms, signal, caller }, () => {
    finish('undecided');
  });
  return {
    outcome,
    look,
    leave: () => {
      release();
      unsubscribe();
    },
  };
}

/** What ends a wait besides a change: the time, a hang-up, a shutdown, the end of the credential. Returns how to stop it. */
function endOn(
  context: WaitingContext,
  { ms, signal, caller }: Pick<WaitOptions, 'ms' | 'signal' | 'caller'>,
  end: () => void,
): () => void {
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  context.stopping.addEventListener('abort', end, { once: true });
  const release = caller && context.heldCredentials.watch(caller, end);
  if (signal.aborted || context.stopping.aborted) end();
  context.metrics.parkedWaits.inc();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    context.stopping.removeEventListener('abort', end);
    release?.();
    context.metrics.parkedWaits.dec();
  };
}

/**
 * Waits until one of the requests is decided or gone, or the wait ends. It reads once all of them are watched, so it
 * misses no change.
 */
export async function waitForAny(
  context: WaitingContext,
  ids: readonly string[],
  options: Pick<WaitOptions, 'ms' | 'signal' | 'caller'>,
): Promise<void> {
  let finish: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const over = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // One look is for all of them, and for all changes before it.
  let looks: 'no' | 'now' | 'again' = 'no';
  const look = () => {
    if (looks !== 'no') {
      looks = 'again';
      return;
    }
    looks = 'now';
    findFinalIds(context.db, ids).then((final) => {
      const isStale = looks === 'again';
      looks = 'no';
      if (final.length > 0) finish();
      else if (isStale) look();
    }, fail);
  };
  const consider = (snapshot: ApprovalRequest | undefined) => {
    if (!snapshot) look();
    else if (isTerminal(snapshot.state)) finish();
  };
  const unsubscribe = ids.map((id) => context.changes.subscribe(id, consider));
  const release = endOn(context, options, finish);
  try {
    look();
    await over;
  } finally {
    release();
    for (const each of unsubscribe) each();
  }
}

const isSettled =
  (since: Date | undefined) =>
  ({ state, updatedAt }: ApprovalRequest): boolean =>
    isTerminal(state) || (since !== undefined && updatedAt.getTime() !== since.getTime());

/** The decided request, or its current state when the time runs out; undefined when there is none. */
export async function waitForRequest(
  context: WaitingContext,
  id: string,
  options: WaitOptions,
): Promise<ApprovalRequest | undefined> {
  const wait = parkWait(context, id, options);
  try {
    wait.look();
    const outcome = await wait.outcome;
    return outcome === 'undecided' ? await readSettled(context, id) : outcome;
  } finally {
    wait.leave();
  }
}
