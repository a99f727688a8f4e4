/** English texts of the requests that are like the open one. */
export const earlier = {
  title: 'Earlier like this',
  identical: 'The same call also waits',
  /** Begin a sentence that a value of the arguments and a period can follow. */
  same: 'Same agent and tool',
  none: 'Nothing was decided yet with the same agent and tool',
  with: ', with',
  inArguments: 'in the arguments',
  all: 'Show all',
} as const;
