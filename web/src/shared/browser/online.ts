/** Whether the browser believes that it has a network, and waiting for it. */
import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

/** Ends early once the browser has a network again, and with the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => {
    resolve(undefined);
  };
  const timer = setTimeout(end, ms);
  addEventListener('online', end);
  signal?.addEventListener('abort', end);
  await promise;
  clearTimeout(timer);
  removeEventListener('online', end);
  signal?.removeEventListener('abort', end);
}
