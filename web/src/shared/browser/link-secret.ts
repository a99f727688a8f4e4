/**
 * The bootstrap secret of the link that `start` prints. It is in the fragment, which browsers send to no
 * one. Here it is only in memory.
 */
const PAGE = '/welcome';
const FRAGMENT = /^#secret=(?<secret>[^&]+)$/;

let taken: string | undefined;
let tell = (): void => undefined;

function take(): void {
  const secret = FRAGMENT.exec(location.hash)?.groups?.['secret'];
  if (location.pathname !== PAGE || secret === undefined) return;
  // Out of the address and the history first, whatever becomes of it.
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    taken = decodeURIComponent(secret);
  } catch {
    return;
  }
  tell();
}

/** Before anything else reads the address. Someone may also open the link in a tab that shows the page. */
export function takeLinkSecret(): void {
  take();
  addEventListener('hashchange', take);
}

export const linkSecret = (): string | undefined => taken;

/** For the page that asks for it. Once it is left, nothing keeps the secret. */
export function followLinkSecret(change: () => void): () => void {
  tell = change;
  return () => {
    tell = () => undefined;
    taken = undefined;
  };
}
