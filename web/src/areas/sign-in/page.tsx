/** The sheet of every page on which people sign in or join. */
import type { ReactNode } from 'react';
import { Mark } from '../../shared/design/marks/mark.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { session } from '../../shared/text/session.ts';
import classes from './page.module.css';

export function SignInPage({
  title,
  intro,
  children,
}: {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children?: ReactNode;
}) {
  useTitle(title);
  return (
    <main className={classes['page']}>
      <div className={classes['column']}>
        <p className={classes['brand']}>
          <Mark />
          <span>{session.product}</span>
        </p>
        <div className={classes['sheet']}>
          <div className={classes['heading']}>
            <h1>{title}</h1>
            {intro !== undefined && <p className={classes['intro']}>{intro}</p>}
          </div>
          {children}
        </div>
      </div>
    </main>
  );
}
