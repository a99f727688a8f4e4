/**
 * When working hours are active. Local times follow luxon: one that a clock change skips is moved behind the gap, one that
 * occurs twice is the first. Nothing is cached across calls, so that a new time-zone database counts at once.
 */
import { DateTime, IANAZone } from 'luxon';
import { WEEKDAYS, type WorkingHoursSet, type WorkingInterval } from './types.ts';

/** No weekly opening is further away than this, whatever a clock change moves. */
const HORIZON_DAYS = 15;

export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

/** True from the start of an interval up to, and without, its end. */
export function isActive(set: WorkingHoursSet, now: Date): boolean {
  const day = localDay(set, now);
  return [-1, 0].some((days) => openings(set, day.plus({ days })).some(({ start, end }) => start <= now && now < end));
}

/** `now` while the hours are active, else the next instant they become so; undefined if that never happens. */
export function nextOpening(set: WorkingHoursSet, now: Date): Date | undefined {
  if (isActive(set, now)) return now;
  const day = localDay(set, now);
  for (let days = 0; days <= HORIZON_DAYS; days += 1) {
    const ahead = openings(set, day.plus({ days })).filter(({ start, end }) => start > now && end > start);
    if (ahead.length > 0) return new Date(Math.min(...ahead.map(({ start }) => start.getTime())));
  }
  return undefined;
}

function localDay({ timezone }: WorkingHoursSet, now: Date): DateTime {
  return DateTime.fromJSDate(now, { zone: timezone }).startOf('day');
}

interface Opening {
  readonly start: Date;
  readonly end: Date;
}

/** The intervals that start on the local day. */
function openings({ intervals }: WorkingHoursSet, day: DateTime): readonly Opening[] {
  const weekday = WEEKDAYS[day.weekday - 1];
  return intervals
    .filter((interval) => interval.weekdays.some((each) => each === weekday))
    .map((interval) => ({ start: at(day, interval.start), end: endOf(interval, day) }));
}

function endOf({ start, end }: WorkingInterval, day: DateTime): Date {
  return end > start && end !== '24:00' ? at(day, end) : at(day.plus({ days: 1 }), end === '24:00' ? '00:00' : end);
}

function at(day: DateTime, time: string): Date {
  const { year, month, day: date } = day;
  const [hour, minute] = [Number(time.slice(0, 2)), Number(time.slice(3))];
  return DateTime.fromObject({ year, month, day: date, hour, minute }, { zone: day.zone }).toJSDate();
}
