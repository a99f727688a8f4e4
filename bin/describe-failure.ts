/** What went wrong in a call or with a file, for people. */

/** The message of the cause, where there is one: `fetch` itself says only that it failed. */
export function describeFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
