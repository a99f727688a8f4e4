/** A newer build has other files. A page whose next part is gone is loaded again, once. */
const RELOADED = 'reloaded-at';
const AGAIN_MS = 60_000;

export function reloadForNewBuild(): void {
  addEventListener('vite:preloadError', () => {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  });
}
