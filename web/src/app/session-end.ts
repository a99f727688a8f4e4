/** What happens when the session ends, or becomes another person's, while a page is open. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { BACKGROUND, call, isOtherPerson, isSignedOut } from '../shared/api/api.ts';
import { accountQuery, dropSession, type Account } from '../shared/session/session.ts';

interface SessionWatch {
  /** `repeat`: reads again what failed, once the session turns out to be there. */
  readonly failed: (error: unknown, query?: AnyQuery) => void;
  readonly succeeded: (query: AnyQuery) => void;
  /** Asks the service whose session it is. */
  readonly look: () => void;
}

type AnyQuery = Query<unknown, unknown>;

type Found =
  | { readonly whose: 'same' | 'none' | 'unknown' }
  | { readonly whose: 'other'; readonly account: Account };

/** Before a read that was refused while the session was there. The first comes at once. */
const PAUSES_MS = [0, 1_000, 5_000, 30_000];

/** Between two looks of a tab to which its person comes back again and again. */
const LOOK_MS = 5_000;

/**
 * Watches failed calls. A session that authenticated again in another tab has a new cookie, and a
 * call under way still carried the old one: so the service is asked before the person is.
 */
export function watchSession(
  queries: QueryClient,
  {
    onEnd,
    onSwitch,
  }: {
    readonly onEnd: () => Promise<void>;
    readonly onSwitch: (account: Account) => void;
  },
): SessionWatch {
  let isEnding = false;
  let asking: Promise<Found> | undefined;
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
  const look = async (): Promise<Found['whose']> => {
    const known = queries.getQueryData(accountQuery.queryKey);
    if (!known) return 'unknown';
    asking ??= compare(known.principal.actor_id).finally(() => {
      asking = undefined;
    });
    const found = await asking;
    if (found.whose === 'other') onSwitch(found.account);
    if (found.whose === 'none') await end();
    return found.whose;
  };
  lookOnReturn(() => void look());
  return {
    look: () => void look(),
    failed: (error, query) => {
      if (!isSignedOut(error) && !isOtherPerson(error)) return;
      void look().then((whose) => {
        if (whose === 'same' && query) repeat(query);
      });
    },
    succeeded: ({ queryHash }) => {
      refusals.delete(queryHash);
    },
  };
}

/** A tab that slept heard nothing of what other tabs said. */
function lookOnReturn(look: () => void): void {
  let lookedAt = -Infinity;
  const lookNow = () => {
    if (document.visibilityState !== 'visible' || performance.now() - lookedAt < LOOK_MS) return;
    lookedAt = performance.now();
    look();
  };
  addEventListener('focus', lookNow);
  document.addEventListener('visibilitychange', lookNow);
}

async function compare(actor: string): Promise<Found> {
  try {
    const { body } = await call('get', '/api/v1/me', { headers: BACKGROUND });
    return body.principal.actor_id === actor
      ? { whose: 'same' }
      : { whose: 'other', account: body };
  } catch (error) {
    return { whose: isSignedOut(error) ? 'none' : 'unknown' };
  }
}
