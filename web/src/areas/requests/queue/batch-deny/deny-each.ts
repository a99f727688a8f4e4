/** Denies requests one after another, each by a separate decision. Without the browser around it. */
import { ApiError, isOtherPerson, isUnconfirmed } from '../../../../shared/api/api.ts';
import type { Summary } from '../change-log.ts';

export type Outcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sending'; readonly isRetry: boolean }
  | { readonly kind: 'denied' }
  /** It was already decided. `by`: who decided, where a person did. */
  | { readonly kind: 'decided'; readonly status: FinalDecision['status']; readonly by?: string }
  | { readonly kind: 'forbidden' }
  /** Stopped before a response came. The service may have denied it. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'failed'; readonly message: string };

export interface FinalDecision {
  readonly status: Summary['status'];
  readonly by?: string;
}

export interface Denials {
  readonly ids: readonly string[];
  /** Tries until the service responds, or the person stops. */
  readonly send: (id: string, onRetry: () => void) => Promise<void>;
  /** The final decision on the request, if there is one. */
  readonly findDecision: (id: string) => Promise<FinalDecision | undefined>;
  readonly report: (id: string, outcome: Outcome) => void;
  /** Stops after the decision that is under way. */
  readonly signal: AbortSignal;
}

/** What refuses one request, and says nothing about the others. */
const REFUSALS = new Set(['permission_denied', 'request_not_routed']);

/** Throws what stops all of them: the person is signed out, is another one, or did not authenticate again. */
export async function denyEach(denials: Denials): Promise<void> {
  const { ids, report, signal } = denials;
  for (const id of ids) {
    if (signal.aborted) return;
    report(id, { kind: 'sending', isRetry: false });
    report(id, await denyOne(id, denials));
  }
}

async function denyOne(id: string, { send, findDecision, report }: Denials): Promise<Outcome> {
  try {
    await send(id, () => {
      report(id, { kind: 'sending', isRetry: true });
    });
    return { kind: 'denied' };
  } catch (error) {
    if (isUnconfirmed(error)) return { kind: 'unconfirmed' };
    if (!(error instanceof ApiError)) throw error;
    if (isOtherPerson(error)) throw error;
    const { status, code, message } = error;
    if (REFUSALS.has(code)) return { kind: 'forbidden' };
    const decision = status === 409 || status === 404 ? await findDecision(id) : undefined;
    if (decision) return { kind: 'decided', ...decision };
    if (status !== 401 && status !== 403) return { kind: 'failed', message };
    report(id, { kind: 'failed', message });
    throw error;
  }
}
