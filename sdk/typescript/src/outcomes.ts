/** What callers see of a refusal of the service. */
import { NotApproved, Unavailable } from './errors.ts';
import { Refusal } from './http.ts';

/** The service refuses a start that comes too late or again. */
export function startRefused(error: unknown, id: string): NotApproved | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === 'already_started') return new NotApproved('used', undefined, id);
  if (error.code === 'approval_expired') return new NotApproved('stale', undefined, id);
  return undefined;
}

/** There was no response to a start, so no one knows whether it is on record. */
export function startUnknown(error: unknown): unknown {
  return error instanceof Unavailable && error.reason === 'unreachable'
    ? new Unavailable(
        'unreachable',
        'The service did not confirm that it started the approval. The call did not run. If the approval was started, it is used up: then ask for the call again, with a new id.',
      )
    : error;
}

/** A key that was used for other arguments means that the call is another one. */
export function understandable(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  if (error.code === 'idempotency_conflict') return new NotApproved('changed');
  if (error.code === 'request_withdrawn') return new NotApproved('cancelled');
  const { status, code, message } = error;
  return new Unavailable('refused', `Countersign refused (${String(status)} ${code}): ${message}`, {
    status,
    code,
  });
}
