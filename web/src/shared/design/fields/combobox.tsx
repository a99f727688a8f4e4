/** One of many values, found by typing. Each has its pointer, type and examples next to its name. */
import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import { fields as text } from '../../text/design.ts';
import { Field, type FieldProps } from './field.tsx';
import field from './field.module.css';
import classes from './combobox.module.css';

export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** In mono, such as a JSON pointer. */
  readonly code?: string | undefined;
  /** In grey, such as a type. */
  readonly detail?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Not shown: other names that people type. */
  readonly keywords?: string | undefined;
}

interface ComboboxProps extends FieldProps {
  readonly options: readonly ComboboxOption[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether a value may be none of the options. It is then what was typed. */
  readonly isOpen?: boolean;
  readonly placeholder?: string;
}

/** More would be slow, and no one reads them: typing narrows them down. */
const MOST_SHOWN = 100;

const NONE = -1;

const matches = (option: ComboboxOption, typed: string): boolean =>
  [option.label, option.value, option.code ?? '', option.keywords ?? ''].some((each) =>
    each.toLowerCase().includes(typed.toLowerCase()),
  );

export function Combobox(given: ComboboxProps) {
  const { options, value, onChange, isOpen = false, placeholder, ...props } = given;
  const id = useId();
  /** Until an option is chosen, or the field is left. */
  const [typed, setTyped] = useState<string>();
  const chosen = options.find((each) => each.value === value);
  const shown = options.filter((each) => matches(each, typed ?? '')).slice(0, MOST_SHOWN);
  const choose = (option: ComboboxOption) => {
    setTyped(undefined);
    list.close();
    onChange(option.value);
  };
  const list = useOptions({ shown, chosen, choose });
  const leave = () => {
    if (isOpen && typed !== undefined) onChange(typed.trim());
    setTyped(undefined);
    list.close();
  };
  return (
    <Field {...props}>
      {(control) => (
        <div className={classes['place']}>
          <input
            {...control}
            type="text"
            role="combobox"
            className={field['control']}
            aria-autocomplete="list"
            aria-expanded={list.isShown}
            aria-controls={list.isShown ? id : undefined}
            aria-activedescendant={list.isShown && shown[list.at] ? `${id}-${list.at}` : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={typed ?? chosen?.label ?? value}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              list.show(NONE);
            }}
            onClick={list.open}
            onKeyDown={list.press}
            onBlur={leave}
          />
          {list.isShown && (
            <List {...{ id, value, choose }} at={list.at} label={props.label} options={shown} />
          )}
        </div>
      )}
    </Field>
  );
}

interface Choice {
  readonly shown: readonly ComboboxOption[];
  readonly chosen: ComboboxOption | undefined;
  readonly choose: (option: ComboboxOption) => void;
}

/** Whether the list is there, and its active option, which keys move. The focus stays in the field. */
function useOptions({ shown, chosen, choose }: Choice) {
  const [isShown, setShown] = useState(false);
  const [at, setAt] = useState(NONE);
  const show = (index: number) => {
    setAt(index);
    setShown(true);
  };
  const open = () => {
    if (!isShown) show(chosen ? shown.indexOf(chosen) : NONE);
  };
  const close = () => {
    setShown(false);
  };
  const move = (by: 1 | -1) => {
    const from = at === NONE && by === -1 ? 0 : at;
    if (!isShown) open();
    else if (shown.length > 0) setAt((from + by + shown.length) % shown.length);
  };
  const press = (event: KeyboardEvent) => {
    const active = isShown ? shown[at] : undefined;
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    // It closes the list, and not the dialog around it.
    else if (event.key === 'Escape' && isShown) close();
    else if (event.key === 'Enter' && active) choose(active);
    else return;
    event.preventDefault();
  };
  return { isShown, at, show, open, close, press };
}

interface ListProps extends Pick<ComboboxProps, 'label' | 'options' | 'value'> {
  readonly id: string;
  /** The index of the active option. */
  readonly at: number;
  readonly choose: (option: ComboboxOption) => void;
}

/** Above the page and its dialogs. */
const lift = (list: HTMLElement | null) => {
  list?.showPopover();
};

function List({ label, options, value, id, at, choose }: ListProps) {
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);
  return (
    <div
      ref={lift}
      popover="manual"
      className={classes['dropdown']}
      onMouseDown={(event) => {
        // The field keeps the focus.
        event.preventDefault();
      }}
    >
      <div id={id} role="listbox" className={classes['options']} aria-label={label}>
        {options.map((option, index) => (
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={option.value === value}
            data-active={index === at || undefined}
            className={classes['option']}
            onClick={() => {
              choose(option);
            }}
          >
            <OptionFacts option={option} />
          </div>
        ))}
      </div>
      {options.length === 0 && <p className={classes['none']}>{text.noMatch}</p>}
    </div>
  );
}

function OptionFacts({ option }: { readonly option: ComboboxOption }) {
  const { label, code, detail, examples = [] } = option;
  return (
    <>
      <span className={classes['name']}>
        <bdi>{label}</bdi>
        {detail !== undefined && <span className={classes['detail']}>{detail}</span>}
      </span>
      {code !== undefined && <code className={classes['code']}>{code}</code>}
      {examples.length > 0 && (
        <span className={classes['detail']}>
          {text.examples}{' '}
          {examples.map((example, index) => (
            <span key={example}>
              {index > 0 && ', '}
              <bdi className={classes['code']}>{example}</bdi>
            </span>
          ))}
        </span>
      )}
    </>
  );
}
