/** A button for what is dangerous and has a way back: the second press does it, within some seconds. */
import { useEffect, useState } from 'react';
import classes from './two-presses.module.css';

/** As long as a message can be undone. */
const ARMED_MS = 10_000;

interface TwoPressesProps {
  readonly label: string;
  /** What the second press does, such as `Press again to pause`. */
  readonly again: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
}

export function TwoPresses({ label, again, isBusy, onConfirm }: TwoPressesProps) {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(() => {
      setArmed(false);
    }, ARMED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isArmed]);
  return (
    <button
      type="button"
      className={classes['button']}
      data-armed={isArmed}
      aria-busy={isBusy}
      onClick={() => {
        if (isBusy) return;
        if (isArmed) onConfirm();
        setArmed(!isArmed);
      }}
    >
      <span aria-live="polite">{isArmed ? again : label}</span>
    </button>
  );
}
