/** What a model hears of a call that did not run. Frameworks show it the message of an error. */
import { NotApproved, Unavailable } from '../errors.ts';

/** The text for the model, whatever went wrong. */
export function toModel(error: unknown): string {
  return error instanceof NotApproved || error instanceof Unavailable
    ? error.toModel
    : 'No one could be asked about this call, so it did not run.';
}

/** An error whose message is for the model. Its `cause` says what the operator must know, such as the address. */
export function refused(error: unknown): unknown {
  return error instanceof Unavailable ? new Error(error.toModel, { cause: error }) : error;
}
