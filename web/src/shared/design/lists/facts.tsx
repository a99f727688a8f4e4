/** What is known of one thing, line by line. */
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes['facts']}>{children}</dl>;
}

export function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div className={classes['fact']}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
