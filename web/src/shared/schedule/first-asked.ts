/** When a path asks someone for the first time. Pure. */
import { schedule as text } from '../text/schedule.ts';
import type { PathPreview } from './schedule.ts';
import { weekdayTime, type WeekMoment, type Zone } from './zone-times.ts';

/** What everyone who writes a path should look at. */
export const PRESETS: readonly WeekMoment[] = [
  { weekday: 1, hour: 10 },
  { weekday: 1, hour: 2 },
  { weekday: 5, hour: 12 },
];

interface FirstAsked {
  /** Absent if no one is ever asked. */
  readonly at?: number;
  readonly afterMs: number;
  /** The only member or team; absent for several and for everyone. */
  readonly name?: string;
  readonly isUrgent: boolean;
  /** The request expires before. */
  readonly isTooLate: boolean;
}

export function firstAsked({
  starts_at: start,
  expires_at: expires,
  steps,
}: PathPreview): FirstAsked {
  const index = steps.findIndex(({ kind }) => kind === 'level_notified');
  const step = steps[index];
  if (!step) return { afterMs: 0, isUrgent: false, isTooLate: false };
  const at = Date.parse(step.at);
  const [target, ...others] = step.targets;
  return {
    at,
    afterMs: at - Date.parse(start),
    ...(others.length === 0 && target?.name !== undefined && { name: target.name }),
    isUrgent: steps.slice(0, index).some(({ kind }) => kind === 'urgency_raised'),
    isTooLate: expires !== undefined && at >= Date.parse(expires),
  };
}

const AT_ONCE_MS = 60_000;

/** What follows the time of the start: `first asked Mon 09:00 (45 h)`. The name is not in it. */
export function firstAskedText(first: FirstAsked, zone: Zone): string {
  if (first.at === undefined) return text.noOne;
  if (first.afterMs < AT_ONCE_MS) return first.isUrgent ? text.atOnceUrgent : text.atOnce;
  const when = text.firstAsked(weekdayTime(zone, first.at), text.hours(first.afterMs));
  return first.isTooLate ? `${when}, ${text.tooLate}` : when;
}
