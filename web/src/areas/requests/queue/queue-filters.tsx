/** Filters and order of the queue. */
import { useState } from 'react';
import { shownLine } from '../../../../../src/domain/shown-text.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import type { Summary } from './change-log.ts';
import { DECIDED, type QueueSearch } from './queue-search.ts';
import classes from './queue.module.css';

interface QueueFiltersProps {
  readonly search: QueueSearch;
  readonly rows: readonly Summary[] | undefined;
  readonly change: (search: QueueSearch) => void;
}

type Option = readonly [value: string, text: string];

export function QueueFilters({ search, rows = [], change }: QueueFiltersProps) {
  const agents = useSeen(rows.map(({ agent_slug: slug, agent_name: name }) => [slug, name]));
  const tools = useSeen(rows.map(({ tool }) => [tool, tool]));
  const choice = (
    name: keyof QueueSearch & keyof typeof text.filters,
    options: readonly Option[],
  ) => (
    <Choice
      label={text.filters[name].label}
      value={search[name] ?? ''}
      options={options}
      choose={(value) => {
        change({ ...search, [name]: value === '' ? undefined : value });
      }}
    />
  );
  const { sort, urgency, claimed, agent, tool, status } = text.filters;
  const named = (
    <>
      {choice('agent', [['', agent.any], ...withChosen(agents, search.agent)])}
      {choice('tool', [['', tool.any], ...withChosen(tools, search.tool)])}
    </>
  );
  if (search.tab === 'decided')
    return (
      <div className={classes['filters']}>
        {choice('status', [
          ['', status.any],
          ...DECIDED.map((each): Option => [each, text.status[each]]),
        ])}
        {named}
      </div>
    );
  return (
    <div className={classes['filters']}>
      {choice('sort', [
        ['', sort.urgency],
        ['created', sort.created],
      ])}
      {choice('urgency', [
        ['', urgency.any],
        ['interrupt', urgency.interrupt],
        ['standard', urgency.standard],
      ])}
      {choice('claimed', [
        ['', claimed.any],
        ['me', claimed.me],
        ['others', claimed.others],
        ['nobody', claimed.free],
      ])}
      {named}
    </div>
  );
}

/** What rows of this list had, also rows that a filter hides now. */
function useSeen(values: readonly Option[]): readonly Option[] {
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const fresh = values.filter(([value]) => !seen.has(value));
  if (fresh.length > 0) setSeen(new Map([...seen, ...fresh]));
  return [...seen].toSorted(([, one], [, other]) => one.localeCompare(other));
}

/** One that the address names may be of no row. */
const withChosen = (options: readonly Option[], chosen: string | undefined): readonly Option[] =>
  chosen === undefined || options.some(([value]) => value === chosen)
    ? options
    : [[chosen, chosen], ...options];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <div className={classes['choice']}>
      <span aria-hidden="true">{label}</span>
      <InlineSelect
        label={label}
        value={value}
        options={options.map(([option, name]) => ({ value: option, label: shownLine(name, 80) }))}
        onChange={choose}
      />
    </div>
  );
}
