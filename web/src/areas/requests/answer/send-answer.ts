/**
 * Sending one answer until the service has answered it. The same key makes every try the same decision. Timers of
 * hidden tabs are slower, but they go on: React Query's own retries would rest.
 */
import { ApiError, call, isSignedOut, isUnanswered } from '../../../shared/api/api.ts';
import { pause } from '../../../shared/browser/online.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { sentAnswers, type Intent } from './answer-storage.ts';

export interface Answer {
  readonly id: string;
  readonly intent: Intent;
  readonly note: string;
  /** Of the text that was drawn. Absent where it is not what the service holds: then one can only deny. */
  readonly digest: string | undefined;
  readonly key: string;
  /** Who answers. A retry never answers for the person who signed in after them. */
  readonly actor: string;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** A connection that died would otherwise be waited for. */
const TIMEOUT_MS = 20_000;

interface Sending {
  /** Whether this page still belongs to the person who answered. */
  readonly isSignedIn: () => boolean;
  readonly onRetry?: () => void;
  /** Ends the tries. The error of the last one is thrown. */
  readonly signal?: AbortSignal;
}

export async function sendUntilAnswered(answer: Answer, { isSignedIn, onRetry, signal }: Sending) {
  const { id, intent, actor } = answer;
  sentAnswers.write(id, { intent, phase: 'sending' });
  let refusals = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      if (!isSignedIn()) throw signedOut();
      // Another tab may have signed in another person: the cookie is of the whole browser.
      if (tries > 0) await requireActor(actor);
      return await send(answer);
    } catch (error) {
      // Authenticating again changes the cookie while a call is on its way, so one 401 means nothing.
      if (isSignedOut(error)) refusals += 1;
      else if (!isUnanswered(error)) throw error;
      else sentAnswers.write(id, { intent, phase: 'unconfirmed' });
      if (refusals > 1) throw error;
      onRetry?.();
      await pause(delayOf(tries, error), signal);
      if (signal?.aborted) throw error;
    }
  }
}

async function send({ id, intent, note, digest, key }: Answer) {
  return await call('post', '/api/v1/requests/{id}/decision', {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    params: { path: { id }, header: { 'Idempotency-Key': key } },
    body: {
      status: intent,
      ...(note !== '' && { note }),
      ...(digest !== undefined && { seen: { arguments_digest: digest } }),
    },
  });
}

async function requireActor(actor: string): Promise<void> {
  const { body } = await call('get', '/api/v1/me');
  if (body.principal.actor_id !== actor) throw signedOut();
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
