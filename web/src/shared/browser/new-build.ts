/** A newer build of the app has other files than the page that is open. */
import { useSyncExternalStore } from 'react';
import { keepRouterFromReloading } from './router-internals.ts';

const RELOADED = 'reloaded-at';
const AGAIN_MS = 60_000;

/** Long enough for the page that is asked for to arrive. */
const LEAVING_MS = 10_000;
let leftAt = -Infinity;
/** Firefox stops the loads of a page that is left. */
const isLeft = (): boolean => performance.now() - leftAt < LEAVING_MS;

/**
 * Waits for code that a page loads. If loading stops because the person leaves the page, the error comes later,
 * in case the page stays after all.
 */
export async function loadChunk<Chunk>(loading: Promise<Chunk>): Promise<Chunk> {
  return await loading.catch(async (error: unknown) => {
    if (isLeft()) await new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
    throw error;
  });
}

/** Loads the page again, once, when code that it needs next is gone. */
export function reloadForNewBuild(): void {
  addEventListener('beforeunload', () => {
    leftAt = performance.now();
  });
  addEventListener('vite:preloadError', ({ payload }) => {
    keepRouterFromReloading(payload);
    // To load it again would keep the person there.
    if (isLeft()) return;
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  });
}

/** The file that a page begins with, the first that it names. Its name has the digest of all that it loads. */
const ENTRY = /<script type="module"[^>]*? src="(\/assets\/[^"]+)"/;

const LOOK_MS = 5 * 60_000;
let lastLook = performance.now();
let isNewer = false;
const listeners = new Set<() => void>();

/**
 * Asks for the page again, at most once in five minutes, or at once after the service was away.
 * A build can also come back, when an update is undone.
 */
export async function lookForNewBuild({ atOnce = false } = {}): Promise<void> {
  if (!atOnce && performance.now() - lastLook < LOOK_MS) return;
  lastLook = performance.now();
  const own = ENTRY.exec(document.head.outerHTML)?.[1];
  const page = await fetch('/').then(
    async (response) => (response.ok ? await response.text() : ''),
    () => '',
  );
  const served = ENTRY.exec(page)?.[1];
  if (own === undefined || served === undefined) return;
  isNewer = served !== own;
  for (const each of listeners) each();
}

const lookWhenVisible = () => {
  if (document.visibilityState === 'visible') void lookForNewBuild();
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  document.addEventListener('visibilitychange', lookWhenVisible);
  return () => {
    listeners.delete(listener);
    document.removeEventListener('visibilitychange', lookWhenVisible);
  };
}

/** Whether the service serves another build than this page's. */
export const useNewBuild = (): boolean => useSyncExternalStore(subscribe, () => isNewer);
