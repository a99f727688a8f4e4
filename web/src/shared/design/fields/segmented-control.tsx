/** One of two or three values, side by side. */
import { useId } from 'react';
import type { Option } from './select.tsx';
import classes from './segmented-control.module.css';

interface SegmentedControlProps<Value extends string> {
  /** For screen readers. */
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly isDisabled?: boolean;
  readonly onChange: (value: Value) => void;
}

export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, options, value, isDisabled = false, onChange } = props;
  const name = useId();
  return (
    <fieldset className={classes['segments']} disabled={isDisabled}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={classes['segment']}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => {
              onChange(option.value);
            }}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
