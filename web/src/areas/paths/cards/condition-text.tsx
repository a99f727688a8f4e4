/** A condition of a split, in words. */
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { ConditionView } from '../document/read-path.ts';
import { paths as text } from '../text.ts';
import { useCards } from './cards-context.ts';
import classes from './cards.module.css';
import { HoursName } from './hours-state.tsx';

export function ConditionText({ condition }: { readonly condition: ConditionView }) {
  const { hours } = useCards();
  switch (condition.type) {
    case 'working_hours': {
      const set = hours.find(({ id }) => id === condition.hoursId);
      return (
        <>
          {condition.isOpen ? text.inside : text.outside}{' '}
          <HoursName hours={set} id={condition.hoursId} />
        </>
      );
    }
    case 'urgency':
      return condition.isUrgent ? text.isUrgent : text.isNotUrgent;
    case 'request':
      return <ForeignText text={condition.text} />;
    case 'locked':
      return <code className={classes['source']}>{condition.source}</code>;
  }
}
