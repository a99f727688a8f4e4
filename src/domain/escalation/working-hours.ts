/**
 * When working hours are active. Local times follow luxon: one that a clock change skips is moved behind the gap by as
 * much. One that occurs twice is the first, always: luxon itself would go by the season in which it is asked. A day that
 * a zone skips as a whole has no hours.
 */
import { IANAZone } from 'luxon';
import { WEEKDAYS, type WorkingHoursSet, type WorkingInterval } from './types.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** What an opening that is active now, wherever in the world, can have started before in days of UTC. */
const DAYS_BACK = 2;
/** No weekly opening is further away than this, whatever a clock change moves. */
const DAYS_AHEAD = 16;
/** Days remembered for each set: a walk asks again and again for the same few. */
const REMEMBERED_DAYS = 64;

/** True from the start of an interval up to, and without, its end. */
export function isActive(set: WorkingHoursSet, now: Date): boolean {
  return isOpen(set, now.getTime());
}

/** `now` while the hours are active, else the next instant they become so; undefined if that never happens. */
export function nextOpening(set: WorkingHoursSet, now: Date): Date | undefined {
  const instant = now.getTime();
  if (isOpen(set, instant)) return now;
  const today = Math.floor(instant / DAY_MS);
  let next = Infinity;
  // One day further than the first that has an opening: a zone far east can open the day behind it earlier.
  for (let day = today - DAYS_BACK, last = today + DAYS_AHEAD; day <= last; day += 1) {
    for (const { start } of openings(set, day)) {
      if (start <= instant || start >= next) continue;
      next = start;
      last = Math.min(last, day + 1);
    }
  }
  return next === Infinity ? undefined : new Date(next);
}

function isOpen(set: WorkingHoursSet, instant: number): boolean {
  const today = Math.floor(instant / DAY_MS);
  for (let day = today - DAYS_BACK; day <= today + 1; day += 1) {
    if (openings(set, day).some(({ start, end }) => start <= instant && instant < end)) return true;
  }
  return false;
}

/** Instants, in milliseconds. */
interface Opening {
  readonly start: number;
  readonly end: number;
}

const remembered = new WeakMap<WorkingHoursSet, Map<number, readonly Opening[]>>();

/** The intervals that start on a local day, counted from 1970-01-01. Time-zone data is fixed for the life of a process. */
function openings(set: WorkingHoursSet, day: number): readonly Opening[] {
  const days = remembered.get(set) ?? new Map<number, readonly Opening[]>();
  const known = days.get(day);
  if (known) return known;
  if (days.size >= REMEMBERED_DAYS) days.clear();
  const found = openingsOf(set, day);
  remembered.set(set, days.set(day, found));
  return found;
}

function openingsOf({ timezone, intervals }: WorkingHoursSet, day: number): readonly Opening[] {
  const zone = IANAZone.create(timezone);
  if (instantOf(zone, day * DAY_MS) === instantOf(zone, (day + 1) * DAY_MS)) return [];
  // 1970-01-01 was a Thursday.
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7];
  return intervals
    .filter((interval) => interval.weekdays.some((each) => each === weekday))
    .map((interval) => ({
      start: instantOf(zone, day * DAY_MS + minutes(interval.start)),
      end: endOf(zone, interval, day),
    }))
    .filter(({ start, end }) => start < end);
}

function endOf(zone: IANAZone, { start, end }: WorkingInterval, day: number): number {
  return instantOf(zone, (end > start ? day : day + 1) * DAY_MS + minutes(end));
}

/** Of `HH:MM`, in milliseconds; `24:00` is the next midnight. */
function minutes(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS;
}

/** The instant at which clocks in the zone show `local`, which is written as the same time of UTC. */
function instantOf(zone: IANAZone, local: number): number {
  const offset = (instant: number): number => zone.offset(instant) * MINUTE_MS;
  const before = offset(local - DAY_MS);
  const after = offset(local + DAY_MS);
  const shown = [local - before, local - after].filter(
    (instant) => instant + offset(instant) === local,
  );
  return shown.length === 0 ? local - before : Math.min(...shown);
}
