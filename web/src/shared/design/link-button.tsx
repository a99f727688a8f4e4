/** A button that looks like a link: another way to do what the page is for. */
import type { ReactNode } from 'react';
import classes from './link-button.module.css';

export function LinkButton({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button type="button" className={classes['button']} onClick={onClick}>
      {children}
    </button>
  );
}

/** Other ways, side by side. */
export function LinkRow({ children }: { readonly children: ReactNode }) {
  return <div className={classes['row']}>{children}</div>;
}
