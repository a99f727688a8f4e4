/** Which messages are shown. All of it is in the address. */
import { useQuery } from '@tanstack/react-query';
import { shownLine } from '../../../../../src/domain/shown-text.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { Chip } from '../../../shared/design/marks/badge.tsx';
import { firstChannelsQuery } from '../channels-data.ts';
import { SPANS, STATUSES, type DeliveriesSearch } from './shown.ts';
import { deliveries as text } from './text.ts';
import classes from './deliveries.module.css';

interface FiltersProps {
  readonly search: DeliveriesSearch;
  readonly change: (search: DeliveriesSearch) => void;
}

const STATUS_OPTIONS = (['all', ...STATUSES] as const).map((value) => ({
  value,
  label: text.statuses[value],
}));
const SPAN_OPTIONS = (['all', ...SPANS] as const).map((value) => ({
  value,
  label: text.spans[value],
}));

const without = (search: DeliveriesSearch, name: keyof DeliveriesSearch): DeliveriesSearch =>
  Object.fromEntries(Object.entries(search).filter(([each]) => each !== name));

export function Filters({ search, change }: FiltersProps) {
  const channels = useQuery(firstChannelsQuery).data ?? [];
  const { channel = 'all' } = search;
  const isKnown = channel === 'all' || channels.some(({ id }) => id === channel);
  const choose =
    (name: 'delivery' | 'since' | 'channel') =>
    (value: string): void => {
      change(value === 'all' ? without(search, name) : { ...search, [name]: value });
    };
  return (
    <div role="group" aria-label={text.filters} className={classes['filters']}>
      <InlineSelect
        label={text.status}
        isLabelShown
        options={STATUS_OPTIONS}
        value={search.delivery ?? 'all'}
        onChange={choose('delivery')}
      />
      <InlineSelect
        label={text.channel}
        isLabelShown
        options={[
          { value: 'all', label: text.anyChannel },
          ...channels.map(({ id, name }) => ({ value: id, label: shownLine(name, 60) })),
          ...(isKnown ? [] : [{ value: channel, label: text.deletedChannel }]),
        ]}
        value={channel}
        onChange={choose('channel')}
      />
      <InlineSelect
        label={text.since}
        isLabelShown
        options={SPAN_OPTIONS}
        value={search.since ?? 'all'}
        onChange={choose('since')}
      />
      {search.member !== undefined && (
        <Chip
          removeLabel={text.removeFilter(text.onePerson)}
          onRemove={() => {
            change(without(search, 'member'));
          }}
        >
          {text.onePerson}
        </Chip>
      )}
      {search.request !== undefined && (
        <Chip
          removeLabel={text.removeFilter(text.oneRequest)}
          onRemove={() => {
            change(without(search, 'request'));
          }}
        >
          {text.oneRequest}
        </Chip>
      )}
    </div>
  );
}
