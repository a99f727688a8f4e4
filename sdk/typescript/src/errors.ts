/** What `run`, `ask` and `settle` throw. Whatever they throw, the call did not run. */

/**
 * - `denied`, `expired`, `cancelled`: the outcome of the request.
 * - `stale`: it was approved, but not started before the approval ended.
 * - `used`: the approval was started before, maybe by a run that crashed. The call may have run.
 * - `changed`: the arguments are not those that were approved.
 */
export type NotApprovedStatus = 'denied' | 'expired' | 'cancelled' | 'stale' | 'used' | 'changed';

const FOR_MODEL: Readonly<Record<NotApprovedStatus, string>> = {
  denied:
    'A reviewer or a rule denied this call. It did not run. Do not try it again in another form.',
  expired: 'No one approved this call in time. It did not run.',
  cancelled: 'The request for this call was withdrawn. It did not run.',
  stale:
    'This call was approved, but too late to run it. It did not run. It can be asked for again.',
  used: 'This call was started before and may have run. It did not run again. Check its effects before you ask again.',
  changed: 'The arguments changed after the call was approved. It did not run.',
};

/** There is a decision, and no approval that can be used now. */
export class NotApproved extends Error {
  override readonly name = 'NotApproved';

  constructor(
    readonly status: NotApprovedStatus,
    /** The note of the reviewer, or the reason of the rule. */
    readonly note?: string,
    readonly requestId?: string,
  ) {
    super(note === undefined ? FOR_MODEL[status] : `${FOR_MODEL[status]} Note: ${note}`);
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
    return 'The approval service did not respond, so this call did not run. Tell the user, and do not try another way.';
  }
}
