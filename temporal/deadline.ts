/**
 * A call to a Temporal server that went away can hang far past any gRPC deadline, so our own timer
 * ends the wait.
 */

/** Rejects after `ms`, or as soon as `signal` is aborted. The call itself continues. */
export async function within<T>(ms: number, call: Promise<T>, signal?: AbortSignal): Promise<T> {
  call.catch(() => undefined);
  let end: () => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Temporal did not answer within ${ms / 1000} s.`));
    }, ms).unref();
    const giveUp = () => {
      reject(signal?.reason instanceof Error ? signal.reason : new Error('given up'));
    };
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
  });
  try {
    return await Promise.race([call, ended]);
  } finally {
    end();
  }
}
