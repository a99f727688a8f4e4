/** One of many values, found by typing. Each has its pointer, type and examples beside its name. */
import { Combobox as MantineCombobox, useCombobox } from '@mantine/core';
import { useState } from 'react';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/Combobox.layer.css';
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

const matches = (option: ComboboxOption, typed: string): boolean =>
  [option.label, option.value, option.code ?? '', option.keywords ?? ''].some((each) =>
    each.toLowerCase().includes(typed.toLowerCase()),
  );

export function Combobox(given: ComboboxProps) {
  const { options, value, onChange, isOpen = false, placeholder, ...props } = given;
  const store = useCombobox({
    onDropdownClose: () => {
      store.resetSelectedOption();
    },
  });
  /** Until an option is chosen, or the field is left. */
  const [typed, setTyped] = useState<string>();
  const chosen = options.find((each) => each.value === value);
  const shown = options.filter((each) => matches(each, typed ?? '')).slice(0, MOST_SHOWN);
  const leave = () => {
    if (isOpen && typed !== undefined) onChange(typed.trim());
    setTyped(undefined);
    store.closeDropdown();
  };
  return (
    <Field {...props}>
      {(control) => (
        // In place: a dialog of the browser would cover what is elsewhere in the page.
        <MantineCombobox
          store={store}
          withinPortal={false}
          transitionProps={{ duration: 0 }}
          onOptionSubmit={(submitted) => {
            setTyped(undefined);
            onChange(submitted);
            store.closeDropdown();
          }}
        >
          <MantineCombobox.Target>
            <input
              {...control}
              type="text"
              className={field['control']}
              autoComplete="off"
              spellCheck={false}
              placeholder={placeholder}
              value={typed ?? chosen?.label ?? value}
              onChange={({ currentTarget }) => {
                setTyped(currentTarget.value);
                store.openDropdown();
                store.updateSelectedOptionIndex('selected');
              }}
              onClick={() => {
                store.openDropdown();
              }}
              onKeyDownCapture={(event) => {
                // It closes the list, and not the dialog around it.
                if (event.key === 'Escape' && store.dropdownOpened) event.preventDefault();
              }}
              onBlur={leave}
            />
          </MantineCombobox.Target>
          <List label={props.label} options={shown} value={value} />
        </MantineCombobox>
      )}
    </Field>
  );
}

function List({ label, options, value }: Pick<ComboboxProps, 'label' | 'options' | 'value'>) {
  return (
    <MantineCombobox.Dropdown className={classes['dropdown'] ?? ''}>
      <MantineCombobox.Options className={classes['options'] ?? ''} aria-label={label}>
        {options.map((option) => (
          <MantineCombobox.Option
            key={option.value}
            value={option.value}
            active={option.value === value}
            className={classes['option'] ?? ''}
          >
            <OptionFacts option={option} />
          </MantineCombobox.Option>
        ))}
        {options.length === 0 && <MantineCombobox.Empty>{text.noMatch}</MantineCombobox.Empty>}
      </MantineCombobox.Options>
    </MantineCombobox.Dropdown>
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
