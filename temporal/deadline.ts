/** A call to a Temporal server that went away can hang far past any gRPC deadline: our own timer ends the wait. */
import { setTimeout as delay } from 'node:timers/promises';

/** Rejects after `ms`, or as soon as `signal` is aborted; the call itself goes on. */
export async function within<T>(ms: number, call: Promise<T>, signal?: AbortSignal): Promise<T> {
  const timer = new AbortController();
  const ended = signal ? AbortSignal.any([timer.signal, signal]) : timer.signal;
  const late = delay(ms, undefined, { signal: ended, ref: false }).then(() => {
    throw new Error(`Temporal did not answer within ${ms / 1000} s.`);
  });
  late.catch(() => undefined);
  call.catch(() => undefined);
  try {
    return await Promise.race([call, late]);
  } finally {
    timer.abort();
  }
}
