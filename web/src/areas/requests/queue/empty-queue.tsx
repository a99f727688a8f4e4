/** Why the list is empty, and what the reader can do about it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../../shared/design/button.tsx';
import { accountQuery, mayRunDemo } from '../../../shared/session/session.ts';
import { queue as queueText } from '../../../shared/text/queue.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { useCounts } from './queue-data.ts';
import { isFiltered, withoutFilters, type QueueSearch } from './queue-search.ts';
import classes from './queue.module.css';

interface EmptyQueueProps {
  readonly search: QueueSearch;
  readonly change: (search: QueueSearch) => void;
}

export function EmptyQueue({ search, change }: EmptyQueueProps) {
  const { tab = 'asked' } = search;
  const { data: account } = useSuspenseQuery(accountQuery);
  const decidable = useCounts()?.decidable ?? 0;
  if (isFiltered(search))
    return (
      <div className={classes['empty']}>
        <h2>{text.noMatch}</h2>
        <p>{text.noMatchHint}</p>
        <Button
          isSecondary
          onClick={() => {
            change(withoutFilters(search));
          }}
        >
          {queueText.clearFilters}
        </Button>
      </div>
    );
  return (
    <div className={classes['empty']}>
      <h2>{text.emptyTabs[tab].title}</h2>
      <p>{text.emptyTabs[tab].hint}</p>
      {account.onboarding.required && mayRunDemo(account) && <Link to="/demo">{text.tryDemo}</Link>}
      {tab === 'asked' && decidable > 0 && (
        <Button
          isSecondary
          onClick={() => {
            change({ ...search, tab: 'mine' });
          }}
        >
          {queueText.showDecidable(decidable)}
        </Button>
      )}
    </div>
  );
}
