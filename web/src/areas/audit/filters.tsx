/** Which events are shown. All of it is in the address. */
import { useQuery } from '@tanstack/react-query';
import { AUDIT_ACTOR_TYPES, AUDIT_OUTCOMES } from '../../../../src/domain/audit/filters.ts';
import { Field } from '../../shared/design/fields/field.tsx';
import field from '../../shared/design/fields/field.module.css';
import { Select } from '../../shared/design/fields/select.tsx';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import { Chip } from '../../shared/design/marks/badge.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { namesQuery } from '../../shared/api/names.ts';
import { FilterBar } from '../../shared/page/filter-bar.tsx';
import { eventTypesQuery } from './audit-data.ts';
import { isFiltered, oneOf, ORDERS } from './audit-filter.ts';
import { readAuditSearch, type AuditSearch } from './audit-search.ts';
import { audit as text } from './text.ts';
import classes from './audit.module.css';

interface FiltersProps {
  readonly search: AuditSearch;
  readonly change: (search: AuditSearch) => void;
}

type Wanted = AuditSearch;

export function Filters({ search, change }: FiltersProps) {
  /** What is empty is no filter. Another list has no open event. */
  const set = (wanted: Wanted) => {
    change(readAuditSearch({ ...search, event: '', ...wanted }));
  };
  return (
    <div className={classes['filters']}>
      <FilterBar
        label={text.search}
        q={search.q ?? ''}
        onSearch={(q) => {
          set({ q });
        }}
        choices={text.by}
        choice={oneOf(AUDIT_ACTOR_TYPES, search.by) ?? 'all'}
        onChoose={(by) => {
          set({ by: by === 'all' ? '' : by });
        }}
      />
      <Choices search={search} set={set} />
      <Chosen search={search} set={set} />
    </div>
  );
}

interface PartProps {
  readonly search: AuditSearch;
  readonly set: (wanted: Wanted) => void;
}

function Choices({ search, set }: PartProps) {
  const types = useQuery(eventTypesQuery).data ?? [];
  const kinds = [...new Set(types.map((type) => type.slice(0, type.indexOf('.'))))];
  const { filters } = text;
  return (
    <div className={classes['choices']}>
      <Select
        label={filters.kind}
        value={search.kind ?? ''}
        options={withAny(filters.anyKind, kinds, search.kind)}
        onChange={(kind) => {
          set({ kind, subject: '' });
        }}
      />
      <Select
        label={filters.type}
        value={search.type ?? ''}
        options={withAny(filters.anyType, types, search.type)}
        onChange={(type) => {
          set({ type });
        }}
      />
      <Select
        label={filters.outcome}
        value={oneOf(AUDIT_OUTCOMES, search.outcome) ?? ''}
        options={[
          { value: '', label: filters.anyOutcome },
          ...AUDIT_OUTCOMES.map((value) => ({ value, label: text.outcomes[value] })),
        ]}
        onChange={(outcome) => {
          set({ outcome });
        }}
      />
      <Day
        label={filters.from}
        value={search.from}
        onChange={(from) => {
          set({ from });
        }}
      />
      <Day
        label={filters.to}
        value={search.to}
        onChange={(to) => {
          set({ to });
        }}
      />
      <Select
        label={filters.order}
        value={oneOf(ORDERS, search.order) ?? 'newest'}
        options={ORDERS.map((value) => ({ value, label: text.orders[value] }))}
        onChange={(order) => {
          set({ order: order === 'newest' ? '' : order });
        }}
      />
    </div>
  );
}

/** One that the address names may not have happened yet. */
const withAny = (any: string, values: readonly string[], chosen: string | undefined) => [
  { value: '', label: any },
  ...(chosen === undefined || values.includes(chosen) ? values : [chosen, ...values]).map(
    (value) => ({ value, label: text.words(value) }),
  ),
];

interface DayProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string) => void;
}

function Day({ label, value = '', onChange }: DayProps) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="date"
          className={field['control']}
          value={value}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

/** What links of events have chosen. */
function Chosen({ search, set }: PartProps) {
  const { actor, subject } = search;
  const ids = [actor, subject].filter((id) => id !== undefined);
  const names = useQuery({ ...namesQuery(ids), enabled: ids.length > 0 }).data;
  if (!isFiltered(search)) return null;
  const chip = (label: string, id: string, without: Wanted) => (
    <span className={classes['chosen']}>
      {label}{' '}
      <Chip
        removeLabel={text.removeFilter}
        onRemove={() => {
          set(without);
        }}
      >
        <ForeignText text={names?.get(id) ?? id} isName />
      </Chip>
    </span>
  );
  return (
    <div className={classes['chips']}>
      {actor !== undefined && chip(text.onlyActor, actor, { actor: '' })}
      {subject !== undefined && chip(text.onlySubject, subject, { subject: '' })}
      <LinkButton
        onClick={() => {
          set({
            ...{ q: '', type: '', kind: '', subject: '', by: '', actor: '', outcome: '' },
            ...{ from: '', to: '' },
          });
        }}
      >
        {text.clear}
      </LinkButton>
    </div>
  );
}
