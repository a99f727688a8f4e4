/** Sends invitations one after another. One that fails does not keep the others. Without the browser around it. */
import { ApiError } from '../../../shared/api/api.ts';

export type Outcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sending' }
  /** The service takes no more calls for some seconds. */
  | { readonly kind: 'pausing'; readonly seconds: number }
  | { readonly kind: 'sent' }
  /** Nothing is left to do: someone else invited them, or they joined. */
  | { readonly kind: 'known'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface Sending {
  readonly emails: readonly string[];
  readonly send: (email: string) => Promise<void>;
  readonly report: (email: string, outcome: Outcome) => void;
  readonly pause: (seconds: number) => Promise<void>;
  /** Stops after the invitation that is under way. */
  readonly signal: AbortSignal;
}

const KNOWN = new Set(['member_exists', 'invitation_pending']);

/** What would refuse every further one: no right, no session, no seat. */
const refusesAll = ({ status, code }: ApiError): boolean =>
  status === 401 || status === 403 || code === 'seat_limit_reached';

/** Throws what stops all of them. Those that were not sent keep waiting. */
export async function sendEach(sending: Sending): Promise<void> {
  const { emails, report, signal } = sending;
  for (const email of emails) {
    if (signal.aborted) return;
    const outcome = await sendOne(email, sending);
    report(email, outcome);
  }
}

/** Waits as long as the service says, and tries again. */
async function sendOne(email: string, sending: Sending): Promise<Outcome> {
  const { send, report, pause, signal } = sending;
  for (;;) {
    report(email, { kind: 'sending' });
    try {
      await send(email);
      return { kind: 'sent' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message, code, status, retryAfterSeconds: seconds = 1 } = error;
      if (status !== 429) {
        if (KNOWN.has(code)) return { kind: 'known', message };
        if (!refusesAll(error)) return { kind: 'failed', message };
        report(email, { kind: 'waiting' });
        throw error;
      }
      report(email, { kind: 'pausing', seconds });
      await pause(seconds);
      if (signal.aborted) return { kind: 'waiting' };
    }
  }
}
