/** What happens when the session ends while a page is open. */
import type { QueryClient } from '@tanstack/react-query';
import { ApiError, call } from './api.ts';
import { accountQuery, dropSession } from './session.ts';

/** What a call without a session is refused with. A wrong password is another code. */
const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code === 'authentication_required';

/**
 * Watches failed calls. A session that authenticated again in another tab has a new cookie, and a
 * call under way still carried the old one: so the service is asked before the person is.
 */
export function watchSession(
  queries: QueryClient,
  { onEnd, onSwitch }: { readonly onEnd: () => Promise<void>; readonly onSwitch: () => void },
): (error: unknown, repeat?: () => void) => void {
  let isEnding = false;
  let asking: Promise<'same' | 'other' | 'none' | 'unknown'> | undefined;
  return (error, repeat) => {
    const known = queries.getQueryData(accountQuery.queryKey);
    if (!isSignedOut(error) || !known) return;
    asking ??= compare(known.principal.actor_id).finally(() => {
      asking = undefined;
    });
    void asking.then(async (outcome) => {
      if (outcome === 'same') repeat?.();
      if (outcome === 'other') onSwitch();
      if (outcome !== 'none' || isEnding) return;
      isEnding = true;
      await onEnd();
      isEnding = false;
      dropSession(queries);
    });
  };
}

async function compare(membershipId: string): Promise<'same' | 'other' | 'none' | 'unknown'> {
  try {
    const { body } = await call('get', '/api/v1/me');
    return body.principal.actor_id === membershipId ? 'same' : 'other';
  } catch (error) {
    return isSignedOut(error) ? 'none' : 'unknown';
  }
}
