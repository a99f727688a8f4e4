/** The loop of the tab that polls for all tabs, without the browser around it. */
import type { Changes } from './changes.ts';
import { pauseMs } from '../api/retries.ts';

/** What a tab hears. */
export type Message =
  | { readonly kind: 'changes'; readonly changes: Changes }
  /** No response comes. What is shown may be out of date until the next changes. */
  | { readonly kind: 'cut' }
  /** The person is signed out, or lost the permission. */
  | { readonly kind: 'refused'; readonly status: 401 | 403 };

interface Polling {
  /** The last cursor that this tab knows. Without one, the first response resets the lists. */
  readonly after: string | undefined;
  /** Waits for changes if there is a cursor. */
  readonly read: (after: string | undefined) => Promise<Changes>;
  /** The status of a failed call, 0 where no response came, and how long the service wants to rest. */
  readonly failureOf: (error: unknown) => {
    readonly status: number;
    readonly retryAfterSeconds: number | undefined;
  };
  readonly pause: (ms: number) => Promise<void>;
  readonly send: (message: Message) => void;
  readonly signal: AbortSignal;
}

export async function poll({
  after: begin,
  read,
  failureOf,
  pause,
  send,
  signal,
}: Polling): Promise<void> {
  let after = begin;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const changes = await read(after);
      // A response to a call without a cursor does not name what changed before.
      send({
        kind: 'changes',
        changes: after === undefined ? { ...changes, reset: true } : changes,
      });
      after = changes.cursor;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const { status, retryAfterSeconds } = failureOf(error);
      if (status === 400) after = undefined;
      const message = messageOf(status, failures);
      if (message) send(message);
      await pause(pauseMs(failures, retryAfterSeconds));
      failures += 1;
    }
  }
}

/**
 * Authenticating again changes the cookie while a call is on its way, and a connection may break
 * once: so one failure means nothing. A missing permission is clear at once.
 */
function messageOf(status: number, failures: number): Message | undefined {
  if (status === 403) return { kind: 'refused', status };
  if (failures === 0) return undefined;
  return status === 401 ? { kind: 'refused', status } : { kind: 'cut' };
}
