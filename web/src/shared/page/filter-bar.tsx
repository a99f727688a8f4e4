/** A search and a choice above a list. */
import { SearchField } from '../design/fields/search-field.tsx';
import classes from './filter-bar.module.css';

interface FilterBarProps<Choice extends string> {
  readonly label: string;
  readonly q: string;
  /** Some time after the last key. */
  readonly onSearch: (q: string) => void;
  readonly choices: Readonly<Record<Choice, string>>;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

export function FilterBar<Choice extends string>(props: FilterBarProps<Choice>) {
  const { label, q, onSearch, choices, choice, onChoose } = props;
  return (
    <div className={classes['bar']}>
      <SearchField label={label} q={q} onSearch={onSearch} />
      <div role="group" aria-label={label} className={classes['choices']}>
        {(Object.keys(choices) as unknown as readonly Choice[]).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === choice}
            onClick={() => {
              onChoose(each);
            }}
          >
            {choices[each]}
          </button>
        ))}
      </div>
    </div>
  );
}

/** `ListSearch` of an address, which may say more. */
interface Narrowed {
  readonly q?: string;
  readonly show?: string;
}

interface ListFilterProps<Search extends Narrowed, Standard extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<NonNullable<Search['show']> | Standard, string>>;
  /** The choice that the address does not name. */
  readonly standard: Standard;
  readonly search: Search;
  /** Goes to the address that says this. */
  readonly onChange: (search: Search) => void;
}

/** The same for a list whose address has `q` and `show`. What is empty is not in the address. */
export function ListFilter<Search extends Narrowed, Standard extends string>(
  props: ListFilterProps<Search, Standard>,
) {
  type Choice = NonNullable<Search['show']> | Standard;
  const { label, choices, standard, search, onChange } = props;
  const { q = '', show = standard, ...rest } = search;
  const change = (typed: string, choice: string) => {
    onChange({
      ...rest,
      ...(typed !== '' && { q: typed }),
      ...(choice !== standard && { show: choice }),
    } as unknown as Search);
  };
  return (
    <FilterBar<Choice>
      {...{ label, q, choices }}
      onSearch={(typed) => {
        change(typed, show);
      }}
      choice={show as Choice}
      onChoose={(choice) => {
        change(q, choice);
      }}
    />
  );
}
