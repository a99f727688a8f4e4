/** Denies requests one after another, each by a decision of its own. Without the browser around it. */
import { ApiError } from '../../../../shell/api.ts';
import type { Summary } from '../change-log.ts';

export type Outcome =
  | { readonly kind: 'waiting' }
  /** `tries`: how often it was sent without an answer. */
  | { readonly kind: 'sending'; readonly tries: number }
  | { readonly kind: 'denied' }
  /** It had its final answer. `by`: who gave it, where a person did. */
  | { readonly kind: 'answered'; readonly status: Answer['status']; readonly by?: string }
  | { readonly kind: 'forbidden' }
  /** Stopped before an answer came. The service may have denied it. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'failed'; readonly message: string };

export interface Answer {
  readonly status: Summary['status'];
  readonly by?: string;
}

export interface Denials {
  readonly ids: readonly string[];
  /** The same id again is the same decision. */
  readonly send: (id: string) => Promise<void>;
  /** The final answer that the request has, if it has one. */
  readonly findAnswer: (id: string) => Promise<Answer | undefined>;
  readonly report: (id: string, outcome: Outcome) => void;
  /** Ends early with the signal. */
  readonly pause: (ms: number) => Promise<void>;
  /** Stops after the decision that is under way. */
  readonly signal: AbortSignal;
}

const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** What refuses one request, and says nothing about the others. */
const REFUSALS = new Set(['permission_denied', 'request_not_routed']);

/** Throws what stops all of them: the person is signed out, or did not authenticate again. */
export async function denyEach(denials: Denials): Promise<void> {
  for (const id of denials.ids) {
    if (denials.signal.aborted) return;
    denials.report(id, await denyOne(id, denials));
  }
}

async function denyOne(id: string, denials: Denials): Promise<Outcome> {
  const { send, report, pause, signal } = denials;
  let refusals = 0;
  for (let tries = 0; ; tries += 1) {
    report(id, { kind: 'sending', tries });
    try {
      await send(id);
      return { kind: 'denied' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Authenticating again changes the cookie while a call is on its way, so one 401 means nothing.
      if (error.status === 401) refusals += 1;
      const isAgain = isUnconfirmed(error) || (error.status === 401 && refusals === 1);
      if (!isAgain) return await refusalOf(id, error, denials);
      await pause((error.retryAfterSeconds ?? 0) * 1_000 || (PAUSES_MS[Math.min(tries, 4)] ?? 0));
      if (signal.aborted) return { kind: 'unconfirmed' };
    }
  }
}

/** The service may have decided already: the same key makes every further try the same decision. */
const isUnconfirmed = ({ status }: ApiError): boolean =>
  status === 0 || status === 429 || status >= 500;

async function refusalOf(
  id: string,
  error: ApiError,
  { report, findAnswer }: Denials,
): Promise<Outcome> {
  if (error.status === 409 || error.status === 404) {
    const answer = await findAnswer(id).catch(() => undefined);
    if (answer) return { kind: 'answered', ...answer };
  } else if (REFUSALS.has(error.code)) return { kind: 'forbidden' };
  else if (error.status === 401 || error.status === 403) {
    report(id, { kind: 'failed', message: error.message });
    throw error;
  }
  return { kind: 'failed', message: error.message };
}
