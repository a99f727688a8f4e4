/**
 * What changes while the app is open. One tab polls for all tabs of the browser, because a browser opens only six
 * connections to a server without HTTP/2.
 */
import { ApiError } from '../api/api.ts';
import { pause } from '../browser/online.ts';
import { readChanges, type Changes } from './changes.ts';
import { poll, type Message } from './poll.ts';
import { retryAfterOf, withJitter } from '../api/retries.ts';

/** Of the channel and of the lock that the polling tab holds. */
const nameFor = (actor: string): string => `countersign-live-${actor}`;

/** Plain http has no locks. Each tab polls by itself there, while it is looked at. */
const hasLocks = 'locks' in navigator;

interface Following {
  /** Who is signed in. Tabs that still show another person hear nothing. */
  readonly actor: string;
  /** The changes before the first that this tab hears of: lists are read after it. */
  readonly begin: () => Promise<Changes | undefined>;
  readonly receive: (message: Message) => void;
}

/** An open channel, and what it heard before the page follows. */
interface EarlyChannel {
  readonly actor: string;
  readonly channel: BroadcastChannel;
  readonly heard: Message[];
}

let early: EarlyChannel | undefined;

/** A page that is not drawn by then opens a separate channel. */
const LISTEN_MS = 30_000;

function openChannel(actor: string): EarlyChannel {
  const opened: EarlyChannel = { actor, channel: new BroadcastChannel(nameFor(actor)), heard: [] };
  opened.channel.onmessage = ({ data }: MessageEvent<Message>) => {
    opened.heard.push(data);
  };
  return opened;
}

/** Hears other tabs from now on. What is read before the page follows then misses no change. */
export function listen(actor: string): void {
  const opened = openChannel(actor);
  // A page that is asked for twice joins what is being read.
  if (early?.actor === actor) opened.heard.push(...early.heard);
  early?.channel.close();
  early = opened;
  setTimeout(() => {
    if (early !== opened) return;
    opened.channel.close();
    early = undefined;
  }, LISTEN_MS);
}

function takeOrOpen(actor: string): EarlyChannel {
  const taken = early?.actor === actor ? early : openChannel(actor);
  if (early !== taken) early?.channel.close();
  early = undefined;
  return taken;
}

/** Calls `receive` until the returned function is called. */
export function followChanges({ actor, begin, receive }: Following): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const name = nameFor(actor);
  let cursor: string | undefined;
  const hear = (message: Message) => {
    if (message.kind === 'changes') ({ cursor } = message.changes);
    receive(message);
  };
  // Open before the first cursor is read, so that a tab that takes over has heard of all since.
  const { channel, heard } = takeOrOpen(actor);
  heard.forEach(hear);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    hear(data);
  };
  const send = (message: Message) => {
    channel.postMessage(message);
    hear(message);
  };
  const lead = async () => {
    const first = await begin();
    await poll({
      after: cursor ?? first?.cursor,
      read: async (after) => {
        if (!hasLocks) await untilVisible(signal);
        return await readChanges({ after, waits: after !== undefined, signal });
      },
      failureOf: (error) => ({
        status: error instanceof ApiError ? error.status : 0,
        retryAfterSeconds: retryAfterOf(error),
      }),
      pause: async (ms) => {
        await pause(withJitter(ms), signal);
      },
      send,
      signal,
    });
  };
  const following = hasLocks ? navigator.locks.request(name, { signal }, lead) : lead();
  following.catch(() => undefined);
  return () => {
    ended.abort();
    channel.close();
  };
}

async function untilVisible(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const look = () => {
    if (signal.aborted || document.visibilityState === 'visible') resolve(undefined);
  };
  signal.addEventListener('abort', look);
  document.addEventListener('visibilitychange', look);
  look();
  await promise;
  signal.removeEventListener('abort', look);
  document.removeEventListener('visibilitychange', look);
}
