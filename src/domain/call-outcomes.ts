/** What an adapter can report of the call that it started. */
export const CALL_OUTCOMES = [
  'succeeded',
  'failed',
  'not_run',
  'refused_by_runtime',
  'ran_differently',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];
