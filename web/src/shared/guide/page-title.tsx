/** The heading of a page, with a link to what the guides say about the page. */
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { navigation as text } from '../text/navigation.ts';
import { guideOf } from './guide-of.ts';
import classes from './page-title.module.css';

export function PageTitle({ children }: { readonly children: ReactNode }) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const guide = guideOf(pathname);
  const [id = '', hash = ''] = guide?.split('#') ?? [];
  return (
    <div className={classes['title']}>
      <h1>{children}</h1>
      {guide !== undefined && (
        <Link to={`/docs/${id}` as string} hash={hash} className={classes['guide']}>
          {text.guide}
        </Link>
      )}
    </div>
  );
}
