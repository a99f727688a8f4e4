/** A newer build of the app has other files than the page that is open. */
import { useSyncExternalStore } from 'react';
import { pause } from './online.ts';

const RELOADED = 'reloaded-at';
const AGAIN_MS = 60_000;

/** Long enough for the page that is asked for to arrive. */
const LEAVING_MS = 10_000;
let leftAt = -Infinity;
/** Firefox stops the loads of a page that is left. */
const isLeft = (): boolean => performance.now() - leftAt < LEAVING_MS;

/**
 * Waits for code that a page loads. When a newer build took it away, the page loads again, once. If loading stops because
 * the person leaves the page, the error comes later, in case the page stays after all.
 */
export async function loadChunk<Chunk>(loading: Promise<Chunk>): Promise<Chunk> {
  return await loading.catch(async (error: unknown) => {
    if (isLeft()) await pause(LEAVING_MS);
    await lookForNewBuild({ atOnce: true });
    if (isNewer && reloadOnce()) await pause(LEAVING_MS);
    // At the browser's own message, the router would load the page again by itself.
    throw new Error('A part of the page could not be loaded.', { cause: error });
  });
}

const failedStyles: HTMLLinkElement[] = [];

/** Until a part is loaded again. */
const PART_MS = 5_000;

/**
 * As `loadChunk`, for a part of a page: it tries again until the service was there before a failure and after it, so that
 * the page around the part stays.
 */
export async function loadPart<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  let wasServed = false;
  for (;;) {
    try {
      return await loadChunk(load());
    } catch (error) {
      const isServed = (await readServedEntry()) !== undefined;
      if (wasServed && isServed) throw error;
      wasServed = isServed;
      await pause(PART_MS);
      loadStylesAgain();
    }
  }
}

/** The second load of a part skips style sheets that the first one asked for. */
function loadStylesAgain(): void {
  for (const link of failedStyles.splice(0)) link.replaceWith(link.cloneNode());
}

/** Call it once, before the app is drawn. */
export function watchLoading(): void {
  addEventListener('beforeunload', () => {
    leftAt = performance.now();
  });
  const rememberStyle = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement) failedStyles.push(target);
  };
  addEventListener('error', rememberStyle, { capture: true });
}

/** False when it did so a moment ago, and that did not help. */
function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < AGAIN_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
  return true;
}

/** The file that a page begins with, the first that it names. Its name has the digest of all that it loads. */
const ENTRY = /<script type="module"[^>]*? src="(\/assets\/[^"]+)"/;

/** Undefined while the service is away. */
async function readServedEntry(): Promise<string | undefined> {
  const page = await fetch('/').then(
    async (response) => (response.ok ? await response.text() : ''),
    () => '',
  );
  return ENTRY.exec(page)?.[1];
}

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
  const served = await readServedEntry();
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
