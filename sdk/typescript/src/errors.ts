/** What `run`, `ask` and `settle` throw. Without an approval, this attempt did not run the call. */

/**
 * - `denied`, `expired`, `cancelled`: the outcome of the request.
 * - `stale`: it was approved, but not started before the approval ended.
 * - `used`: the approval was started before, maybe by a run that crashed. The call may have run.
 * - `waiting`: the call was parked, and no one has decided yet. The same call later continues its request.
 * - `changed`: the call is not the one that was asked for, such as with other arguments or another context.
 */
export type NotApprovedStatus =
  'denied' | 'expired' | 'cancelled' | 'stale' | 'used' | 'changed' | 'waiting';

const FOR_MODEL: Readonly<Record<NotApprovedStatus, string>> = {
  denied:
    'A reviewer or a rule denied this call. It did not run. Do not try it again in another form.',
  expired: 'No one approved this call in time. It did not run.',
  cancelled: 'The request for this call was withdrawn. It did not run.',
  stale:
    'This call was approved, but too late to run it. It did not run. It can be asked for again.',
  used: 'This call was started before and may have run, so it did not run again. Check its effects. If it must run again, ask for it as a new call, with a new id.',
  waiting:
    'This call waits for approval. It did not run, and its request stays open. Make the same call again later, with the same arguments.',
  changed:
    'This is not the call that was asked for: its arguments, reasoning, context or time limit differ. It did not run. Ask for it as a new call.',
};

function textOf(status: NotApprovedStatus, note?: string, requestId?: string): string {
  const text = FOR_MODEL[status];
  if (status === 'waiting' && requestId !== undefined) return `${text} Request: ${requestId}.`;
  return note === undefined ? text : `${text} Note: ${note}`;
}

/** There is no approval that can be used now. */
export class NotApproved extends Error {
  override readonly name = 'NotApproved';

  constructor(
    readonly status: NotApprovedStatus,
    /** The note of the reviewer, or the reason of the rule. */
    readonly note?: string,
    readonly requestId?: string,
  ) {
    super(textOf(status, note, requestId));
  }

  /** A text for the model, in the place of the result of the tool. */
  get toModel(): string {
    return this.message;
  }
}

/**
 * - `configuration`: no address, no token, or one that cannot be used.
 * - `refused`: the service refused the call, such as an ended credential. `code` says why.
 * - `unreachable`: no usable response before the limit.
 * - `invalid_response`: the response is not what was asked for.
 */
export type UnavailableReason = 'configuration' | 'refused' | 'unreachable' | 'invalid_response';

/** A model may know of these refusals. Others are about the address or the token. */
const ABOUT_THE_CALL = [400, 403, 413, 429];

/** What the model can do about it. */
function adviceFor(status: number): string {
  if (status === 400 || status === 413) return 'Change the call as this says, or go on without it.';
  if (status === 429) return 'Go on without it, or try it again later.';
  return 'Tell the user, and do not try another way.';
}

/** There is no decision to go by. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  constructor(
    readonly reason: UnavailableReason,
    message: string,
    /** HTTP status and error code of a refusal. */
    readonly refusal?: { readonly status: number; readonly code: string },
  ) {
    super(message);
  }

  /** A text for the model, in the place of the result of the tool. */
  get toModel(): string {
    const { status } = this.refusal ?? {};
    if (status !== undefined && ABOUT_THE_CALL.includes(status))
      return `${this.message} This call did not run. ${adviceFor(status)}`;
    return 'The approval service did not respond, so this call did not run. Tell the user, and do not try another way.';
  }
}
