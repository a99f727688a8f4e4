/** The time of the service, by its responses: clocks of phones and laptops may be minutes wrong. */
import { useSyncExternalStore } from 'react';

/** How far the service is ahead, to about a second. */
let aheadMs = 0;

/** A difference that the seconds of the header explain is no difference. */
const ROUNDING_MS = 1_500;

/** `date`: as in the header `Date` of a response that just came. */
export function learnServerTime(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const ahead = at - Date.now();
  aheadMs = Math.abs(ahead) < ROUNDING_MS ? 0 : ahead;
}

export const serverNow = (): number => Date.now() + aheadMs;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** All ages and countdowns of a page change at once, every second, while any is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** In whole seconds since 1970, so that what shows it draws once a second. */
export const useNowSeconds = (): number =>
  useSyncExternalStore(subscribe, () => Math.floor(serverNow() / 1_000));
