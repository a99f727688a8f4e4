/** English texts of the picture that shows who is asked when. */
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const CHANNELS: Readonly<Record<string, string>> = {
  ...{ email: 'email', slack: 'Slack', push: 'push message' },
};

export const schedule = {
  atOnce: 'asked at once',
  atOnceUrgent: 'asked at once, urgent',
  noOne: 'no one is asked',
  firstAsked: (when: string, after: string) => `first asked ${when} (${after})`,
  tooLate: 'after the deadline',
  /** Of milliseconds: `45 h`, `1 h 30 min`, `12 min`. */
  hours: (ms: number) => {
    const minutes = Math.round(ms / MINUTE_MS);
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    if (hours === 0) return `${minutes} min`;
    return rest === 0 || hours >= 10 ? `${Math.round(ms / HOUR_MS)} h` : `${hours} h ${rest} min`;
  },
  picture: 'Schedule',
  order: 'In order',
  everyone: 'Everyone who may decide',
  people: (count: number) => (count === 1 ? '1 person' : `${count} people`),
  /** After the names of some. */
  andMore: (count: number) => `and ${count} more`,
  hidden: (count: number) => `${schedule.people(count)} more, asked at other times`,
  noPerson: 'No one',
  deadline: 'Expires',
  afterStart: (duration: string) => `${duration} after the start`,
  now: 'Now',
  decided: 'Decided',
  legend: {
    asked: 'Asked',
    planned: 'Still to be asked',
    waits: 'Waits for working hours',
    late: 'After the deadline: no one sees it',
    open: 'Working hours',
  },
  clocksChange: (zone: string) => `Clocks change in ${zone}`,
  step: {
    level_notified: 'Asked',
    level_skipped: 'Skipped: no one to ask',
    urgency_raised: 'Becomes urgent',
    deferred: 'Waits for working hours until',
    condition_failed: 'A condition could not be checked and counts as not met',
    path_repeated: 'Starts again from the top',
    path_exhausted: 'The path ends. The request stays open until it expires.',
    team_policy_repeated: 'The team’s policy starts again',
    team_policy_exhausted: 'The team’s policy ends',
    branch_taken: {
      then: 'The split’s conditions hold',
      else: 'The split’s conditions do not hold',
    },
  },
  /** `Slack at once`, `email after 5m`. */
  personalStep: ({ channel, after }: { readonly channel: string; readonly after: string }) =>
    `${CHANNELS[channel] ?? channel} ${after === '0' ? 'at once' : `after ${after}`}`,
  inTeam: 'by the policy of',
  moreSteps: (count: number) => `${count} more steps`,
  lateStep: 'after the deadline',
} as const;
