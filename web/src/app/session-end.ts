/** What happens when the session ends while a page is open. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { call, isSignedOut } from '../shared/api/api.ts';
import { accountQuery, dropSession } from '../shared/session/session.ts';

interface SessionWatch {
  /** `repeat`: reads again what failed, once the session turns out to be there. */
  readonly failed: (error: unknown, query?: AnyQuery) => void;
  readonly succeeded: (query: AnyQuery) => void;
}

type AnyQuery = Query<unknown, unknown>;

/** Before a read that was refused while the session was there. The first comes at once. */
const PAUSES_MS = [0, 1_000, 5_000, 30_000];

/**
 * Watches failed calls. A session that authenticated again in another tab has a new cookie, and a
 * call under way still carried the old one: so the service is asked before the person is.
 */
export function watchSession(
  queries: QueryClient,
  { onEnd, onSwitch }: { readonly onEnd: () => Promise<void>; readonly onSwitch: () => void },
): SessionWatch {
  let isEnding = false;
  let asking: Promise<'same' | 'other' | 'none' | 'unknown'> | undefined;
  const refusals = new Map<string, number>();
  const repeat = (query: AnyQuery) => {
    const before = refusals.get(query.queryHash) ?? 0;
    refusals.set(query.queryHash, before + 1);
    setTimeout(
      () => {
        // Something else may have read it meanwhile, and lists move only when their reader asks.
        if (query.isActive() && query.state.status === 'error')
          query.fetch().catch(() => undefined);
      },
      PAUSES_MS[Math.min(before, PAUSES_MS.length - 1)],
    );
  };
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await onEnd();
    isEnding = false;
    dropSession(queries);
  };
  return {
    failed: (error, query) => {
      const known = queries.getQueryData(accountQuery.queryKey);
      if (!isSignedOut(error) || !known) return;
      asking ??= compare(known.principal.actor_id).finally(() => {
        asking = undefined;
      });
      void asking.then(async (outcome) => {
        if (outcome === 'same' && query) repeat(query);
        if (outcome === 'other') onSwitch();
        if (outcome === 'none') await end();
      });
    },
    succeeded: ({ queryHash }) => {
      refusals.delete(queryHash);
    },
  };
}

async function compare(actor: string): Promise<'same' | 'other' | 'none' | 'unknown'> {
  try {
    const { body } = await call('get', '/api/v1/me');
    return body.principal.actor_id === actor ? 'same' : 'other';
  } catch (error) {
    return isSignedOut(error) ? 'none' : 'unknown';
  }
}
