/** Around the control of every field: its label, what helps to fill it in, and what is wrong with it. */
import { useId, type ReactNode } from 'react';
import classes from './field.module.css';

export interface FieldProps {
  readonly label: string;
  /** For screen readers only, where the place of the field says what it is. */
  readonly isLabelHidden?: boolean;
  readonly description?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  /** Where the value stands in its document, as a JSON pointer. `focusPointer` leads there. */
  readonly pointer?: string | undefined;
  readonly isDisabled?: boolean;
}

/** What the control is given. */
interface ControlProps {
  readonly id: string;
  readonly disabled: boolean;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
  readonly 'data-pointer': string | undefined;
}

export function Field({
  label,
  isLabelHidden = false,
  description,
  problem,
  pointer,
  isDisabled = false,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const [more, wrong] = [`${id}-more`, `${id}-wrong`];
  const describedBy = [
    ...(description === undefined ? [] : [more]),
    ...(problem === undefined ? [] : [wrong]),
  ].join(' ');
  return (
    <div className={classes['field']}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : classes['label']}>
        {label}
      </label>
      {description !== undefined && (
        <p id={more} className={classes['description']}>
          {description}
        </p>
      )}
      {children({
        id,
        disabled: isDisabled,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': problem !== undefined,
        'data-pointer': pointer,
      })}
      {problem !== undefined && (
        <p id={wrong} className={classes['problem']}>
          {problem}
        </p>
      )}
    </div>
  );
}
