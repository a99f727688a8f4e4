/** Below working hours: whether they are open, with which others they overlap, and when clocks change. */
import { useMemo } from 'react';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { dateTime } from '../../../shared/schedule/zone-times.ts';
import { schedule } from '../../../shared/text/schedule.ts';
import { durationText } from '../../../shared/text/times.ts';
import { useCards } from '../cards/cards-context.ts';
import { OpenNow } from '../cards/hours-state.tsx';
import { nextClockChange, overlapMs } from '../document/hours-facts.ts';
import type { HoursView } from '../document/read-path.ts';
import { editing as text } from './text.ts';
import cards from '../cards/cards.module.css';

const HOUR = 3_600;

export function HoursFacts({ hours }: { readonly hours: HoursView }) {
  const all = useCards().hours;
  const now = Math.floor(useNowSeconds() / HOUR) * HOUR * 1_000;
  const { timezone } = hours;
  const change = useMemo(() => nextClockChange(timezone, now), [timezone, now]);
  const overlaps = useMemo(
    () =>
      all
        .filter(({ id }) => id !== hours.id)
        .map((other) => ({ other, ms: overlapMs(hours, other, now) })),
    [all, hours, now],
  );
  return (
    <>
      <OpenNow hours={hours} />
      {overlaps.map(({ other, ms }) => (
        <p key={other.id} className={cards['hint']}>
          {ms > 0 ? text.overlap(schedule.hours(ms)) : text.noOverlap}{' '}
          <ForeignText text={other.name} isName />
        </p>
      ))}
      {change && (
        <p className={cards['hint']}>
          {text.clocks(
            dateTime(timezone, change.at),
            durationText(Math.abs(change.byMs) / 1_000),
            change.byMs > 0,
          )}
        </p>
      )}
    </>
  );
}
