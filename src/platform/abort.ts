/** Resolves with the work's result, or rejects with the signal's reason if that comes first. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const aborted = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', aborted, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', aborted);
      });
  });
}
