/** The sheet on which every sign-in page stands. */
import type { ReactNode } from 'react';
import { Mark } from '../../design/mark.tsx';
import classes from './page.module.css';

export function SignInPage({
  title,
  intro,
  children,
}: {
  readonly title: string;
  readonly intro?: string;
  readonly children: ReactNode;
}) {
  return (
    <main className={classes['page']}>
      <div className={classes['sheet']}>
        <Mark />
        <h1>{title}</h1>
        {intro !== undefined && <p className={classes['intro']}>{intro}</p>}
        {children}
      </div>
    </main>
  );
}

/** What the service refused, announced to screen readers. */
export function FormProblem({ error }: { readonly error: Error | null }) {
  return (
    <div role="alert" className={error ? classes['problem'] : undefined}>
      {error?.message}
    </div>
  );
}
