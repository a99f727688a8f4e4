/** A wait for working hours. */
import type { ReactNode } from 'react';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { setValue } from '../document/path-edits.ts';
import type { DeferView } from '../document/read-path.ts';
import { useMayEdit } from '../editing/path-editing.ts';
import { HoursSelect } from '../editing/hours-select.tsx';
import { paths as text } from '../text.ts';
import { useCards } from './cards-context.ts';
import classes from './cards.module.css';
import { HoursName, OpenNow } from './hours-state.tsx';

interface DeferCardProps {
  readonly defer: DeferView;
  /** What can be done with it. */
  readonly children?: ReactNode;
}

export function DeferCard({ defer, children }: DeferCardProps) {
  const editing = useMayEdit();
  const { hours } = useCards();
  const set = hours.find(({ id }) => id === defer.hoursId);
  return (
    <section className={classes['card']} data-kind="defer">
      <p className={classes['title']}>
        {text.waitFor}{' '}
        {editing ? (
          <HoursSelect pointer={`${defer.pointer}/working_hours_id`} value={defer.hoursId} />
        ) : (
          <HoursName hours={set} id={defer.hoursId} />
        )}
        {children}
      </p>
      {set && <OpenNow hours={set} />}
      {editing ? (
        <Checkbox
          label={text.urgentPass}
          isChecked={defer.isStandardOnly}
          onChange={(is) => {
            editing.edit(setValue(`${defer.pointer}/standard_only`, is));
          }}
        />
      ) : (
        defer.isStandardOnly && <p className={classes['hint']}>{text.urgentPass}</p>
      )}
    </section>
  );
}
