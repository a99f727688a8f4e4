/** Failures that the operator can fix. */

/** The message is printed unchanged, without a stack. */
export class OperatorError extends Error {
  readonly exitCode: number = 1;
}
