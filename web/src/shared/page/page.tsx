/** A page of those who manage: its heading, what can be done there, and its content. */
import type { ReactNode } from 'react';
import { PageTitle } from '../guide/page-title.tsx';
import { useTitle } from './title.ts';
import classes from './page.module.css';

interface PageProps {
  readonly title: string;
  /** One sentence on what the page is for. */
  readonly hint?: ReactNode;
  /** Buttons and links next to the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, hint, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className={classes['page']}>
      <div className={classes['head']}>
        <div className={classes['heading']}>
          <PageTitle>{title}</PageTitle>
          {hint !== undefined && <p className={classes['hint']}>{hint}</p>}
        </div>
        {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}
