/** A setting that is on or off, and takes effect at once. */
import { useId, type ReactNode } from 'react';
import classes from './toggle.module.css';

interface ToggleProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Toggle({ label, description, isOn, isDisabled = false, onChange }: ToggleProps) {
  const id = useId();
  return (
    <div className={classes['toggle']}>
      <label htmlFor={id} className={classes['label']}>
        {label}
      </label>
      {description !== undefined && (
        <p id={`${id}-more`} className={classes['description']}>
          {description}
        </p>
      )}
      <input
        id={id}
        type="checkbox"
        role="switch"
        className={classes['switch']}
        aria-describedby={description === undefined ? undefined : `${id}-more`}
        checked={isOn}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
    </div>
  );
}
