/** A button that looks like a link: another way to do what the page is for. */
import type { ReactNode } from 'react';
import classes from './link-button.module.css';

export function LinkButton({
  onClick,
  isDisabled = false,
  label,
  children,
}: {
  readonly onClick: () => void;
  readonly isDisabled?: boolean;
  /** What it is called where its text alone does not say what it is about. */
  readonly label?: string;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className={classes['button']}
      disabled={isDisabled}
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

/** Other ways, side by side. */
export function LinkRow({ children }: { readonly children: ReactNode }) {
  return <div className={classes['row']}>{children}</div>;
}
