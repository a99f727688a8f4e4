/** A box to tick, as part of a form. A setting that takes effect at once is a `Toggle`. */
import { useId } from 'react';
import type { FieldProps } from './field.tsx';
import classes from './field.module.css';

interface CheckboxProps extends Omit<FieldProps, 'isLabelHidden'> {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function Checkbox({
  label,
  description,
  problem,
  pointer,
  isDisabled = false,
  isChecked,
  onChange,
}: CheckboxProps) {
  const id = useId();
  const describedBy = [
    ...(description === undefined ? [] : [`${id}-more`]),
    ...(problem === undefined ? [] : [`${id}-wrong`]),
  ].join(' ');
  return (
    <div className={classes['checkbox']}>
      <input
        id={id}
        type="checkbox"
        data-pointer={pointer}
        aria-describedby={describedBy === '' ? undefined : describedBy}
        aria-invalid={problem !== undefined}
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
      <label htmlFor={id}>{label}</label>
      {description !== undefined && (
        <p id={`${id}-more`} className={classes['description']}>
          {description}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-wrong`} className={classes['problem']}>
          {problem}
        </p>
      )}
    </div>
  );
}
