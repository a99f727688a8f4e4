/**
 * A call to a Temporal server that went away can hang far past any gRPC deadline, so our own timer
 * ends the wait.
 */
import { unlessAborted } from '../src/platform/abort.ts';

/** Rejects after `ms`, or as soon as `signal` is aborted. The call itself continues. */
export async function within<T>(
  ms: number,
  call: Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  call.catch(() => undefined);
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new Error(`Temporal did not respond within ${ms / 1000} s.`));
  }, ms).unref();
  try {
    return await unlessAborted(signal, () => unlessAborted(late.signal, () => call));
  } finally {
    clearTimeout(timer);
  }
}
