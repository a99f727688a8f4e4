/**
 * Sends one decision until the service has confirmed it. The same key makes every try the same decision. Timers of
 * hidden tabs are slower, but they continue: React Query's own retries would rest.
 */
import { ApiError, call, isSignedOut, isUnconfirmed } from '../../../shared/api/api.ts';
import { actingAs } from '../../../shared/api/acting-as.ts';
import { pause } from '../../../shared/browser/online.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { sentDecisions, type Intent } from './decision-storage.ts';

export interface Decision {
  readonly id: string;
  readonly intent: Intent;
  readonly note: string;
  /** Of the text that was drawn. Absent where it is not what the service holds: then one can only deny. */
  readonly digest: string | undefined;
  readonly key: string;
  /** Who decides. A retry never decides for the person who signed in after them. */
  readonly actor: string;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** A connection that died would otherwise be waited for. */
const TIMEOUT_MS = 20_000;

interface Sending {
  /** Whether this page still belongs to the person who decided. */
  readonly isSignedIn: () => boolean;
  readonly onRetry?: () => void;
  /** Ends the tries. The error of the last one is thrown. */
  readonly signal?: AbortSignal;
}

export async function sendUntilConfirmed(
  decision: Decision,
  { isSignedIn, onRetry, signal }: Sending,
) {
  const { id, intent } = decision;
  sentDecisions.write(id, { intent, phase: 'sending' });
  let refusals = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      if (!isSignedIn()) throw signedOut();
      return await send(decision);
    } catch (error) {
      // Authenticating again changes the cookie while a call is on its way, so one 401 means nothing.
      if (isSignedOut(error)) refusals += 1;
      else if (!isUnconfirmed(error)) throw error;
      else sentDecisions.write(id, { intent, phase: 'unconfirmed' });
      if (refusals > 1) throw error;
      onRetry?.();
      await pause(delayOf(tries, error), signal);
      if (signal?.aborted) throw error;
    }
  }
}

async function send({ id, intent, note, digest, key, actor }: Decision) {
  return await call('post', '/api/v1/requests/{id}/decision', {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // Another person may be shown by then.
    headers: actingAs(actor),
    params: { path: { id }, header: { 'Idempotency-Key': key } },
    body: {
      status: intent,
      ...(note !== '' && { note }),
      ...(digest !== undefined && { seen: { arguments_digest: digest } }),
    },
  });
}

/** With the code of the service, so that the app finds out who is signed in now. */
const signedOut = (): ApiError =>
  new ApiError({
    status: 401,
    code: 'authentication_required',
    message: text.signedOut,
    details: {},
    requestId: undefined,
  });

function delayOf(tries: number, error: unknown): number {
  const wanted = (error instanceof ApiError && error.retryAfterSeconds) || 0;
  return Math.max(wanted * 1_000, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 0);
}
