/** One subject of a page, on a separate sheet. */
import type { ReactNode } from 'react';
import { Part } from './part.tsx';
import classes from './panel.module.css';

export function Panel({
  title,
  hint,
  children,
}: {
  readonly title: ReactNode;
  readonly hint?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={classes['panel']}>
      <div className={classes['heading']}>
        <h2>{title}</h2>
        {hint !== undefined && <p className={classes['hint']}>{hint}</p>}
      </div>
      <Part>{children}</Part>
    </section>
  );
}
