/** English texts of the personal steps. */
export const steps = {
  title: 'One channel after the other',
  hint: 'Each channel gets a message at its time, until the request is decided. While someone claims it, the steps wait.',
  urgencies: { standard: 'Standard requests', interrupt: 'Urgent requests' },
  inOrder: {
    standard: 'One after the other for standard requests',
    interrupt: 'One after the other for urgent requests',
  },
  allAtOnce: 'All your channels get a message at once.',
  oneAfterOther:
    'Where a channel does not work, the next one takes its place. Channels that are not listed get no message.',
  channels: { slack: 'Slack', email: 'Email', push: 'Push messages' },
  channelOf: (step: number) => `Channel of step ${step}`,
  afterOf: (step: number) => `Step ${step}: how long after you are asked`,
  removeOf: (step: number) => `Remove step ${step}`,
  remove: 'Remove',
  add: 'Add a step',
  save: 'Save the steps',
  saving: 'Saving …',
  discard: 'Discard',
  saved: 'The steps are saved.',
  noTime: (longest: string) => `Enter 0, or a time of at most ${longest}, such as 5m or 90s.`,
  tooEarly: 'This is earlier than the step above it.',
  repeated: 'This repeats an earlier step.',
} as const;
