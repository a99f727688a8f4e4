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
const RETRY_MS = [1_000, 2_000, 5_000, 15_000, 30_000];

/** The poll is no use of the session: an open tab must not keep it alive. */
const HEADERS = { 'Service-Background': '1' };

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
  const lead = async () => {
    await poll(send, ended.signal);
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

async function poll(send: (message: Message) => void, signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const changes = await readChanges(after, signal);
      after = changes.cursor;
      failures = 0;
      send({ kind: 'changes', changes });
    } catch (error) {
      if (signal.aborted) return;
      // Authenticating again changes the cookie while a poll is on its way, so one 401 means nothing.
      if (error instanceof ApiError && error.status === 401 && failures > 0) {
        send({ kind: 'signed-out' });
        return;
      }
      if (error instanceof ApiError && error.status === 403) return;
      if (error instanceof ApiError && error.status === 400) after = undefined;
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal);
      failures += 1;
    }
  }
}

async function readChanges(after: string | undefined, signal: AbortSignal): Promise<Changes> {
  const query = { scope: 'visible', ...(after !== undefined && { after, wait: WAIT }) } as const;
  const init = { signal, headers: HEADERS, params: { query } };
  return (await call('get', '/api/v1/requests/changes', init)).body;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
