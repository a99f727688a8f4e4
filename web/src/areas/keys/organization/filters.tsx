/** What the list of the organization's keys is narrowed to. All of it is in the address. */
import { useQuery } from '@tanstack/react-query';
import { namesQuery } from '../../../shared/api/names.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { Chip } from '../../../shared/design/marks/badge.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import type { OrganizationKeysSearch } from '../keys-search.ts';
import { organization as text } from './text.ts';
import classes from '../keys.module.css';

const KINDS = Object.entries(text.kinds).map(([value, label]) => ({
  value: value as keyof typeof text.kinds,
  label,
}));

interface FiltersProps {
  readonly search: OrganizationKeysSearch;
  readonly change: (search: OrganizationKeysSearch) => void;
  /** Whether there are keys of the organization itself. */
  readonly hasKinds: boolean;
}

export function Filters({ search, change, hasKinds }: FiltersProps) {
  return (
    <div className={classes['filters']}>
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="active"
        search={search}
        onChange={change}
      />
      {hasKinds && (
        <InlineSelect
          label={text.kind}
          isLabelShown
          options={KINDS}
          value={search.kind ?? ''}
          onChange={(kind) => {
            const { kind: _before, ...rest } = search;
            change({ ...rest, ...(kind !== '' && { kind }) });
          }}
        />
      )}
      {search.by !== undefined && (
        <By
          id={search.by}
          onRemove={() => {
            const { by: _before, ...rest } = search;
            change(rest);
          }}
        />
      )}
    </div>
  );
}

function By({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const { data: names } = useQuery(namesQuery([id]));
  return (
    <Chip removeLabel={text.anyone} onRemove={onRemove}>
      {text.by} <ForeignText text={names?.get(id) ?? text.someone} isName />
    </Chip>
  );
}
