/** A duration as the API writes it: a whole number and a unit, such as `30m`. */
import { useState } from 'react';
import { DURATION_PATTERN } from '../../../../../src/domain/durations.ts';
import { fields as text } from '../../text/design.ts';
import { Field, type FieldProps } from './field.tsx';
import classes from './field.module.css';
import { InlineSelect } from './select.tsx';

const UNITS = ['s', 'm', 'h'] as const;
type Unit = (typeof UNITS)[number];

const GRAMMAR = new RegExp(DURATION_PATTERN);

interface DurationFieldProps extends FieldProps {
  /** Text that is no duration is shown as it is, to be corrected. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
}

/** The number as it was typed, and the unit. */
function partsOf(value: string): { readonly count: string; readonly unit: Unit | undefined } {
  const unit = UNITS.find((each) => value.endsWith(each));
  return { count: unit ? value.slice(0, -1) : value, unit };
}

export function DurationField({ value, onChange, placeholder, ...field }: DurationFieldProps) {
  // Also while there is no number that it could belong to.
  const [chosen, setChosen] = useState<Unit>('m');
  const { count, unit = chosen } = partsOf(value);
  const change = (newCount: string, newUnit: Unit) => {
    // People who know the grammar type the unit, too.
    const isWhole = newCount === '' || GRAMMAR.test(newCount);
    onChange(isWhole ? newCount : `${newCount}${newUnit}`);
  };
  const problem = value === '' || GRAMMAR.test(value) ? undefined : text.noDuration;
  return (
    <Field {...field} problem={field.problem ?? problem}>
      {(control) => (
        <div className={classes['row']}>
          <input
            {...control}
            type="text"
            inputMode="numeric"
            autoComplete="off"
            className={classes['control']}
            placeholder={placeholder}
            value={count}
            onChange={({ currentTarget }) => {
              change(currentTarget.value.trim(), unit);
            }}
          />
          <InlineSelect
            label={text.unitOf(field.label)}
            options={UNITS.map((each) => ({ value: each, label: text.units[each] }))}
            value={unit}
            onChange={(newUnit) => {
              setChosen(newUnit);
              change(count, newUnit);
            }}
          />
        </div>
      )}
    </Field>
  );
}
