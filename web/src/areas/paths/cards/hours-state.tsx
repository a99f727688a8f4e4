/** The name of working hours, and whether they are open now. */
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { openState } from '../../../shared/schedule/open-hours.ts';
import { weekdayTime } from '../../../shared/schedule/zone-times.ts';
import { durationText } from '../../../shared/text/times.ts';
import type { HoursView } from '../document/read-path.ts';
import { paths as text } from '../text.ts';
import classes from './cards.module.css';

interface HoursNameProps {
  readonly hours: HoursView | undefined;
  readonly id: string;
}

export function HoursName({ hours, id }: HoursNameProps) {
  if (hours) return <ForeignText text={hours.name} isName />;
  return (
    <span className={classes['problem']}>
      {text.unknownHours} <code>{id}</code>
    </span>
  );
}

const MINUTE = 60;

/** `Now closed: opens in 11 h 12 min, Thu 09:00`. */
export function OpenNow({ hours }: { readonly hours: HoursView }) {
  const minute = Math.floor(useNowSeconds() / MINUTE) * MINUTE * 1_000;
  const { isOpen, changesAt } = openState(hours, minute);
  if (changesAt === undefined)
    return <p className={classes['hint']}>{isOpen ? text.openAlways : text.neverOpen}</p>;
  const after = durationText((changesAt - minute) / 1_000);
  const when = weekdayTime(hours.timezone, changesAt);
  return (
    <p className={classes['hint']}>
      {isOpen ? text.openNow(after, when) : text.closedNow(after, when)}
    </p>
  );
}
