/** Personal steps: in which order, and when, a person's channels get the messages about one request. */
import { parseDuration } from '../durations.ts';
import type { MemberChannelKind } from '../channels.ts';

export const STEP_URGENCIES = ['standard', 'interrupt'] as const;
export type StepUrgency = (typeof STEP_URGENCIES)[number];

/** Most steps of one urgency. */
export const MOST_STEPS = 6;
export const LONGEST_AFTER = '60m';

/** Zero, or a duration: `0`, `90s`, `5m`. */
export const AFTER_PATTERN = '^(0[sm]?|[1-9][0-9]*(s|m|h))$';

export interface PersonalStep {
  readonly channel: MemberChannelKind;
  /** After the person is asked, such as `5m`. */
  readonly after: string;
}

/** For an urgency without steps, all channels get the message at once. */
export type PersonalSteps = Readonly<
  Partial<Record<StepUrgency, readonly PersonalStep[] | undefined>>
>;

/** Seconds after the person is asked. Undefined if `after` is not a duration or is too long. */
export function secondsAfter(after: string): number | undefined {
  if (/^0[sm]?$/.test(after)) return 0;
  const ms = parseDuration(after);
  return ms === undefined || ms > (parseDuration(LONGEST_AFTER) ?? 0) ? undefined : ms / 1_000;
}

/** The index of the first step that is the same as an earlier one. */
export function firstRepeated(steps: readonly PersonalStep[]): number | undefined {
  const named = steps.map(({ channel, after }) => `${channel} ${secondsAfter(after) ?? after}`);
  const index = named.findIndex((each, place) => named.indexOf(each) < place);
  return index === -1 ? undefined : index;
}

/** The index of the first step that would come before the one above it. */
export function firstOutOfOrder(steps: readonly Pick<PersonalStep, 'after'>[]): number | undefined {
  const seconds = steps.map(({ after }) => secondsAfter(after) ?? 0);
  const index = seconds.findIndex((each, place) => each < (seconds[place - 1] ?? 0));
  return index === -1 ? undefined : index;
}
