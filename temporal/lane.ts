/**
 * The lane for calls to Temporal: few at once, urgent ones first. Calls that pile up would make
 * each other, and everything else on this machine, late.
 */
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { CallKind, CallObserver, CallOutcome } from '../src/services/ports.ts';

export interface LaneCall {
  readonly kind: CallKind;
  /** What the call brings about: of the calls of one key that wait, one is enough. */
  readonly key?: string;
  /** Joins a call of the same key that still waits, instead of waiting itself. */
  readonly join?: boolean;
  /** When it joins a call, this one is made in its place: it has the effect of both. */
  readonly replace?: boolean;
  /** Aborted when the call's purpose is over. A call that has begun continues. */
  readonly signal?: AbortSignal | undefined;
}

export interface Lane {
  /** Rejects like `work`, or when the call was given up before its turn came. */
  call(call: LaneCall, work: () => Promise<void>): Promise<void>;
  /** Gives up every call that waits. */
  giveUp(outcome: CallOutcome, reason: unknown): void;
}

export interface LaneOptions {
  readonly observer: CallObserver;
  /** Aborted on shutdown: gives up the calls that wait, and refuses others. */
  readonly stopping: AbortSignal;
}

const STARTS_AT_ONCE = 3;
const OTHERS_AT_ONCE = 1;
/** How long the line of other calls rests after one, as a multiple of what that call took. */
const REST = 2;
const LONGEST_REST_MS = 1_000;
/** Most calls that wait in one line. The reconciler makes up for what does not fit. */
const WAITING_AT_MOST = 2_000;
const PRIORITY = { start: 0, signal: 1, ensure: 0 } as const satisfies Record<CallKind, number>;
/** So that responses to clients go out first. */
const SIGNAL_DELAY_MS = 10;

/** A call in the lane: it begins, or it is given up. */
interface WaitingCall {
  /** What the call does when its turn comes. */
  work: () => Promise<void>;
  /** Settles like the call. Rejects when it is given up. */
  readonly done: Promise<void>;
  /** Aborted when it is given up. */
  readonly givenUp: AbortSignal;
  giveUp(outcome: CallOutcome, reason: unknown): void;
  /** Makes the call, and returns the milliseconds it took. */
  begin(): Promise<number>;
}

/**
 * Starts have a separate line, because their callers wait for them. Each other call sets off
 * work of Temporal and of this process's worker that nothing else limits. So their line rests
 * after each call.
 */
export function createLane({ observer, stopping }: LaneOptions): Lane {
  const starts = new PQueue({ concurrency: STARTS_AT_ONCE });
  const others = new PQueue({ concurrency: OTHERS_AT_ONCE });
  const waiting = new Set<WaitingCall>();
  const byKey = new Map<string, WaitingCall>();

  const enqueue = (line: PQueue, call: LaneCall, work: () => Promise<void>): Promise<void> => {
    const { kind, key } = call;
    const observed = observer(kind);
    const entry = waitingCall(call, work, (outcome) => {
      observed(outcome);
      waiting.delete(entry);
      if (key !== undefined && byKey.get(key) === entry) byKey.delete(key);
    });
    waiting.add(entry);
    if (key !== undefined) byKey.set(key, entry);
    const run =
      kind === 'start' ? entry.begin : withRest(entry, kind === 'signal' ? SIGNAL_DELAY_MS : 0);
    // Rejects when the call is given up, which `done` reports.
    line
      .add<unknown>(run, { priority: PRIORITY[kind], signal: entry.givenUp })
      .catch(() => undefined);
    return entry.done;
  };

  const giveUp = (outcome: CallOutcome, reason: unknown) => {
    for (const entry of [...waiting]) entry.giveUp(outcome, reason);
  };
  const stop = () => {
    giveUp('stopped', stopping.reason);
  };
  stopping.addEventListener('abort', stop, { once: true });
  return {
    call: async (call, work) => {
      stopping.throwIfAborted();
      call.signal?.throwIfAborted();
      const same = call.key === undefined ? undefined : byKey.get(call.key);
      const line = call.kind === 'start' ? starts : others;
      if (call.join && same) {
        observer(call.kind)('joined');
        if (call.replace) same.work = work;
        await same.done;
      } else if (line.size < WAITING_AT_MOST) {
        await enqueue(line, call, work);
      } else {
        observer(call.kind)('full');
        throw new Error(`${WAITING_AT_MOST} calls to Temporal are waiting.`);
      }
    },
    giveUp,
  };
}

function waitingCall(
  { signal }: LaneCall,
  work: () => Promise<void>,
  leave: (outcome: CallOutcome) => void,
): WaitingCall {
  const controller = new AbortController();
  let resolve: () => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const done = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  const end = (outcome: CallOutcome) => {
    signal?.removeEventListener('abort', over);
    leave(outcome);
  };
  const giveUp = (outcome: CallOutcome, reason: unknown) => {
    end(outcome);
    controller.abort(reason);
    reject(reason);
  };
  const over = () => {
    giveUp('over', signal?.reason);
  };
  signal?.addEventListener('abort', over, { once: true });
  const entry: WaitingCall = {
    work,
    done,
    givenUp: controller.signal,
    giveUp,
    begin: async () => {
      end('begun');
      const began = performance.now();
      await entry.work().then(resolve, reject);
      return performance.now() - began;
    },
  };
  return entry;
}

/** Begins the call `delayMs` from now at the earliest, and rests after it. */
function withRest({ begin, givenUp }: WaitingCall, delayMs: number): () => Promise<void> {
  const notBefore = performance.now() + delayMs;
  return async () => {
    const early = notBefore - performance.now();
    if (early > 0) await delay(early, undefined, { signal: givenUp });
    const restMs = Math.min((await begin()) * REST, LONGEST_REST_MS);
    await delay(restMs, undefined, { ref: false });
  };
}
