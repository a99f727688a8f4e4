/** The refusals of calls that need a pending request. */
import { isTerminal, type ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { AppError } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from './announce.ts';

/** Throws `request_evaluating` and `request_not_pending`. */
export function requirePending({ state }: ApprovalRequest): void {
  if (state === 'evaluating') throw new AppError('request_evaluating');
  if (isTerminal(state)) throw notPending(state);
}

/**
 * The deadline passed before the call: announces the expiry and answers the error for the caller.
 */
export function tooLate(context: ServiceContext, expired: ApprovalRequest): AppError {
  announceDecided(context, expired, 'changed');
  return notPending(expired.state);
}

function notPending(status: string): AppError {
  return new AppError('request_not_pending', { details: { status } });
}
