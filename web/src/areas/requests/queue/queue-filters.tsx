/** Filters and order of the queue. */
import { requests as text } from '../../../shared/text/requests.ts';
import { DECIDED, type QueueSearch } from './queue-search.ts';
import classes from './queue.module.css';

interface QueueFiltersProps {
  readonly search: QueueSearch;
  readonly change: (search: QueueSearch) => void;
}

export function QueueFilters({ search, change }: QueueFiltersProps) {
  const set = (name: keyof QueueSearch) => (value: string) => {
    change({ ...search, [name]: value === '' ? undefined : value });
  };
  if (search.tab === 'decided')
    return (
      <div className={classes['filters']}>
        <Choice
          label={text.filters.status.label}
          value={search.status ?? ''}
          choose={set('status')}
          options={[
            ['', text.filters.status.any],
            ...DECIDED.map((status) => [status, text.status[status]] as const),
          ]}
        />
      </div>
    );
  const { sort, urgency, claimed } = text.filters;
  return (
    <div className={classes['filters']}>
      <Choice
        label={sort.label}
        value={search.sort ?? ''}
        choose={set('sort')}
        options={[
          ['', sort.created],
          ['deadline', sort.deadline],
        ]}
      />
      <Choice
        label={urgency.label}
        value={search.urgency ?? ''}
        choose={set('urgency')}
        options={[
          ['', urgency.any],
          ['interrupt', urgency.interrupt],
          ['standard', urgency.standard],
        ]}
      />
      <Choice
        label={claimed.label}
        value={search.claimed ?? ''}
        choose={set('claimed')}
        options={[
          ['', claimed.any],
          ['me', claimed.me],
          ['others', claimed.others],
          ['nobody', claimed.free],
        ]}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <select
      className={classes['choice']}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => {
        choose(currentTarget.value);
      }}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}
