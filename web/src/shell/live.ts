/**
 * What changes while the app is open. One tab polls for all tabs of the browser, because a browser opens only six
 * connections to a server without HTTP/2.
 */
import type { components } from './openapi.d.ts';
import { ApiError, call } from './api.ts';

export type Changes = components['schemas']['RequestChanges'];

/** What tabs send each other. */
type Message =
  { readonly kind: 'changes'; readonly changes: Changes } | { readonly kind: 'signed-out' };

const NAME = 'countersign-live';
const WAIT = '25s';
const TIMEOUT_MS = 40_000;
const RETRY_MS = [1_000, 2_000, 5_000, 15_000, 30_000];

/** The poll is no use of the session: an open tab must not keep it alive. */
const HEADERS = { 'Service-Background': '1' };

/** The first poll of a page begins with its lists. Later ones find lists that missed changes. */
let hasFollowed = false;
const AT_ONCE_MS = 2_000;

/** Calls `receive` until the returned function is called. */
export function followChanges(receive: (message: Message) => void): () => void {
  const ended = new AbortController();
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    receive(data);
  };
  const send = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  const began = performance.now();
  const isFirst = !hasFollowed;
  hasFollowed = true;
  const lead = async () => {
    const isAtOnce = isFirst && performance.now() - began < AT_ONCE_MS;
    await poll(send, { signal: ended.signal, readsAgain: !isAtOnce });
  };
  // Plain http has no locks. Each tab polls by itself there.
  const following =
    'locks' in navigator ? navigator.locks.request(NAME, { signal: ended.signal }, lead) : lead();
  following.catch(() => undefined);
  return () => {
    ended.abort();
    channel.close();
  };
}

interface Polling {
  readonly signal: AbortSignal;
  /** Whether lists are older than the first answer. */
  readonly readsAgain: boolean;
}

async function poll(
  send: (message: Message) => void,
  { signal, readsAgain }: Polling,
): Promise<void> {
  let isStale = readsAgain;
  let after: string | undefined;
  let failures = 0;
  let refusals = 0;
  while (!signal.aborted) {
    try {
      const changes = await readChanges(after, signal);
      // An answer to a call without a cursor does not name what changed before.
      send({ kind: 'changes', changes: isStale ? { ...changes, reset: true } : changes });
      isStale = false;
      after = changes.cursor;
      failures = 0;
      refusals = 0;
    } catch (error) {
      if (signal.aborted) return;
      // Authenticating again changes the cookie while a poll is on its way, so one 401 means nothing.
      const status = error instanceof ApiError ? error.status : 0;
      refusals = status === 401 ? refusals + 1 : 0;
      if (refusals > 1) {
        send({ kind: 'signed-out' });
        return;
      }
      if (status === 400) {
        after = undefined;
        isStale = true;
      }
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal);
      failures += 1;
    }
  }
}

async function readChanges(after: string | undefined, signal: AbortSignal): Promise<Changes> {
  const query = { scope: 'visible', ...(after !== undefined && { after, wait: WAIT }) } as const;
  // A connection that died while a laptop slept would otherwise be waited for.
  const timely = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const init = { signal: timely, headers: HEADERS, params: { query } };
  return (await call('get', '/api/v1/requests/changes', init)).body;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    addEventListener('online', end);
  });
}
