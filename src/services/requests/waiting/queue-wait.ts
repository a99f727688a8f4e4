/** One call that waits for changes in a queue. It holds no database connection while it is parked. */
import type { ProductPrincipal } from '../../../domain/people/authorization.ts';
import { WakeSignal } from '../../../platform/wake-signal.ts';
import type { WaitingContext } from '../../context.ts';

export interface ParkedOnQueue {
  /** The time is over, the client has hung up, the service stops, or the credential ended. */
  isOver(): boolean;
  /** Whether someone's access has changed since the last call of this. */
  takeAccessNews(): boolean;
  /** Resolves when there may be news, or the wait is over. */
  next(): Promise<void>;
  leave(): void;
}

export function parkOnQueue(
  context: WaitingContext,
  caller: ProductPrincipal,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): ParkedOnQueue {
  const changed = new WakeSignal();
  const state = { isOver: ms === 0, hasAccessNews: false };
  const end = () => {
    state.isOver = true;
    changed.wake();
  };
  const { organizationId } = caller;
  const watched = {
    organizationId,
    ...(caller.kind === 'member' && { accessVersion: caller.accessVersion }),
  };
  const unwatch = context.queueWatch.watch(watched, (news) => {
    if (news === 'access') state.hasAccessNews = true;
    changed.wake();
  });
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  context.stopping.addEventListener('abort', end, { once: true });
  const release = context.heldCredentials.watch(caller, end);
  if (signal.aborted || context.stopping.aborted) end();
  context.metrics.parkedWaits.inc();
  return {
    isOver: () => state.isOver,
    takeAccessNews: () => {
      const { hasAccessNews } = state;
      state.hasAccessNews = false;
      return hasAccessNews;
    },
    next: async () => {
      await changed.wait();
    },
    leave: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      context.stopping.removeEventListener('abort', end);
      release();
      unwatch();
      context.metrics.parkedWaits.dec();
    },
  };
}
