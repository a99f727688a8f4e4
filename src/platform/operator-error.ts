/** Failures a person can mend. */

/** Its message is printed as it is, without a stack. */
export class OperatorError extends Error {}
