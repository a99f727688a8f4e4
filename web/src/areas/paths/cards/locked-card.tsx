/** What the cards cannot draw: its JSON, and why. */
import type { ReactNode } from 'react';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { paths as text } from '../text.ts';
import classes from './cards.module.css';

interface LockedCardProps {
  /** What can be done with it. */
  readonly children?: ReactNode;
  readonly source: string;
  readonly why: string;
}

export function LockedCard({ source, why, children }: LockedCardProps) {
  return (
    <section className={classes['card']} data-kind="locked">
      <p className={classes['title']}>
        {text.locked}
        {children}
      </p>
      <p className={classes['hint']}>{why}</p>
      <pre className={classes['source']} tabIndex={0}>
        <ForeignText text={source} isSource />
      </pre>
    </section>
  );
}
