import { useEffect, useState } from 'react';

/** A hidden page draws nothing. */
const HIDDEN_MS = 500;

/** Resolves once the browser has drawn what is under way, or soon if it draws nothing. */
async function nextDraw(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const drawn = () => {
    resolve(undefined);
  };
  setTimeout(drawn, HIDDEN_MS);
  requestAnimationFrame(() => setTimeout(drawn));
  await promise;
}

/** False in the first draw, unless `atOnce`: for what may come a moment after what the reader waits for. */
export function useIsDrawn({ atOnce = false } = {}): boolean {
  const [isDrawn, setDrawn] = useState(atOnce);
  useEffect(() => {
    void nextDraw().then(() => {
      setDrawn(true);
    });
  }, []);
  return isDrawn;
}
