/** Holds the person back before they leave a page that would lose something. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The person wants to leave. */
export interface Leaving {
  readonly leave: () => void;
  readonly stay: () => void;
}

/**
 * Undefined until the person wants to leave. The browser asks by itself when the tab is closed. `isKeptInPage`: what would be
 * lost survives a change of the search in the address, so that one goes through.
 */
export function useLeaving(
  isHeld: boolean,
  { isKeptInPage }: { readonly isKeptInPage: boolean },
): Leaving | undefined {
  const { history } = useRouter();
  const [leaving, setLeaving] = useState<Leaving>();
  useEffect(() => {
    if (!isHeld) return undefined;
    return history.block({
      enableBeforeUnload: true,
      blockerFn: async ({ currentLocation, nextLocation }) => {
        if (isKeptInPage && currentLocation.pathname === nextLocation.pathname) return false;
        const { promise, resolve } = Promise.withResolvers<boolean>();
        const choose = (isBlocked: boolean) => () => {
          setLeaving(undefined);
          resolve(isBlocked);
        };
        setLeaving({ leave: choose(false), stay: choose(true) });
        return await promise;
      },
    });
  }, [history, isHeld, isKeptInPage]);
  return leaving;
}
